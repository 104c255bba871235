# pragma version ~=0.4.3
# Its name is a string of 100,000 letters.

WORDS: constant(uint256) = 3125

balanceOf: public(HashMap[address, uint256])
decimals: public(uint8)


@deploy
def __init__(supply: uint256):
    self.decimals = 18
    self.balanceOf[msg.sender] = supply


@external
@view
def name() -> (uint256, uint256, bytes32[WORDS]):
    words: bytes32[WORDS] = empty(bytes32[WORDS])
    for i: uint256 in range(WORDS):
        words[i] = 0x4141414141414141414141414141414141414141414141414141414141414141
    return 32, WORDS * 32, words


@external
@view
def symbol() -> String[8]:
    return "LONG"

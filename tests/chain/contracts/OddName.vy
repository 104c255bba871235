# pragma version ~=0.4.3
# Its name is a string by layout, and its bytes are not UTF-8.

balanceOf: public(HashMap[address, uint256])
decimals: public(uint8)


@deploy
def __init__(supply: uint256):
    self.decimals = 18
    self.balanceOf[msg.sender] = supply


@external
@view
def name() -> (uint256, uint256, bytes32):
    return 32, 4, 0xfffe80c100000000000000000000000000000000000000000000000000000000


@external
@view
def symbol() -> (uint256, uint256, bytes32):
    return 32, 3, 0x4f44440000000000000000000000000000000000000000000000000000000000

# pragma version ~=0.4.3
# Its name never comes: the loop ends only when the gas does.

balanceOf: public(HashMap[address, uint256])
decimals: public(uint8)
beat: uint256


@deploy
def __init__(supply: uint256):
    self.decimals = 18
    self.balanceOf[msg.sender] = supply


@external
@view
def name() -> String[32]:
    sum: uint256 = 0
    for i: uint256 in range(2**64):
        sum = unsafe_add(sum, self.beat)
    return "never" if sum == 0 else "ever"


@external
@view
def symbol() -> String[8]:
    return "LOOP"

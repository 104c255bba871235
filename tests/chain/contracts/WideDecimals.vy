# pragma version ~=0.4.3
# A token that returns its decimals as uint256, however absurd.

name: public(String[32])
symbol: public(String[32])
decimals: public(uint256)
totalSupply: public(uint256)
balanceOf: public(HashMap[address, uint256])


@deploy
def __init__(decimals: uint256, supply: uint256):
    self.name = "Wide Decimals"
    self.symbol = "WIDE"
    self.decimals = decimals
    self.totalSupply = supply
    self.balanceOf[msg.sender] = supply

# pragma version ~=0.4.3
# A token whose owner changes its name and decimals after it was deployed.

name: public(String[32])
symbol: public(String[32])
decimals: public(uint8)
totalSupply: public(uint256)
balanceOf: public(HashMap[address, uint256])


@deploy
def __init__(supply: uint256):
    self.name = "Acorn"
    self.symbol = "ACORN"
    self.decimals = 18
    self.totalSupply = supply
    self.balanceOf[msg.sender] = supply


@external
def rename(name: String[32], decimals: uint8):
    self.name = name
    self.decimals = decimals

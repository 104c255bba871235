# pragma version ~=0.4.3
# A token whose transfer returns nothing, against the standard.

event Transfer:
    sender: indexed(address)
    receiver: indexed(address)
    amount: uint256

name: public(String[32])
symbol: public(String[32])
decimals: public(uint8)
totalSupply: public(uint256)
balanceOf: public(HashMap[address, uint256])


@deploy
def __init__(supply: uint256):
    self.name = "No Return"
    self.symbol = "NORET"
    self.decimals = 6
    self.totalSupply = supply
    self.balanceOf[msg.sender] = supply


@external
def transfer(receiver: address, amount: uint256):
    self.balanceOf[msg.sender] -= amount
    self.balanceOf[receiver] += amount
    log Transfer(sender=msg.sender, receiver=receiver, amount=amount)

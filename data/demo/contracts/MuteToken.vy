# pragma version ~=0.4.3
# A token that refuses to say how many decimals it has.

event Transfer:
    sender: indexed(address)
    receiver: indexed(address)
    amount: uint256

name: public(String[32])
symbol: public(String[32])
totalSupply: public(uint256)
balanceOf: public(HashMap[address, uint256])


@deploy
def __init__(name: String[32], symbol: String[32], supply: uint256):
    self.name = name
    self.symbol = symbol
    self.totalSupply = supply
    self.balanceOf[msg.sender] = supply
    log Transfer(sender=empty(address), receiver=msg.sender, amount=supply)


@external
@view
def decimals() -> uint8:
    raise "not told"


@external
def transfer(receiver: address, amount: uint256) -> bool:
    self.balanceOf[msg.sender] -= amount
    self.balanceOf[receiver] += amount
    log Transfer(sender=msg.sender, receiver=receiver, amount=amount)
    return True

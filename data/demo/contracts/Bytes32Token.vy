# pragma version ~=0.4.3
# A token of the early kind: its name and symbol are 32 bytes, not strings.

event Transfer:
    sender: indexed(address)
    receiver: indexed(address)
    amount: uint256

name: public(bytes32)
symbol: public(bytes32)
decimals: public(uint256)
totalSupply: public(uint256)
balanceOf: public(HashMap[address, uint256])


@deploy
def __init__(name: bytes32, symbol: bytes32, supply: uint256):
    self.name = name
    self.symbol = symbol
    self.decimals = 18
    self.totalSupply = supply
    self.balanceOf[msg.sender] = supply
    log Transfer(sender=empty(address), receiver=msg.sender, amount=supply)


@external
def transfer(receiver: address, amount: uint256) -> bool:
    self.balanceOf[msg.sender] -= amount
    self.balanceOf[receiver] += amount
    log Transfer(sender=msg.sender, receiver=receiver, amount=amount)
    return True

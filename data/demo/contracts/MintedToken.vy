# pragma version ~=0.4.3
# An ERC-20 token without constructor, to stand behind a proxy. Anyone may mint.

event Transfer:
    sender: indexed(address)
    receiver: indexed(address)
    amount: uint256

name: public(constant(String[32])) = "Copper behind a proxy"
symbol: public(constant(String[32])) = "COPPER"
decimals: public(constant(uint8)) = 8
totalSupply: public(uint256)
balanceOf: public(HashMap[address, uint256])


@external
def mint(receiver: address, amount: uint256):
    self.totalSupply += amount
    self.balanceOf[receiver] += amount
    log Transfer(sender=empty(address), receiver=receiver, amount=amount)


@external
def transfer(receiver: address, amount: uint256) -> bool:
    self.balanceOf[msg.sender] -= amount
    self.balanceOf[receiver] += amount
    log Transfer(sender=msg.sender, receiver=receiver, amount=amount)
    return True

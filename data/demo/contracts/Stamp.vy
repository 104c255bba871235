# pragma version ~=0.4.3
# A collectible: its Transfer has four topics, and the last one is an id, not an amount.

event Transfer:
    sender: indexed(address)
    receiver: indexed(address)
    token_id: indexed(uint256)

name: public(String[32])
symbol: public(String[32])
balanceOf: public(HashMap[address, uint256])
ownerOf: public(HashMap[uint256, address])


@deploy
def __init__(name: String[32], symbol: String[32]):
    self.name = name
    self.symbol = symbol


@external
def mint(owner: address, token_id: uint256):
    assert self.ownerOf[token_id] == empty(address), "taken"
    self.ownerOf[token_id] = owner
    self.balanceOf[owner] += 1
    log Transfer(sender=empty(address), receiver=owner, token_id=token_id)


@external
def transferFrom(sender: address, receiver: address, token_id: uint256):
    assert msg.sender == sender and self.ownerOf[token_id] == sender, "not the owner"
    self.ownerOf[token_id] = receiver
    self.balanceOf[sender] -= 1
    self.balanceOf[receiver] += 1
    log Transfer(sender=sender, receiver=receiver, token_id=token_id)

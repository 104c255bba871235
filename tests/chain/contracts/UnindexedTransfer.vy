# pragma version ~=0.4.3
# Emits a Transfer whose arguments are all in the data: one topic, and no way to filter it.

event Transfer:
    sender: address
    receiver: address
    amount: uint256

decimals: public(uint8)
balanceOf: public(HashMap[address, uint256])


@deploy
def __init__(supply: uint256):
    self.decimals = 18
    self.balanceOf[msg.sender] = supply


@external
def transfer(receiver: address, amount: uint256) -> bool:
    self.balanceOf[msg.sender] -= amount
    self.balanceOf[receiver] += amount
    log Transfer(sender=msg.sender, receiver=receiver, amount=amount)
    return True

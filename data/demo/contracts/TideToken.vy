# pragma version ~=0.4.3
# A rebasing token: every balance grows or shrinks at once, and no Transfer is emitted for it.

event Transfer:
    sender: indexed(address)
    receiver: indexed(address)
    amount: uint256

UNIT: constant(uint256) = 10_000

name: public(String[32])
symbol: public(String[32])
decimals: public(uint8)
tide: public(uint256)
allowance: public(HashMap[address, HashMap[address, uint256]])
shares: HashMap[address, uint256]
total_shares: uint256


@deploy
def __init__(name: String[32], symbol: String[32], supply: uint256):
    self.name = name
    self.symbol = symbol
    self.decimals = 18
    self.tide = UNIT
    self.total_shares = supply
    self.shares[msg.sender] = supply
    log Transfer(sender=empty(address), receiver=msg.sender, amount=supply)


@external
def rebase(tide: uint256):
    self.tide = tide


@external
@view
def totalSupply() -> uint256:
    return self.total_shares * self.tide // UNIT


@external
@view
def balanceOf(holder: address) -> uint256:
    return self.shares[holder] * self.tide // UNIT


@internal
def _move(sender: address, receiver: address, amount: uint256):
    moved: uint256 = amount * UNIT // self.tide
    self.shares[sender] -= moved
    self.shares[receiver] += moved
    log Transfer(sender=sender, receiver=receiver, amount=amount)


@external
def transfer(receiver: address, amount: uint256) -> bool:
    self._move(msg.sender, receiver, amount)
    return True


@external
def transferFrom(sender: address, receiver: address, amount: uint256) -> bool:
    self.allowance[sender][msg.sender] -= amount
    self._move(sender, receiver, amount)
    return True


@external
def approve(spender: address, amount: uint256) -> bool:
    self.allowance[msg.sender][spender] = amount
    return True

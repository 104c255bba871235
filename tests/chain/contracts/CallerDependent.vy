# pragma version ~=0.4.3
# Answers people and refuses contracts: inside an aggregate every call to it reverts.

_balances: HashMap[address, uint256]


@deploy
def __init__(supply: uint256):
    self._balances[msg.sender] = supply


@external
@view
def balanceOf(holder: address) -> uint256:
    assert not msg.sender.is_contract, "no contracts"
    return self._balances[holder]


@external
@view
def decimals() -> uint8:
    assert not msg.sender.is_contract, "no contracts"
    return 18

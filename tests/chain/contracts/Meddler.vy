# pragma version ~=0.4.3
# Asked for a balance, it moves tokens of its own: a question that changes its neighbour's answer.

interface ERC20:
    def transfer(to: address, amount: uint256) -> bool: nonpayable

token: public(address)


@deploy
def __init__(token: address):
    self.token = token


@external
def balanceOf(holder: address) -> uint256:
    extcall ERC20(self.token).transfer(holder, 7)
    return 1


@external
@view
def decimals() -> uint8:
    return 18

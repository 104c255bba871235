# pragma version ~=0.4.3
# Has balances and nothing else: no name, no symbol, no decimals, no fallback.

balanceOf: public(HashMap[address, uint256])


@deploy
def __init__(supply: uint256):
    self.balanceOf[msg.sender] = supply

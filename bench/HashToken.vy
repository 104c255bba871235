# pragma version ~=0.4.3
# A token whose balances follow from the holder's address, so that every answer can be checked.

decimals: public(constant(uint8)) = 18


@external
@view
def balanceOf(holder: address) -> uint256:
    seed: uint256 = convert(keccak256(convert(holder, bytes32)), uint256)
    return seed >> (seed % 200)

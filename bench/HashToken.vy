# pragma version ~=0.4.3
# A token whose balances follow from its own address and the holder's, so that every answer can
# be checked, and one token's is never taken for another's.

decimals: public(constant(uint8)) = 18


@external
@view
def balanceOf(holder: address) -> uint256:
    seed: uint256 = convert(
        keccak256(concat(convert(holder, bytes32), convert(self, bytes32))), uint256
    )
    return seed >> (seed % 200)

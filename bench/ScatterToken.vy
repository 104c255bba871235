# pragma version ~=0.4.3
# A token that emits many Transfer events in one transaction; each follows from its number.

event Transfer:
    sender: indexed(address)
    receiver: indexed(address)
    amount: uint256

decimals: public(constant(uint8)) = 18


@external
def scatter(start: uint256, count: uint256):
    for n: uint256 in range(start, start + count, bound=1000):
        seed: uint256 = convert(keccak256(convert(n, bytes32)), uint256)
        log Transfer(
            sender=msg.sender,
            receiver=convert(seed >> 96, address),
            amount=seed >> (seed % 200),
        )

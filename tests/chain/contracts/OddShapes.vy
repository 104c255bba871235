# pragma version ~=0.4.3
# Emits logs with Transfer's first topic and more or fewer of the others than any standard has.

TRANSFER: constant(bytes32) = keccak256("Transfer(address,address,uint256)")


@external
def two_topics(sender: address):
    raw_log([TRANSFER, convert(sender, bytes32)], b"")


@external
def three_topics(sender: address, receiver: address, amount: uint256):
    raw_log(
        [TRANSFER, convert(sender, bytes32), convert(receiver, bytes32)],
        convert(amount, bytes32),
    )

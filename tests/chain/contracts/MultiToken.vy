# pragma version ~=0.4.3
# Emits ERC-1155's events, whole ones and broken ones.

event TransferSingle:
    operator: indexed(address)
    sender: indexed(address)
    receiver: indexed(address)
    id: uint256
    amount: uint256

event TransferBatch:
    operator: indexed(address)
    sender: indexed(address)
    receiver: indexed(address)
    ids: DynArray[uint256, 8]
    amounts: DynArray[uint256, 8]


@external
def single(sender: address, receiver: address, id: uint256, amount: uint256):
    log TransferSingle(
        operator=msg.sender, sender=sender, receiver=receiver, id=id, amount=amount
    )


@external
def batch(sender: address, receiver: address, id: uint256, amount: uint256):
    log TransferBatch(
        operator=msg.sender,
        sender=sender,
        receiver=receiver,
        ids=[id, id + 1],
        amounts=[amount, amount + 1],
    )


@external
def uneven(sender: address, receiver: address, id: uint256):
    log TransferBatch(
        operator=msg.sender, sender=sender, receiver=receiver, ids=[id, id + 1], amounts=[1]
    )

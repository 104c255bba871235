# pragma version ~=0.4.3
# Passes every call on to another contract's code, and keeps its own storage.
# Proxy.layout.json puts `implementation` at the slot that EIP-1967 names.

implementation: address


@deploy
def __init__(implementation: address):
    self.implementation = implementation


@external
@payable
@raw_return
def __default__() -> Bytes[1024]:
    return raw_call(self.implementation, msg.data, max_outsize=1024, is_delegate_call=True)

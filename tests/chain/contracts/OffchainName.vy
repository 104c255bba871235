# pragma version ~=0.4.3
# Its name asks the reader's machine to fetch it from an address of the contract's choosing.

gateway: String[64]
balanceOf: public(HashMap[address, uint256])
decimals: public(uint8)


@deploy
def __init__(gateway: String[64], supply: uint256):
    self.gateway = gateway
    self.decimals = 18
    self.balanceOf[msg.sender] = supply


@external
@view
def name() -> String[32]:
    urls: DynArray[String[64], 1] = [self.gateway]
    asked: Bytes[4] = b"\x06\xfd\xde\x03"
    raw_revert(
        abi_encode(
            self,
            urls,
            asked,
            0x06fdde03,
            asked,
            method_id=method_id("OffchainLookup(address,string[],bytes,bytes4,bytes)"),
        )
    )

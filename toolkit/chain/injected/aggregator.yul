// Reads many things at one block in one eth_call, with its arguments packed.
//
// It is never deployed: a state override puts it at Multicall3's address for the length of one
// eth_call, so that contracts see the same msg.sender as under aggregate3. Opcodes up to
// Byzantium only (no SHR, no PUSH0), so that it runs at old blocks too.
//
// Asked:    gas of each call (4 bytes), then segments until the end of the calldata:
//   01 count(2)  address(20) ...                        native balances
//   02 count(2)  target(20) selector(4) address(20) ... one function of one target
//   03 count(2)  [target(20) length(2) data] ...        any calls
// Answered: timestamp, number, hash of the parent, gas at the start, count of answered reads
//   (32 bytes each), then per segment
//   01 value(32) ...
//   02 status(1) ... value(32) ...
//   03 [status(1) length(4) data] ...
// Status:   1 a value, 2 failed, 3 to be asked alone (its length does not fit), 4 returned nothing
//
// STATICCALL: what one contract does cannot change what its neighbour answers. Each call gets the
// gas that it would get alone, or it is not made at all: reads beyond the count of answered ones
// have to be asked again.
object "Aggregator" {
    code {
        let inner := div(calldataload(0), 0x100000000000000000000000000000000000000000000000000000000)
        // EIP-150 keeps a 64th back; the rest is for copying and for the return.
        let floor := add(add(inner, div(inner, 32)), 200000)
        mstore(0x80, timestamp())
        mstore(0xa0, number())
        mstore(0xc0, blockhash(sub(number(), 1)))
        mstore(0xe0, gas())
        let out := 0x120
        let answered := 0
        let at := 4

        for {} lt(at, calldatasize()) {} {
            let head := calldataload(at)
            let count := and(div(head, 0x10000000000000000000000000000000000000000000000000000000000), 0xffff)
            at := add(at, 3)
            switch byte(0, head)
            case 1 {
                for { let i := 0 } lt(i, count) { i := add(i, 1) } {
                    if lt(gas(), floor) { finish(out, answered) }
                    mstore(out, balance(addressAt(at)))
                    at := add(at, 20)
                    out := add(out, 32)
                    answered := add(answered, 1)
                }
            }
            case 2 {
                let target := addressAt(at)
                mstore(0, calldataload(add(at, 20)))
                at := add(at, 24)
                let statuses := out
                out := add(out, count)
                for { let i := 0 } lt(i, count) { i := add(i, 1) } {
                    if lt(gas(), floor) { finish(out, answered) }
                    mstore(4, addressAt(at))
                    at := add(at, 20)
                    let status := 2
                    if staticcall(inner, target, 0, 36, out, 32) {
                        status := 3
                        if eq(returndatasize(), 32) { status := 1 }
                        if iszero(returndatasize()) { status := 4 }
                    }
                    mstore8(add(statuses, i), status)
                    out := add(out, 32)
                    answered := add(answered, 1)
                }
            }
            case 3 {
                for { let i := 0 } lt(i, count) { i := add(i, 1) } {
                    if lt(gas(), floor) { finish(out, answered) }
                    let target := addressAt(at)
                    let size := and(div(calldataload(at), 0x100000000000000000000), 0xffff)
                    let data := add(out, 5)
                    at := add(at, 22)
                    calldatacopy(data, at, size)
                    at := add(at, size)
                    let status := 2
                    let length := 0
                    if staticcall(inner, target, data, size, 0, 0) {
                        length := returndatasize()
                        status := 1
                        if iszero(length) { status := 4 }
                        if gt(length, 16384) {
                            status := 3
                            length := 0
                        }
                    }
                    mstore8(out, status)
                    mstore(add(out, 1), mul(length, 0x100000000000000000000000000000000000000000000000000000000))
                    returndatacopy(data, 0, length)
                    out := add(data, length)
                    answered := add(answered, 1)
                }
            }
            default { invalid() }
        }
        finish(out, answered)

        function addressAt(where) -> found {
            found := div(calldataload(where), 0x1000000000000000000000000)
        }
        function finish(end, count) {
            mstore(0x100, count)
            return(0x80, sub(end, 0x80))
        }
    }
}

/// The statements of a connection by the address of their SQL literal, which is the literal's identity. A dozen are looked up for
/// each packet, and a Dictionary hashes an address as carefully as what strangers send.
struct StatementTable {
    /// A power of two of places, half of them free at least; a statement is at the first free one from that of its address on.
    private var addresses = [UInt](repeating: 0, count: 256)
    private var statements = [Statement?](repeating: nil, count: 256)
    private var count = 0

    subscript(sql: StaticString) -> Statement? { statements[place(of: UInt(bitPattern: sql.utf8Start))] }

    mutating func insert(_ statement: Statement, for sql: StaticString) {
        if count * 2 >= addresses.count { grow() }
        put(statement, UInt(bitPattern: sql.utf8Start))
    }

    mutating func removeAll() { self = StatementTable() }

    private func place(of address: UInt) -> Int {
        var place = Int(truncatingIfNeeded: (address &* 0x9E37_79B9_7F4A_7C15) >> 40) & (addresses.count - 1)
        while addresses[place] != 0, addresses[place] != address { place = (place + 1) & (addresses.count - 1) }
        return place
    }

    private mutating func put(_ statement: Statement, _ address: UInt) {
        let place = place(of: address)
        if addresses[place] == 0 { count += 1 }
        (addresses[place], statements[place]) = (address, statement)
    }

    private mutating func grow() {
        let (old, kept) = (addresses, statements)
        addresses = [UInt](repeating: 0, count: old.count * 2)
        statements = [Statement?](repeating: nil, count: old.count * 2)
        count = 0
        for (address, statement) in zip(old, kept) { if let statement { put(statement, address) } }
    }
}

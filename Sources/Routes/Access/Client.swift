import HTTPServer
import Platform

/// What the limits count as one client: addresses that are likely to be one person.
public enum Client: Hashable, Sendable {
    /// An IPv4 address, or the network of 64 bits that an IPv6 client has to itself.
    case address(IPAddress)
    /// A user of this machine, on the local socket.
    case user(UInt32)
    /// All together whose proxy, on a Unix socket, does not say who they are.
    case unixSocket

    public init(_ address: IPAddress) {
        self = .address(address.isIPv4 ? address : IPAddress(high: address.high, low: 0))
    }
}

/// What is remembered of clients: of at most ``capacity`` of them, whatever they send.
///
/// When it is full, the quarter of the clients that would be forgotten first is forgotten at once: an attacker with many
/// addresses buys other clients a fresh start, not us a full memory, and room is made once in many requests.
public struct ClientTable<Entry: Sendable>: Sendable {
    public static var capacity: Int { 1024 }

    private var entries: [Client: (entry: Entry, end: Int64)] = [:]

    public var count: Int { entries.count }

    /// What is remembered of a client; nil when its time is up.
    /// - Parameter now: Monotonic milliseconds.
    public func entry(of client: Client, now: Int64) -> Entry? {
        entries[client].flatMap { $0.end > now ? $0.entry : nil }
    }

    /// - Parameters:
    ///   - end: When the entry is forgotten, in monotonic milliseconds.
    ///   - now: Monotonic milliseconds.
    public mutating func set(_ entry: Entry, of client: Client, until end: Int64, now: Int64) {
        if entries.count >= Self.capacity, entries[client] == nil { makeRoom(now: now) }
        entries[client] = (entry, end)
    }

    private mutating func makeRoom(now: Int64) {
        entries = entries.filter { $0.value.end > now }
        guard entries.count > Self.capacity * 3 / 4 else { return }
        for client in entries.sorted(by: { $0.value.end < $1.value.end }).prefix(Self.capacity / 4) {
            entries[client.key] = nil
        }
    }
}

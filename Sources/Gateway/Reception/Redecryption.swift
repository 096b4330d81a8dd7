import MeshModel
import MeshProtocol
import Store
import Synchronization

// What was heard before its key was known.
//
// 1. The packet log keeps the encrypted bytes. When a key comes in, they are tried again, the oldest first, so that what
//    was said last counts in the end.
// 2. The log can have many thousand rows, and packets keep coming: the work goes through the writer's queue in slices,
//    each of which hands over the next when it is on disk.
// 3. One entry at a time. A person who asks for a second is told so; an entry that was just added waits its turn.

/// Decrypts logged packets with the keys of entries that are newer than they.
public final class Redecryption: Sendable {
    /// Packets in a slice.
    static let sliceSize = 256

    public struct Progress: Hashable, Sendable {
        public enum Status: String, Sendable { case pending, running, completed, failed }

        public let entry: Int64
        public let name: String
        /// Packets of the log that nobody could read when it began.
        public internal(set) var total = 0
        public internal(set) var processed = 0
        public internal(set) var decrypted = 0
        public internal(set) var status = Status.pending
        /// Why it failed, in a sentence.
        public internal(set) var error: String?
        /// Host milliseconds, as the next.
        public let startedAt: Int64
        public internal(set) var completedAt: Int64?

        public var isRunning: Bool { status == .pending || status == .running }
    }

    fileprivate struct State: Sendable {
        var progress: Progress?
        /// Entries whose turn comes next.
        var waiting: [ChannelEntry] = []
        var isStopped = false
    }

    private let store: Store
    private let clock: @Sendable () -> Int64
    private let state = Mutex(State())

    init(store: Store, clock: @escaping @Sendable () -> Int64) {
        self.store = store
        self.clock = clock
    }

    /// Of the entry that is tried now, or was last; nil before the first.
    public var progress: Progress? { state.withLock { $0.progress } }

    /// Tries an entry now.
    ///
    /// - Returns: false when another is being tried.
    public func start(_ entry: ChannelEntry) -> Bool {
        let isFree = state.withLock { $0.begin(entry, at: clock()) }
        if isFree { runSlice(of: entry.id, after: nil) }
        return isFree
    }

    /// Tries an entry as soon as no other is being tried.
    func add(_ entry: ChannelEntry) {
        let isFree = state.withLock { state in
            if state.begin(entry, at: clock()) { return true }
            state.waiting.removeAll { $0.id == entry.id }
            state.waiting.append(entry)
            return false
        }
        if isFree { runSlice(of: entry.id, after: nil) }
    }

    /// Ends with the slice that is under way.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.waiting = []
        }
    }

    /// - Parameter row: the log's number of the last packet of the slice before; nil begins.
    private func runSlice(of entry: Int64, after row: Int64?) {
        // A change can run twice, when the disk fails under it; the last time counts.
        let slice = Mutex(Slice())
        store.enqueue(
            .immediate,
            { [clock] writer in
                let done = try Slice(of: entry, after: row, writer, at: clock())
                slice.withLock { $0 = done }
            },
            done: { [self] result in ended(slice.withLock { $0 }, result, of: entry) })
    }

    /// On the writer thread.
    private func ended(_ slice: Slice, _ result: Result<Void, any Error>, of entry: Int64) {
        let (hasMore, next) = state.withLock { state -> (Bool, ChannelEntry?) in
            guard case .success = result else {
                if case .failure(let error) = result { state.end(.failed, at: clock(), error: "\(error)") }
                return (false, state.takeNext(at: clock()))
            }
            state.add(slice)
            if slice.last != nil, !state.isStopped { return (true, nil) }
            state.end(.completed, at: clock())
            return (false, state.takeNext(at: clock()))
        }
        if hasMore { return runSlice(of: entry, after: slice.last) }
        if let next { runSlice(of: next.id, after: nil) }
    }
}

extension Redecryption.State {
    fileprivate mutating func begin(_ entry: ChannelEntry, at now: Int64) -> Bool {
        guard progress?.isRunning != true, !isStopped else { return false }
        progress = Redecryption.Progress(entry: entry.id, name: entry.name, startedAt: now)
        return true
    }

    fileprivate mutating func add(_ slice: Slice) {
        progress?.status = .running
        if let total = slice.total { progress?.total = total }
        progress?.processed += slice.processed
        progress?.decrypted += slice.decrypted
    }

    fileprivate mutating func end(_ status: Redecryption.Progress.Status, at now: Int64, error: String? = nil) {
        progress?.status = status
        progress?.error = error
        progress?.completedAt = now
    }

    fileprivate mutating func takeNext(at now: Int64) -> ChannelEntry? {
        guard let next = waiting.first, begin(next, at: now) else { return nil }
        return waiting.removeFirst()
    }
}

/// A run of encrypted packets of the log, tried with one entry's key.
private struct Slice: Sendable {
    /// Counted by the first one.
    var total: Int?
    var processed = 0
    var decrypted = 0
    /// The log's number of the last packet; nil when there are no more.
    var last: Int64?

    init() {}

    /// On the writer thread. An entry that is gone, or switched off meanwhile, has nothing more to try.
    init(of entry: Int64, after row: Int64?, _ writer: Writer, at now: Int64) throws {
        guard let entry = try writer.channelEntry(entry), entry.isEnabled, let key = ChannelEntryKey(entry) else {
            return
        }
        if row == nil { total = try writer.encryptedPacketCount() }
        let packets = try writer.encryptedPackets(after: row ?? 0, limit: Redecryption.sliceSize)
        let numbers = try writer.sources().map { ($0.0, $0.1.nodeNumber) }
        for (source, logged) in packets {
            // Only a radio with a number has logged anything.
            guard let own = numbers.first(where: { $0.0 == source })?.1,
                let packet = key.decrypt(logged.packet, own: own)
            else { continue }
            try writer.replaceLogged(logged.id, with: packet, decryptedWith: entry.id)
            try Ingest(own: own, now: logged.at, decryptedWith: entry.id, foundAt: now)
                .applyBelated(packet, to: writer, in: source)
            decrypted += 1
        }
        if decrypted > 0 { try writer.countDecrypted(decrypted, with: entry.id, at: now) }
        processed = packets.count
        last = packets.count < Redecryption.sliceSize ? nil : packets.last?.packet.id
    }
}

import Gateway
import Glibc
import Log
import MeshModel
import MeshProtocol
import Platform
import RadioLink
import Store
import Synchronization

/// Runs a recording through a gateway: link, session, domain and database are the daemon's own, and so is what the API
/// answers afterwards.
///
/// Time is the recording's: what is stored is stored at the moment at which it was recorded, whenever and however fast it
/// is replayed. Ids are drawn from a seed. So the answers are the same every time. What the gateway does by itself after a
/// while is left out: it repeats no text, and gives none up that the recording says nothing of.
public final class Replay {
    public struct Options: Sendable {
        /// Host milliseconds since 1970 at which the recording is to begin; nil: when it did, as far as it says.
        public var startsAt: Int64?
        /// Times as fast as it was recorded; nil: as fast as it goes.
        public var speed: Double?
        /// Called between the recorded moments, in seconds since the beginning.
        public var progress: @Sendable (_ seconds: Double) -> Void = { _ in }

        public init() {}
    }

    public let recording: Recording
    public let gateway: Gateway
    public let store: Store
    /// What time it is in the replay, in host milliseconds since 1970.
    public let clock: @Sendable () -> Int64
    /// Host milliseconds since 1970 at which the recording begins.
    public let startedAt: Int64
    private let options: Options
    private let side: SocketSide
    private let time: VirtualTime
    /// The link holds it weakly.
    private let timeless: TimelessGateway
    private let realStart = MonotonicClock.nanoseconds()

    /// The beginning of a recording that does not say when it was: 2026-01-01.
    static let anyStart: Int64 = 1_767_225_600_000
    static let sourceUUID = "00000000-0000-4000-8000-000000000000"

    /// - Parameter store: an empty one; stays open.
    public init(_ recording: Recording, into store: Store, _ options: Options = Options()) throws {
        self.recording = recording
        self.store = store
        self.options = options
        startedAt = options.startsAt ?? recording.startedAt ?? Self.anyStart
        let time = VirtualTime(startsAt: startedAt)
        self.time = time
        clock = { time.milliseconds }
        try store.commit { writer in
            let dice = Dice()
            writer.random = { dice.next() }
            _ = try writer.insert(
                Source(uuid: Self.sourceUUID, name: "Recording", isEnabled: true, createdAt: time.milliseconds))
        }
        let side = SocketSide()
        self.side = side
        let timeless = TimelessGateway()
        self.timeless = timeless
        gateway = try Gateway(
            store: store, pace: SendingPace(text: 0, traceroute: 0, request: 0), clock: clock,
            monotonic: { TimelessGateway.now },
            logger: .silent
        ) { radio in
            timeless.use(radio)
            let link = RadioLink(
                address: .connection(name: "recording"), connect: { try side.connect() }, tap: side,
                // Without a sane clock the session would not set the radio's.
                wallClock: { max(time.milliseconds, Self.anyStart) / 1000 }, delegate: timeless)
            side.use(link)
            return link
        }
    }

    /// Plays all of it. Once.
    ///
    /// - Throws: a ``RecordingError``.
    public func run() throws {
        gateway.start()
        defer { gateway.stop() }
        try ReplayedRadio(recording, at: side, to: self).play()
        try timeIs(recording.duration)
        try store.commit { _ in }
    }
}

extension Replay: ReplayListener {
    public func post(_ packet: MeshPacket, replyingTo: PacketID?) throws -> PacketID? {
        guard let text = packet.postedText, let data = packet.decoded else { return nil }
        let source = try store.read { try $0.sources().preferred }
        guard let source else { return nil }
        let outgoing = OutgoingText(
            parts: [text], destination: packet.to.isBroadcast ? .channel(Int(packet.channel)) : .node(packet.to),
            replyID: replyingTo, isTapback: data.emoji != 0 && replyingTo != nil)
        do {
            return try gateway.send(outgoing, by: .cli, to: source.0).first?.packetID
        } catch {
            if case .storage(let reason) = error { throw RecordingError.replay(reason) }
            return nil
        }
    }

    public func awaitRead(_ count: UInt64) throws {
        try side.awaitTaken(count)
        // Changes are made in the order in which they were handed over; this one is made behind them.
        let done = Monitor(false)
        store.enqueue(.grouped, { _ in done.notify { $0 = true } }, done: { _ in done.notify { $0 = true } })
        _ = done.wait(seconds: 20) { $0 ? true : nil }
    }

    public func timeIs(_ seconds: Double) throws {
        if let speed = options.speed {
            let due = realStart + MonotonicTime(min(seconds / speed * 1e9, 9e18))
            let now = MonotonicClock.nanoseconds()
            if due > now { sleep(nanoseconds: due - now) }
        }
        time.advance(toSeconds: seconds)
        options.progress(seconds)
    }

    private func sleep(nanoseconds: MonotonicTime) {
        // Signals are somebody else's here; should one come all the same, the replay is a little ahead.
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        nanosleep(&time, nil)
    }
}

/// The time of a replay.
final class VirtualTime: Sendable {
    private let start: Int64
    private let now: Mutex<Int64>

    init(startsAt start: Int64) {
        self.start = start
        now = Mutex(start)
    }

    var milliseconds: Int64 { now.withLock { $0 } }

    func advance(toSeconds seconds: Double) {
        let new = start + Int64(max(0, seconds) * 1000)
        now.withLock { $0 = max($0, new) }
    }
}

/// The same numbers every time (SplitMix64).
final class Dice: Sendable {
    private let state = Mutex<UInt64>(0x6D65_7368)

    func next() -> UInt32 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return UInt32(truncatingIfNeeded: mixed ^ (mixed >> 31))
        }
    }
}

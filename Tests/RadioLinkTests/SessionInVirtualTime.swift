import MeshModel
import MeshProtocol
import RadioLink
import Synchronization

/// Plays a radio and a clock against a session: nothing here takes time.
struct SessionInVirtualTime {
    var session: RadioSession
    var now: MonotonicTime = 1_000 * second
    var events: [RadioEvent] = []
    var reopened: [Problem] = []
    /// What became of questions, by their tokens.
    var outcomes: [(token: Int, outcome: AdminOutcome)] = []
    /// What the session wrote, in order; wake-up bytes appear as their number.
    var sent: [Sent] = []
    /// Packets that the delegate would like to send.
    var outgoing: [MeshPacket] = []
    var answers = RadioAnswers()

    struct Sent: Equatable {
        enum What: Equatable { case wakeUp(Int), message(ToRadio) }
        var what: What
        var at: MonotonicTime
    }

    static let second: MonotonicTime = 1_000_000_000

    /// Goes on with the time, and can be set.
    let host: Clock

    init(wallClock: Int64 = 1_790_000_000) { self.init(clock: Clock(seconds: wallClock)) }

    init(clock: Clock) {
        host = clock
        session = RadioSession(pace: .serial, wallClock: { clock.now }, random: { 0x00C0_FFEE })
        session.begin(at: now)
        pump()
    }

    /// Hands over everything that is due now.
    mutating func pump() {
        session.expire(at: now)
        collect()
        while let frame = session.nextFrame(
            at: now,
            offer: { room in
                if outgoing.isEmpty { return .wait(until: nil) }
                return room <= 2 ? .waitForRoom : .send(outgoing.removeFirst())
            })
        {
            let what: Sent.What
            if frame.bytes.allSatisfy({ $0 == 0xC3 }) {
                what = .wakeUp(frame.bytes.count)
            } else {
                precondition(Array(frame.bytes.prefix(2)) == [0x94, 0xC3])
                what = .message(frame.bytes[4...].withUnsafeBytes { ToRadio(decoding: $0)! })
            }
            sent.append(Sent(what: what, at: now))
        }
        collect()
    }

    private mutating func collect() {
        for output in session.drain() {
            switch output {
            case .event(let event): events.append(event)
            case .reopen(let problem): reopened.append(problem)
            case .answered(let token, let outcome): outcomes.append((token, outcome))
            }
        }
    }

    /// Lets time pass, from deadline to deadline.
    mutating func advance(seconds: Double) {
        let end = now + MonotonicTime(seconds * Double(Self.second))
        while let deadline = session.deadline(canWrite: true), deadline <= end {
            now = max(now, deadline)
            host.pass(until: now)
            pump()
        }
        now = end
        host.pass(until: now)
        pump()
    }

    mutating func receive(_ messages: FromRadio...) {
        for message in messages { session.receive(message, raw: message.encoded(), at: now) }
        pump()
    }

    mutating func receive(text: String) {
        session.receive(text: text, at: now)
        pump()
    }

    /// The radio answers the last want_config, without what `without` holds.
    mutating func answer(without isMissing: (FromRadio) -> Bool = { _ in false }) {
        advance(seconds: 0.5)
        for message in answers.handshake(lastNonce!) where !isMissing(message) { receive(message) }
    }

    /// Until the session is live.
    mutating func goLive() {
        while !isLive { answer() }
        advance(seconds: 1)
    }

    var nonces: [UInt32] {
        sent.compactMap { if case .message(.wantConfig(let nonce)) = $0.what { nonce } else { nil } }
    }
    var lastNonce: UInt32? { nonces.last }
    var messages: [ToRadio] {
        sent.compactMap { if case .message(let message) = $0.what { message } else { nil } }
    }
    var packets: [MeshPacket] {
        messages.compactMap { if case .packet(let packet) = $0 { packet } else { nil } }
    }
    var heartbeats: [Sent] {
        sent.filter { if case .message(.heartbeat) = $0.what { true } else { false } }
    }
    var states: [LinkState] { events.compactMap { if case .state(let state) = $0 { state } else { nil } } }
    var isLive: Bool { states.last == .live }
    var snapshots: [RadioSnapshot] {
        events.compactMap { if case .configured(let snapshot) = $0 { snapshot } else { nil } }
    }
    var reboots: [String] { events.compactMap { if case .rebooted(let reason) = $0 { reason } else { nil } } }
    var problems: [String] { events.compactMap { if case .problem(let problem) = $0 { problem.name } else { nil } } }
    var solved: [String] { events.compactMap { if case .solved(let problem) = $0 { problem.name } else { nil } } }
    var received: [FromRadio] {
        events.compactMap { if case .received(let message, _) = $0 { message } else { nil } }
    }

    /// Forgets what has happened so far.
    mutating func forget() {
        events = []
        sent = []
    }
}

/// The host's clock, which can be set.
final class Clock: Sendable {
    /// Seconds since 1970 at a moment, and that moment; nil: time has not begun to pass.
    private let state: Mutex<(seconds: Int64, at: MonotonicTime?, passed: Int64)>
    init(seconds: Int64) { state = Mutex((seconds, nil, 0)) }
    var now: Int64 { state.withLock { $0.seconds + $0.passed } }
    func set(_ new: Int64) { state.withLock { $0.seconds = new - $0.passed } }

    func pass(until now: MonotonicTime) {
        state.withLock { state in
            let start = state.at ?? now
            state.at = start
            state.passed = Int64((now - start) / SessionInVirtualTime.second)
        }
    }
}

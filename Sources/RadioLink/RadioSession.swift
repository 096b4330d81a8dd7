import MeshModel
import MeshProtocol

/// One radio's session: what to say to it, when, and what its answers mean. A value without input, output or a clock.
///
/// The problem. A radio says nothing before it is asked for its settings; what it then sends can be stale, can have
/// holes (2.7 prints log text into its frames), can stop in the middle, and nothing says so. It reboots without a word
/// (2.8 never sends `rebooted` over USB), after which it answers heartbeats as before but holds back every packet until
/// it is asked for its settings again. Some radios pause for 20 s at a time (ESP32-S3 native USB), so silence proves
/// little. Hence the rules (SerialReference 1.7, 2.2, 2.3, 2.5, 14.18 and 14.21):
///
/// 1. Two stages, each a heartbeat and a want_config: 69420 (settings), then 69421 (nodes). The first counts only after
///    a my_info since we asked; a config_complete_id other than ours is somebody's leftover.
/// 2. A stage with missing parts is asked again, three times; then we live with what there is and say so.
/// 3. A stage that stalls for 30 s falls back to a random nonce, which brings everything; three stalls reopen the port.
/// 4. Boot text or a `rebooted` frame starts over, once the radio has been quiet for a moment.
/// 5. A heartbeat a minute. Two missing answers, from a radio that used to answer, start over. Nothing below 25 s is
///    a missing answer.
/// 6. A my_info with another number, in the middle of a session, starts over.
/// 7. After four minutes without a packet we ask the radio for its metadata: the answer is a packet, and a radio that
///    owes it has closed our session.
///
/// The owner feeds in messages, text and time, takes ``drain()``'s outputs, and asks ``nextFrame(at:offer:)`` for bytes
/// whenever it can write.
public struct RadioSession: Sendable {
    public enum Output: Sendable {
        case event(RadioEvent)
        /// Close the port and open it again: nothing else helps.
        case reopen(Problem)
        /// What became of the question with this token.
        case answered(Int, AdminOutcome)
    }

    /// Bytes to write as one, whole: the radio has no timeout inside a frame, so a frame that is cut swallows the next.
    public struct Frame: Hashable, Sendable {
        public var bytes: [UInt8]
        /// Of a packet from the delegate.
        public var packetID: PacketID?
    }

    /// How fast frames may follow each other.
    public enum Pace: Sendable {
        /// 25 ms after the last byte has left at 115200 baud: slow boards have a small receive buffer.
        case serial
        case unlimited
    }

    enum Phase: Equatable {
        case idle
        /// The radio has just rebooted and is left alone until it is quiet.
        case rebooting(since: MonotonicTime, requestAt: MonotonicTime)
        case configuring(Request)
        /// A locked radio is asked again now and then.
        case locked(askAt: MonotonicTime)
        case live
    }

    /// One want_config that waits for its config_complete_id.
    struct Request: Equatable {
        enum Scope { case settings, nodes, everything }
        var scope: Scope
        var nonce: UInt32
        var sawMyInfo = false
        var sawOwnNode = false
        var sawAnyPart = false
        /// No part of a handshake for 30 s.
        var stallsAt: MonotonicTime
        /// 60 s for the settings, 300 s for nodes.
        var endsAt: MonotonicTime
        /// Nothing at all yet: the radio may have been starting when we asked.
        var repeatAt: MonotonicTime
    }

    enum ToWrite { case wakeUp(count: Int), message(ToRadio) }

    static let second: MonotonicTime = 1_000_000_000
    /// Longer than the 20 s pauses of ESP32-S3 native USB.
    static let patience = 30 * second

    let pace: Pace
    /// Seconds since 1970.
    let wallClock: @Sendable () -> Int64
    let random: @Sendable () -> UInt32

    var phase = Phase.idle
    var outputs: [Output] = []
    var toWrite: [ToWrite] = []
    var writableAt: MonotonicTime = 0

    var handshake = ReceivedHandshake()
    var stalls = 0
    var repeats = 0
    /// What arrives before we know whose it is.
    var held: [RadioEvent] = []
    var isIdentified = false
    /// No frame has come since the last sign of a reboot: another sign belongs to the same one.
    var isStarting = false
    /// Since the handshake began.
    var sawFrame = false
    var sawLogLine = false
    /// Since the port was opened: what only Meshtastic firmware writes by itself.
    var sawFirmware = false

    var live = LiveWatch()
    var outbox = RadioQueue()
    var admin = AdminCalls()
    var watch = SessionWatch()

    /// Goes into the snapshots.
    var usbSerial: String?

    /// The last settings that came complete; kept while the radio is away.
    public internal(set) var snapshot: RadioSnapshot?
    /// The last complete handshake, payloads in the radio's order, as others may be told them, and without
    /// config_complete_id, until they are taken.
    public internal(set) var handshakeFrames: [[UInt8]] = []
    /// What is wrong although the session goes on.
    public internal(set) var problems: [Problem] = []

    public init(
        pace: Pace, wallClock: @escaping @Sendable () -> Int64,
        random: @escaping @Sendable () -> UInt32 = { .random(in: .min ... .max) }
    ) {
        self.pace = pace
        self.wallClock = wallClock
        self.random = random
    }

    /// The port is open.
    ///
    /// - Parameters:
    ///   - isDirty: somebody may have left half a frame in the radio's parser.
    ///   - usbSerial: goes into the snapshots.
    public mutating func begin(at now: MonotonicTime, isDirty: Bool = false, usbSerial: String? = nil) {
        precondition(phase == .idle, "a session begins on a freshly opened port")
        self.usbSerial = usbSerial
        isStarting = false
        isIdentified = false
        forgetSettingProblems()
        expireProblems(at: now)
        // A radio on native USB takes its port with it when it restarts.
        if watch.wasCut, case .serial = pace { countRestart(at: now) }
        watch.wasCut = false
        watch.fruitlessProbes = 0
        sawFirmware = false
        live = LiveWatch(answersAdmin: live.answersAdmin)
        outbox = RadioQueue()
        writableAt = now
        startHandshake(at: now, wakeUp: isDirty ? .wholeFrame : .usual)
    }

    /// The port is gone, or about to be closed.
    ///
    /// - Parameter isCut: it went away by itself, while it was in use.
    public mutating func end(isCut: Bool = false) {
        if phase != .idle {
            watch.wasCut = isCut
            forgetRadioProblems()
        }
        phase = .idle
        endAdminCalls(all: true)
        toWrite = []
        held = []
    }

    /// Takes the outputs since the last call, in order.
    public mutating func drain() -> [Output] {
        defer { outputs = [] }
        return outputs
    }

    public mutating func receive(_ message: FromRadio, raw: [UInt8], at now: MonotonicTime) {
        guard phase != .idle else { return }
        if message == .rebooted {
            sawFirmware = true
            hearReboot("`rebooted` frame", at: now)
            return handOn(message, raw: raw)
        }
        sawFrame = true
        isStarting = false
        if case .packet = message {
            watch.fruitlessProbes = 0
            solve(.packetsWithheld)
        }
        switch phase {
        case .idle, .rebooting: if !isSetting(message) { handOn(message, raw: raw) }
        case .configuring(let request): receive(message, raw: raw, during: request, at: now)
        case .locked: receiveWhileLocked(message, raw: raw, at: now)
        case .live: receiveLive(message, raw: raw, at: now)
        }
    }

    /// The last complete handshake, which need not be kept here any longer.
    mutating func takeHandshake() -> [[UInt8]] {
        defer { handshakeFrames = [] }
        return handshakeFrames
    }

    /// A line of debug output, without its line end.
    public mutating func receive(text line: String, at now: MonotonicTime) {
        guard phase != .idle else { return }
        if !sawLogLine, RebootText.isLogLine(line) { (sawLogLine, sawFirmware) = (true, true) }
        if let reason = RebootText.reason(in: line) {
            hearReboot(reason, at: now)
        } else if case .rebooting(let since, _) = phase {
            phase = .rebooting(since: since, requestAt: settledTime(since: since, at: now))
        }
    }

    /// Does what is due. To be called when ``deadline(canWrite:)`` has come; sooner does no harm.
    public mutating func expire(at now: MonotonicTime) {
        guard phase != .idle else { return }
        expireProblems(at: now)
        expireAdminCalls(at: now)
        switch phase {
        case .idle: break
        case .rebooting(_, let requestAt): if now >= requestAt { startHandshake(at: now, wakeUp: .usual) }
        case .configuring(let request): expire(request, at: now)
        case .locked(let askAt): if now >= askAt { startHandshake(at: now, wakeUp: .usual) }
        case .live: expireLive(at: now)
        }
    }

    /// When ``expire(at:)`` or, if `canWrite`, ``nextFrame(at:offer:)`` has something to do.
    public func deadline(canWrite: Bool) -> MonotonicTime? {
        var times: [MonotonicTime?] = []
        switch phase {
        case .idle: return nil
        case .rebooting(_, let requestAt): times = [requestAt]
        case .configuring(let request): times = [request.stallsAt, request.endsAt, request.repeatAt]
        case .locked(let askAt): times = [askAt]
        case .live: times = [live.deadline]
        }
        times.append(watch.deadline)
        if !admin.waiting.isEmpty { times.append(admin.deadline) }
        if canWrite, !toWrite.isEmpty {
            times.append(writableAt)
        } else if canWrite, phase == .live, let askAt = outbox.nextAsk {
            times.append(max(writableAt, askAt))
        }
        return times.compactMap(\.self).min()
    }

    /// Says good-bye, so that the radio keeps what arrives meanwhile (SerialReference 14.11).
    public static let disconnectFrame = StreamFrame.encode(ToRadio.disconnect.encoded())
}

// MARK: Handing on

extension RadioSession {
    mutating func emit(_ event: RadioEvent) { outputs.append(.event(event)) }

    /// Before the radio has said who it is, what it sends cannot be filed under any radio and waits.
    mutating func handOn(_ message: FromRadio, raw: [UInt8]) {
        let event = RadioEvent.received(message, raw: withoutSecrets(message, raw: raw))
        if isIdentified {
            emit(event)
        } else if held.count < 1000 {
            held.append(event)
        }
    }

    /// The frame without what its decoded message lacks already; but what another node says to who administers it through
    /// this radio is left whole, for the one listener who hands it on.
    func withoutSecrets(_ message: FromRadio, raw: [UInt8]) -> [UInt8] {
        switch message {
        case .config, .moduleConfig, .logRecord, .other(17): Redaction.fromRadioFrame(raw)
        case .packet(let packet) where isOfAdministeredNode(packet): Redaction.fromAdministeredNode(raw)
        case .packet(let packet) where packet.decoded?.port == .admin: Redaction.fromRadioFrame(raw)
        default: raw
        }
    }

    private func isOfAdministeredNode(_ packet: MeshPacket) -> Bool {
        guard packet.decoded?.port == .admin, isIdentified, let own = snapshot?.number else { return false }
        return packet.to == own && packet.from != own
    }

    /// The part of a handshake as others may be told it.
    func told(_ message: FromRadio, raw: [UInt8]) -> [UInt8] {
        switch message {
        case .config, .moduleConfig, .other(17): Redaction.toldFromRadio(raw)
        default: raw
        }
    }

    /// Messages that reach the delegate only as part of a complete snapshot.
    func isSetting(_ message: FromRadio) -> Bool {
        switch message {
        case .myInfo, .metadata, .channel, .config, .moduleConfig, .configComplete: true
        case .other(let variant): variant == 15 || variant == 17 || variant == 19
        default: false
        }
    }
}

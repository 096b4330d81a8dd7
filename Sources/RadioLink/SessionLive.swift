import MeshModel
import MeshProtocol

/// What a live session waits for: heartbeats, their answers, the probe, the clock.
struct LiveWatch: Sendable {
    static let heartbeatInterval = 60 * RadioSession.second
    static let packetPatience = 240 * RadioSession.second

    var heartbeatAt: MonotonicTime = .max
    var answerDue: MonotonicTime?
    var missedAnswers = 0
    /// Firmware before 2.7.4 never answers a heartbeat.
    var answersHeartbeats = false

    var probeAt: MonotonicTime = .max
    var probeDue: MonotonicTime?
    var probeID: PacketID?
    /// Some builds of 2.8 lose the answers to local admin packets. A matter of the firmware: it outlives the port.
    var answersAdmin = false
    /// We gave the radio a packet and no packet has come since.
    var hasPacketWaiting = false

    var clockAt: MonotonicTime = .max
    var clockID: PacketID?
    /// What the radio was told last, in seconds since 1970, and when.
    var toldTime: (time: Int64, at: MonotonicTime)?
    /// Seconds, from the radio's own telemetry.
    var uptime: Double?

    mutating func begin(at now: MonotonicTime) {
        heartbeatAt = now + Self.heartbeatInterval
        answerDue = nil
        missedAnswers = 0
        probeAt = now + Self.packetPatience
        probeDue = nil
        hasPacketWaiting = false
        clockAt = now
        toldTime = nil
        uptime = nil
    }

    mutating func heartbeatWasWritten(at now: MonotonicTime) {
        answerDue = now + RadioSession.patience
    }

    var deadline: MonotonicTime {
        min(heartbeatAt, answerDue ?? .max, probeDue ?? probeAt, clockAt)
    }
}

/// The radio's transmit queue as far as it lets us see it (SerialReference 2.6): one queueStatus for most packets, in
/// any order, sometimes none.
struct RadioQueue: Sendable {
    private static let maximumOutstanding = 4
    private static let reserve = 2
    /// Until a full radio is asked how much room it has: by then a packet may have left (SerialReference 8.2).
    static let roomQuestionInterval = 2500 * RadioSession.second / 1000
    /// How long a packet leaves the reserved places to others. A busy repeater never says more than one or two, and what a
    /// person writes must not wait for it for ever.
    private static let reserveLasts = 8 * RadioSession.second

    /// When to ask the delegate; nil: after the next wake.
    var askAt: MonotonicTime? = 0
    /// 16 places on every board.
    private(set) var free = 16
    private var handed: [(id: PacketID, forgetAt: MonotonicTime)] = []
    private var fullUntil: MonotonicTime = 0
    /// Since when the radio is full, as it has told or was asked last.
    private var fullSince: MonotonicTime = 0
    /// Since when a packet waits for more than the reserved places; nil: none does.
    private var waitsSince: MonotonicTime?

    mutating func begin() {
        askAt = 0
        handed = []
        fullUntil = 0
        fullSince = 0
        waitsSince = nil
    }

    mutating func hand(_ id: PacketID, at now: MonotonicTime) {
        handed.removeAll { $0.forgetAt <= now }
        handed.append((id, now + RadioSession.patience))
        free = max(0, free - 1)
        fullUntil = now + RadioSession.patience
        fullSince = now
        waitsSince = nil
        askAt = now
    }

    mutating func hear(_ status: QueueStatus, at now: MonotonicTime) {
        handed.removeAll { $0.id == status.packetID || $0.forgetAt <= now }
        // What was handed after the packet or the heartbeat that this answers was not in the queue yet.
        free = max(0, Int(min(status.free, 1000)) - handed.count)
        if free <= Self.reserve {
            fullUntil = now + RadioSession.patience
            fullSince = now
        } else {
            waitsSince = nil
            askAt = 0
        }
    }

    /// Places that are free, as far as the radio has told. Answers get lost, and firmware before 2.7.4 gives none to a
    /// heartbeat: nothing waits for one forever.
    func room(at now: MonotonicTime) -> Int {
        let takesReserve = free > 0 && waitsSince.map { now >= $0 + Self.reserveLasts } ?? false
        return now >= fullUntil || takesReserve ? max(free, Self.reserve + 1) : free
    }

    /// Something waits for room. Whether the radio is to be asked for it now; otherwise that is looked at again in time.
    mutating func isToAskForRoom(at now: MonotonicTime) -> Bool {
        let isDue = now >= fullSince + Self.roomQuestionInterval
        if isDue { fullSince = now }
        let since = waitsSince ?? now
        waitsSince = since
        let reserveEnds = since + Self.reserveLasts
        let askAgain = fullSince + Self.roomQuestionInterval
        askAt = reserveEnds > now ? min(askAgain, reserveEnds) : askAgain
        return isDue
    }

    /// When the next packet may go although those before were not answered for.
    private var roomAt: MonotonicTime {
        guard handed.count >= Self.maximumOutstanding else { return 0 }
        return handed[handed.count - Self.maximumOutstanding].forgetAt
    }

    var nextAsk: MonotonicTime? { askAt.map { max($0, roomAt) } }

    func mayAsk(at now: MonotonicTime) -> Bool { nextAsk.map { $0 <= now } ?? false }
}

extension RadioSession {
    private static let clockInterval = 12 * 3600 * second
    /// Seconds. The monotonic clock stands while the host sleeps, which is told like a leap: that does no harm.
    private static let clockTolerance: Int64 = 10
    /// 2026-01-01: a host without a battery-backed clock starts in 1970 or at its image's date.
    private static let sanestOldTime: Int64 = 1_767_225_600

    mutating func receiveLive(_ message: FromRadio, raw: [UInt8], at now: MonotonicTime) {
        live.answerDue = nil
        live.missedAnswers = 0
        switch message {
        case .queueStatus(let status): noteQueue(status, at: now)
        case .packet(let packet):
            live.probeAt = now + LiveWatch.packetPatience
            live.probeDue = nil
            live.hasPacketWaiting = false
            if answersOurs(packet, raw: raw, at: now) { return }
            if answersUnderNewNumber(packet, raw: raw, at: now) { return startHandshake(at: now, wakeUp: .usual) }
            if hasRestarted(packet) {
                handOn(message, raw: raw)
                emit(.rebooted("its uptime went back"))
                countRestart(at: now)
                return startHandshake(at: now, wakeUp: .usual)
            }
            if showsRegion(packet, at: now) {
                handOn(message, raw: raw)
                return startHandshake(at: now, wakeUp: .usual)
            }
        case .lockdownStatus(let status) where status.isLocked:
            handOn(message, raw: raw)
            return startHandshake(at: now, wakeUp: .usual)
        case .myInfo(let info) where info.number != snapshot?.number:
            // It has a new key, and 2.8 makes the number from that: nothing may go out under the old one any more. Counted
            // like a restart, so that a radio that does so again and again is noticed.
            countRestart(at: now)
            return startHandshake(at: now, wakeUp: .usual)
        default: break
        }
        if !isSetting(message) { handOn(message, raw: raw) }
    }

    mutating func noteQueue(_ status: QueueStatus, at now: MonotonicTime) {
        outbox.hear(status, at: now)
        // Id 0 is also told when a full queue has room again, but by the same firmware.
        if status.packetID == 0 { live.answersHeartbeats = true }
    }

    /// Whether this is the answer to our probe or to a question, of interest to nobody else. The answer to the clock is
    /// handed on like any other packet, but shows as well that this radio answers.
    private mutating func answersOurs(_ packet: MeshPacket, raw: [UInt8], at now: MonotonicTime) -> Bool {
        guard isOwn(packet), let data = packet.decoded, data.requestID != 0 else { return false }
        if takeAnswer(packet, data, raw: raw, at: now) {
            live.answersAdmin = true
            return true
        }
        if data.requestID == live.clockID { live.answersAdmin = true }
        guard data.requestID == live.probeID else { return false }
        live.answersAdmin = true
        return true
    }

    /// With its first region a radio with firmware 2.8 makes its key pair and of that its number, and answers the order under
    /// it; my_info does not say so (firmware issue 11718). An order to the old number would be for another node.
    private mutating func answersUnderNewNumber(_ packet: MeshPacket, raw: [UInt8], at now: MonotonicTime) -> Bool {
        guard has(.regionUnset), packet.rxRSSI == nil, !packet.viaMQTT, let data = packet.decoded, data.port == .routing
        else { return false }
        return takeAnswer(packet, data, raw: raw, at: now)
    }

    /// From the radio itself. What bears its number but was heard on the air is forged (SerialReference 14.6).
    private func isOwn(_ packet: MeshPacket) -> Bool { packet.from == snapshot?.number && packet.rxRSSI == nil }

    private mutating func hasRestarted(_ packet: MeshPacket) -> Bool {
        guard isOwn(packet), let data = packet.decoded, data.port == .telemetry,
            case .telemetry(let telemetry) = PacketContent(data), let uptime = telemetry["uptimeSeconds"]
        else { return false }
        defer { live.uptime = uptime }
        return live.uptime.map { uptime < $0 } ?? false
    }

    /// What comes over the air comes to a radio with a region: it was set meanwhile, and 2.8 does so without a restart.
    private mutating func showsRegion(_ packet: MeshPacket, at now: MonotonicTime) -> Bool {
        guard packet.rxRSSI != nil, has(.regionUnset), now >= watch.refreshAfter else { return false }
        watch.refreshAfter = now + 600 * Self.second
        return true
    }

    mutating func expireLive(at now: MonotonicTime) {
        if let due = live.answerDue, now >= due {
            live.answerDue = nil
            live.missedAnswers += 1
            live.heartbeatAt = now
            if live.missedAnswers >= 2, live.answersHeartbeats {
                return startHandshake(at: now, wakeUp: .wholeFrame)
            }
        }
        if let due = live.probeDue, now >= due {
            live.probeDue = nil
            live.probeAt = now + LiveWatch.packetPatience
            if live.answersAdmin || live.hasPacketWaiting {
                watch.fruitlessProbes += 1
                if watch.fruitlessProbes > 1 { note(.packetsWithheld) }
                return startHandshake(at: now, wakeUp: .wholeFrame)
            }
        } else if live.probeDue == nil, now >= live.probeAt {
            probe(at: now)
        }
        if now >= live.heartbeatAt {
            live.heartbeatAt = now + LiveWatch.heartbeatInterval
            toWrite.append(.message(.heartbeat(nonce: 0)))
            if isToldTimeWrong(at: now) { live.clockAt = now }
        }
        if now >= live.clockAt { setClock(at: now) }
    }

    /// Asks the radio itself for its metadata (get_device_metadata_request, field 12): no airtime, and the answer is a
    /// packet, which a radio that has lost our session holds back.
    private mutating func probe(at now: MonotonicTime) {
        live.probeDue = now + Self.patience
        live.probeID = ask([12 << 3, 1])
    }

    /// The host's clock was set since: packets would seem to be hours old, or to come from the future.
    private func isToldTimeWrong(at now: MonotonicTime) -> Bool {
        guard let (time, at) = live.toldTime else { return false }
        return abs(wallClock() - time - Int64((now - at) / Self.second)) > Self.clockTolerance
    }

    private mutating func setClock(at now: MonotonicTime) {
        let time = wallClock()
        guard time >= Self.sanestOldTime, time <= Int64(UInt32.max) else {
            live.clockAt = now + 60 * Self.second
            live.toldTime = nil
            return note(.hostClockUnset)
        }
        solve(.hostClockUnset)
        live.clockAt = now + Self.clockInterval
        live.toldTime = (time, now)
        live.clockID = ask(AdminMessage.setTimeOnly(UInt32(time)).encoded())
    }

    private mutating func ask(_ payload: [UInt8]) -> PacketID? {
        snapshot.map { ask(payload, from: $0.number) }
    }
}

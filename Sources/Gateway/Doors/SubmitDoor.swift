import MeshModel
import MeshProtocol
import RadioLink
import Store
import Synchronization

// A client's packet on its way to the radio. A text becomes a message: its row is on disk before the client is told.
// Any other packet waits in memory alone, in the same queue and at the same pace: a client that asks for something can
// ask again, and what it wanted minutes ago must not go out after a restart. Nothing here waits for the disk.

/// What becomes of a client's packet.
public enum Submission: Hashable, Sendable {
    /// It is taken, under this id; so many places are left to its sender.
    case queued(PacketID, free: Int)
    /// An id that was taken in the last ten minutes, by whomever: it is not sent again, as a radio would not.
    case repeated(free: Int)
    case refused(RoutingError)
}

extension Gateway {
    /// Takes a client's packet for the mesh. Returns at once.
    ///
    /// - Parameters:
    ///   - packet: as the client wrote it. The sender's number is set, what only a radio may say is removed, and an id is
    ///     given when there is none. Without the right to administer it answers nothing, unless it is a request. What the
    ///     client may not put on the air is refused (``AirRule``), and so is what administers a node (``administer(_:by:right:shown:of:done:)``).
    ///   - sender: one of the kind ``Sender/Kind/share`` has the room of a radio: 16 texts that wait and five other packets.
    ///   - done: is called once, on any thread: for a text when it is on disk, for all else at once.
    public func submit(
        _ packet: ClientPacket, by sender: Sender, right: ClientRight, to source: SourceID,
        done: @escaping @Sendable (Submission) -> Void
    ) {
        guard let content = packet.content else { return done(.refused(.badRequest)) }
        guard let rule = AirRule.of(packet, content, right: right) else { return done(.refused(.notAuthorized)) }
        guard let radio = radios.feeding(source) else { return done(.refused(.noInterface)) }
        guard let packet = radio.saying(rule.content, in: packet, of: source) else {
            return done(.refused(.noInterface))
        }
        let sent = right < .admin && rule.form != .request ? packet.answeringNothing : packet
        radio.submit(sent, by: sender, to: source, done: done)
    }

    /// Texts that a sender may still have taken before one is refused. Takes a lock only.
    public func places(for sender: Sender, of source: SourceID) -> Int {
        guard let radio = radios.feeding(source) else { return 0 }
        return radio.state.withLock { max(0, $0.places(for: sender, on: .textMessage)) }
    }
}

/// The ids of packets that clients have sent lately.
struct RecentIDs: Sendable {
    /// Nanoseconds for which an id is known: firmware remembers its last packets for as long.
    private static let lifetime: MonotonicTime = 600_000_000_000
    private static let capacity = 1024
    private var times: [PacketID: MonotonicTime] = [:]

    func contains(_ id: PacketID, at now: MonotonicTime) -> Bool {
        times[id].map { now - min($0, now) < Self.lifetime } ?? false
    }

    mutating func insert(_ id: PacketID, at now: MonotonicTime) {
        if times.count >= Self.capacity { times = times.filter { now - min($0.value, now) < Self.lifetime } }
        // A flood of packets ends the memory of those before it, not of this one.
        if times.count >= Self.capacity { times = [:] }
        times[id] = now
    }

    mutating func remove(_ id: PacketID) { times[id] = nil }
}

extension AttachedRadio {
    /// The packet with what goes out in the place of what its client wrote. Nil: the radio has not said who it is.
    fileprivate func saying(
        _ content: AirRule.Content, in packet: ClientPacket, of source: SourceID
    ) -> ClientPacket? {
        let radio = state.withLock { $0.takesPackets(of: source) ? $0.snapshot : nil }
        switch content {
        case .asWritten: return packet
        case .nothing: return packet.saying([])
        case .ownUser: return (radio?.ownNode?.user).map { packet.saying($0.encoded()) }
        case .ownPosition:
            guard let radio else { return nil }
            let own = try? store.readCommitted { try $0.node(radio.number, in: source) }
            return packet.saying(radio.position(of: own, on: Int(packet.channel), at: clock()).encoded())
        }
    }

    /// Nanoseconds after which a packet without a row is given up.
    private static let volatileLifetime: MonotonicTime = 300_000_000_000

    func submit(
        _ packet: ClientPacket, by sender: Sender, to source: SourceID,
        done: @escaping @Sendable (Submission) -> Void
    ) {
        guard let content = packet.content, packet.to.rawValue != 0 else { return done(.refused(.badRequest)) }
        guard packet.channel < 8 else { return done(.refused(.noChannel)) }
        guard content.payload.count <= ClientPacket.longestPayload else { return done(.refused(.tooLarge)) }
        if content.port.isText {
            submitText(packet, by: sender, to: source, done: done)
        } else {
            let outcome = queueVolatile(packet, by: sender, to: source)
            if case .queued = outcome { wake() }
            done(outcome)
        }
    }

    private func queueVolatile(_ packet: ClientPacket, by sender: Sender, to source: SourceID) -> Submission {
        let now = monotonic()
        return state.withLock { state in
            guard state.takesPackets(of: source), let radio = state.snapshot, !radio.isTransmitDisabled else {
                return .refused(.noInterface)
            }
            let port = packet.content?.port ?? .unknown
            // It was for another node, and the radio has that number now: orders to it do not pass here.
            guard port != .admin || packet.to != radio.number else { return .refused(.notAuthorized) }
            let free = state.places(for: sender, on: port)
            if packet.id != 0, state.recentIDs.contains(packet.id, at: now) { return .repeated(free: max(1, free)) }
            guard free > 0 else { return .refused(.rateLimitExceeded) }
            let id = packet.id == 0 ? PacketID.random(in: 1 ... .max) : packet.id
            let sent = packet.withoutReception.limitingHops().sent(from: radio.number, id: id)
            guard sent.fitsAFrame else { return .refused(.tooLarge) }
            guard let shown = sent.shown else { return .refused(.badRequest) }
            var entry = OutboxQueue.Entry(packet: shown)
            (entry.sender, entry.bytes, entry.isVolatile) = (sender, sent, true)
            entry.deadline = now + Self.volatileLifetime
            state.recentIDs.insert(id, at: now)
            state.outbox.append(entry)
            return .queued(id, free: max(1, free - 1))
        }
    }

    private func submitText(
        _ packet: ClientPacket, by sender: Sender, to source: SourceID,
        done: @escaping @Sendable (Submission) -> Void
    ) {
        let now = monotonic()
        let id = packet.id == 0 ? PacketID.random(in: 1 ... .max) : packet.id
        let refusal = state.withLock { state -> Submission? in
            let free = state.places(for: sender, on: .textMessage)
            if state.recentIDs.contains(id, at: now) { return .repeated(free: max(1, free)) }
            guard free > 0 else { return .refused(.rateLimitExceeded) }
            state.recentIDs.insert(id, at: now)
            state.reserved[sender, default: 0] += 1
            return nil
        }
        if let refusal { return done(refusal) }
        // When the disk fails, the change runs again: the last time counts.
        let accepted = Mutex<AcceptedTexts?>(nil)
        store.enqueue(
            .immediate,
            { [self] writer in
                let texts = try acceptText(packet, under: id, by: sender, writer, in: source)
                accepted.withLock { $0 = texts }
            },
            done: { [self] result in
                let texts = accepted.withLock { $0 }
                if case .success = result, let texts {
                    hasIntroduced(texts.entries, in: source)
                    queue(texts.entries, of: source, session: texts.session)
                }
                let free = state.withLock { state in
                    let left = (state.reserved[sender] ?? 1) - 1
                    state.reserved[sender] = left > 0 ? left : nil
                    if case .failure = result { state.recentIDs.remove(id) }
                    return max(1, state.places(for: sender, on: .textMessage))
                }
                switch result {
                case .success: done(.queued(id, free: free))
                case .failure(let error): done(Self.submission(after: error, free: free))
                }
            })
    }

    private static func submission(after error: any Error, free: Int) -> Submission {
        switch error {
        case is UsedPacketID: .repeated(free: free)
        // Never sent under another key instead.
        case SendRefusal.keyInDoubt: .refused(.pkiFailed)
        case is SendRefusal: .refused(.noInterface)
        case is UnreadableText: .refused(.badRequest)
        default: .refused(.noInterface)
        }
    }

    /// The id was used for another packet, maybe long ago: nodes would drop it, and a key stream must not be used twice.
    private struct UsedPacketID: Error {}
    private struct UnreadableText: Error {}

    /// On the writer thread.
    private func acceptText(
        _ packet: ClientPacket, under id: PacketID, by sender: Sender, _ writer: Writer, in source: SourceID
    ) throws -> AcceptedTexts {
        let outlook = try outlook(of: source, writer, mayWait: true, reserved: 1)
        guard try !writer.isUsed(id, from: outlook.own, in: source) else { throw UsedPacketID() }
        var bytes = packet.withoutReception.limitingHops().sent(from: outlook.own, id: id)
        if packet.hopLimit == 0 { bytes = bytes.reaching(hops: outlook.hopLimit) }
        let isDirect = !packet.to.isBroadcast
        if bytes.publicKey == nil {
            bytes = bytes.demanding(
                isDirect
                    ? try OutgoingText.demandedKey(of: packet.to, from: outlook.own, writer, in: source) : nil)
        }
        guard let sent = bytes.shown, let data = sent.decoded, case .text(let text) = PacketContent(data) else {
            throw UnreadableText()
        }
        let destination: OutgoingText.Destination = isDirect ? .node(sent.to) : .channel(Int(clamping: sent.channel))
        let hold = try keyHold(on: destination, writer, in: source)
        var texts = try accept(
            [(text, sent)], by: sender, hold: hold, lifetime: OutgoingText.standardLifetime, outlook, writer,
            in: source)
        if bytes.fitsAFrame { texts.keep(bytes) }
        return texts
    }
}

extension AttachedRadio.State {
    /// Places that are left to a sender. Those who share the radio have the room of a radio; other clients have their own
    /// limits.
    fileprivate func places(for sender: Sender, on port: PortNumber) -> Int {
        guard sender.kind == .share else {
            return port.isText || outbox.delay(on: port) == nil ? OutboxQueue.requestLimit : 0
        }
        return outbox.places(for: sender, on: port, reserved: reserved[sender] ?? 0)
    }
}

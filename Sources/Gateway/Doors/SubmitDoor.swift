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
    /// It is the gateway's business, and nothing is done: ROUTING without an error for a client that wants an answer.
    case taken
    /// With this on this port, without the radio having been asked.
    case answered(PortNumber, [UInt8])
}

extension Gateway {
    /// Takes a client's packet for the mesh. Returns at once.
    ///
    /// - Parameters:
    ///   - packet: as the client wrote it. The sender's number is set, what only a radio may say is removed, and an id is
    ///     given when there is none. Without the right to administer it answers nothing, unless it is a request. What the
    ///     client may not put on the air is refused (``AirRule``), and so is what administers a node (``administer(_:by:right:shown:of:done:)``).
    ///     What it means for the radio itself may be answered in its place (``answerInPlace(to:right:of:)``).
    ///   - sender: one of the kind ``Sender/Kind/share`` has the room of a radio: 16 texts that wait and five other packets.
    ///   - done: is called once, on any thread: for a text when it is on disk, for all else at once.
    public func submit(
        _ packet: ClientPacket, by sender: Sender, right: ClientRight, to source: SourceID,
        done: @escaping @Sendable (Submission) -> Void
    ) {
        if let answer = answerInPlace(to: packet, right: right, of: source) { return done(answer) }
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
        return max(0, radio.outboxes.of(source).places(for: sender, on: .textMessage))
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
        let radio = attachment.present(source)
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
        let (here, now) = (attachment, monotonic())
        guard here.takesPackets(of: source), here.snapshot != nil else { return .refused(.noInterface) }
        return here.outbox.submit(
            packet, by: sender, lifetime: Self.volatileLifetime, at: now, in: here.session)
    }

    private func submitText(
        _ packet: ClientPacket, by sender: Sender, to source: SourceID,
        done: @escaping @Sendable (Submission) -> Void
    ) {
        let id = packet.id == 0 ? PacketID.random(in: 1 ... .max) : packet.id
        let outbox = outboxes.of(source)
        if let refusal = outbox.reserve(id, by: sender, at: monotonic()) { return done(refusal) }
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
                let isTaken = if case .success = result { true } else { false }
                let free = outbox.settle(id, by: sender, isTaken: isTaken)
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

import MeshModel
import MeshProtocol
import RadioLink

// What of a radio's traffic is told to those who watch its frames, and as what (RadioFrames).

extension AttachedRadio {
    /// What the radio has just said.
    ///
    /// - Returns: a refusal after which a text may be sent again. It is told only when it is not.
    func tellFrame(_ message: FromRadio, raw: [UInt8]) -> RadioFrame? {
        guard !frames.isEmpty else { return nil }
        switch message {
        case .packet(let packet): return tellPacket(packet, raw: raw)
        case .clientNotification(let notification):
            frames.tell(RadioFrame(raw: raw, value: .notification(notification)), of: sourceFed)
        case .other(variant: 14): frames.tell(RadioFrame(raw: raw, value: .mqttProxy), of: sourceFed)
        case .other(let variant): frames.tell(RadioFrame(raw: raw, value: .other(variant)), of: sourceFed)
        case .empty:
            // A variant of a later firmware has a number that this program's schema lacks.
            let variant = FromRadio.variant(of: raw)
            if variant != 0 { frames.tell(RadioFrame(raw: raw, value: .other(variant)), of: sourceFed) }
        // A handshake is told as a whole; the others are between the radio and its host.
        case .nodeInfo, .queueStatus, .rebooted, .logRecord, .lockdownStatus, .myInfo, .config, .moduleConfig, .channel,
            .configComplete, .metadata:
            break
        }
        return nil
    }

    private func tellPacket(_ packet: MeshPacket, raw: [UInt8]) -> RadioFrame? {
        let now = monotonic()
        let (_, own, outbox) = fed
        if let id = packet.answeredByRadio(own), !outbox.knows(id, at: now) { return nil }
        let attempts = outbox.attempts
        if let data = packet.decoded, data.requestID != 0, case .routing(.error(let error)) = PacketContent(data),
            error != .none
        {
            // That an attempt failed says nothing about the one that has taken its place.
            if attempts.isReplaced(data.requestID) { return nil }
            if mayBeSentAgain(packet, data.requestID, after: error) { return Self.frame(packet, raw, attempts) }
        }
        if let own, packet.from == own, packet.port == .telemetry, !packet.isReplay, !packet.isSpoofed(own: own) {
            // Kept before clients get it: one that asks right afterwards gets the same values.
            frames.note(packet, of: sourceFed, at: now)
        }
        frames.tell(Self.frame(packet, raw, attempts), of: sourceFed)
        return nil
    }

    /// It is on disk what follows from a refusal of this packet.
    func tellWithheld(_ refusal: RadioFrame?, of id: PacketID, isSentAgain: Bool) {
        guard let refusal, !isSentAgain, !fed.outbox.attempts.isReplaced(id) else { return }
        frames.tell(refusal, of: sourceFed)
    }

    private static func frame(_ packet: MeshPacket, _ raw: [UInt8], _ attempts: SentAgain) -> RadioFrame? {
        guard let requestID = packet.decoded?.requestID, let first = attempts.first(of: requestID) else {
            return RadioFrame(raw: raw, value: .packet(packet))
        }
        let named = PacketIDs.replaced(inFromRadio: raw) { $0 == requestID ? first : nil }.payload
        guard case .packet(let packet) = named.withUnsafeBytes({ FromRadio(decoding: $0) }) else { return nil }
        return RadioFrame(raw: named, value: .packet(packet))
    }

    /// A text may be sent again by itself after this refusal. Anybody can write one that names it: only those count that are
    /// the radio's own or the recipient's (DeliveryReports), where it is known for certain, and from the database.
    private func mayBeSentAgain(_ refusal: MeshPacket, _ id: PacketID, after error: RoutingError) -> Bool {
        let (source, own, outbox) = fed
        guard let own, !refusal.isSpoofed(own: own), !refusal.isReplay, let entry = outbox.entry(id),
            entry.packet.port.isText
        else { return false }
        let isOfRadio = refusal.from == own
        guard isOfRadio || refusal.from == entry.packet.to else { return false }
        let isForgotten = ForgottenKey.isWhy(
            error, known: knownKey(of: entry.packet.to, in: source), resends: entry.resends)
        return isForgotten && entry.packet.publicKey != nil
            || AutomaticResend.delay(
                after: error, byRadio: isOfRadio, saysKeyIsOld: !isOfRadio && entry.packet.pkiEncrypted,
                resends: entry.resends) != nil
    }

    /// The radio was given this packet for the first time.
    func tellOwn(_ entry: OutboxQueue.Entry, from own: NodeNumber?, at now: Int64) {
        guard !entry.mayHaveLeft, fed.outbox.attempts.first(of: entry.packet.id) == nil else { return }
        let rxTime = UInt32(clamping: now / 1000)
        frames.tell(Self.frame(entry, from: own, rxTime: rxTime), of: sourceFed)
    }

    private static func frame(_ entry: OutboxQueue.Entry, from own: NodeNumber?, rxTime: UInt32) -> RadioFrame? {
        var packet = entry.packet
        packet.from = own ?? packet.from
        packet.rxTime = rxTime
        packet.hopStart = packet.hopLimit
        // What administers a node is between two.
        guard packet.port != .admin else { return nil }
        let raw = entry.bytesToSend.map { $0.echo(rxTime: rxTime) } ?? FromRadio.packet(packet).encoded()
        return raw.map { RadioFrame(raw: $0, value: .own(packet, by: entry.sender)) }
    }
}

extension MeshPacket {
    /// What the radio answers to itself. When nobody is known to have sent that, it was the gateway, for instance to set the
    /// clock.
    fileprivate func answeredByRadio(_ own: NodeNumber?) -> PacketID? {
        guard from == own, to == own, rxRSSI == nil, let data = decoded,
            data.port == .routing || data.port == .admin, data.requestID != 0
        else { return nil }
        return data.requestID
    }
}

/// Packets under which own messages went out again, and the first packet of each. The newest ones.
struct SentAgain: Sendable {
    private static let capacity = 256
    private var first: [PacketID: PacketID] = [:]
    /// By the first one.
    private var latest: [PacketID: PacketID] = [:]
    private var order: [PacketID] = []

    func first(of id: PacketID) -> PacketID? { id == 0 ? nil : first[id] }

    /// Another packet of the same message has taken its place.
    func isReplaced(_ id: PacketID) -> Bool { latest[first[id] ?? id].map { $0 != id } ?? false }

    mutating func note(_ id: PacketID, of first: PacketID) {
        if order.count >= Self.capacity {
            let oldest = order.removeFirst()
            if let first = self.first.removeValue(forKey: oldest), latest[first] == oldest { latest[first] = nil }
        }
        order.append(id)
        self.first[id] = first
        latest[first] = id
    }
}

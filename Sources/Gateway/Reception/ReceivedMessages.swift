import MeshModel
import MeshProtocol
import RadioLink
import Store
import Synchronization

// What the radio says, on its way to the store and to those who listen.

extension AttachedRadio {
    /// LogRecord.Level WARNING.
    private static let warningLevel: UInt32 = 30

    func received(_ message: FromRadio, raw: [UInt8]) {
        let now = clock()
        let withheld = tellFrame(message, raw: raw)
        switch message {
        // The passkey of another node, and what else it says to who administers it, ends here.
        case .packet(let packet) where packet.decoded?.port == .admin:
            received(packet, raw: Redaction.fromRadioFrame(raw), at: now)
        case .packet(let packet): received(packet, raw: raw, at: now, withheld: withheld)
        case .nodeInfo(let info):
            memory.listed(info.number, info.user?.publicKey)
            let here = attachment
            guard let own = here.own else { return }
            let isListed = here.link == .configuring
            let watch = KeyWatch(info.number, bringsKey: true, at: now)
            enqueue(.grouped, watch) { writer, source in
                try watch.observing(writer, in: source) {
                    try writer.change(as: isListed ? .listed : .live) {
                        try Ingest(own: own, now: now).apply(info, to: writer, in: source)
                    }
                }
            }
        case .queueStatus(let status) where status.packetID != 0: answered(status)
        case .clientNotification(let notification):
            logger.notice("the radio says: \(notification.message)")
            tell(.notice(notification.message))
            enqueue(.grouped) { try $0.insertNotification(notification, in: $1, at: now) }
            if notification.level >= Self.warningLevel { warned() }
        default: break
        }
    }

    /// - Parameter withheld: what those who watch the frames have not been told of it yet.
    private func received(_ packet: MeshPacket, raw: [UInt8], at now: Int64, withheld: RadioFrame? = nil) {
        let (source, own, outbox) = fed
        guard let heard = readings.heard(packet, own: own, at: now), let own else { return }
        if packet.from != own { packets.count(packet.decoded?.port, of: source, isSent: false) }
        let decrypted = channelDatabase.decrypt(packet, own: own)
        let packet = decrypted?.packet ?? packet
        let ingest = Ingest(own: own, now: now, decryptedWith: decrypted?.entry)
        let content = packet.decoded.map { PacketContent($0) }
        let message = ingest.message(in: packet, content)
        // We send nothing on those channels: no word there is about a packet of ours.
        let report = decrypted == nil ? DeliveryReport(packet, content, own: own) : nil
        if decrypted == nil { radioLearnt(from: packet, content, own: own) }
        let watch = KeyWatch(packet.from, bringsKey: packet.bringsKey(content), at: now)
        let isTold = Atomic(false)
        // Before the commit, which can be seconds away; once, though the change can run again.
        let announce = { @Sendable [self] (source: SourceID) in
            if !isTold.exchange(true, ordering: .relaxed) { tell(.received(packet, raw: raw), in: source) }
        }
        // Listeners hear it also while nothing can be stored.
        let announceAtOnce = { @Sendable [self] in if let source = sourceFed { announce(source) } }
        let store = { @Sendable (writer: Writer, source: SourceID) in
            announce(source)
            try watch.observing(writer, in: source) { try ingest.apply(packet, content, to: writer, in: source) }
            if let message {
                try writer.change(as: ingest.isReception(packet, content) ? .live : .late) {
                    try ingest.store(message, writer, source)
                }
            }
            try ingest.store(heard.due, writer, source)
        }
        if let report {
            recordDelivery(
                report.packetID, .immediate, watch, withheld: withheld, delayed: announceAtOnce
            ) { [self] writer, source in
                try store(writer, source)
                return try recordDelivery(report, writer, in: source, at: now)
            }
        } else {
            enqueue(message == nil ? .grouped : .received, watch, delayed: announceAtOnce, store)
        }
        if !packet.isReplay { release(.unheard, for: packet.from, in: outbox) }
        if heard.prunes { self.store.enqueue(.grouped, { try $0.expire(at: now) }) }
    }
}

extension MeshPacket {
    /// Whether a key of its sender can be in it: one that it announces, or one that has decrypted it.
    fileprivate func bringsKey(_ content: PacketContent?) -> Bool {
        if case .nodeInfo = content { return true }
        return pkiEncrypted
    }
}

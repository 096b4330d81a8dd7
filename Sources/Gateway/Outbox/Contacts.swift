import MeshModel
import MeshProtocol
import Store

// What the radio is told about nodes that it does not know as we do. Its node database is small: it evicts those it has
// not heard for long, and forgets who was learnt shortly before a reboot (SerialReference 14.13). Ours does not, and
// `add_contact` gives a node back to it, with its key.

extension Writer {
    /// Puts what makes the radio know a node by its pinned key into the outbox.
    ///
    /// - Parameter replacing: the radio may know the node by another key, which it would keep (SerialReference 5.4).
    /// - Returns: the packets, in order; none before any radio has told its number.
    func introduce(_ node: Node, replacing: Bool, in source: SourceID, at now: Int64) throws -> [MeshPacket] {
        guard let key = node.publicKey, let own = try self.source(source)?.nodeNumber else {
            return []
        }
        var words: [AdminMessage] = replacing ? [.removeNode(node.number)] : []
        words.append(.addContact(SharedContact(node, key: key)))
        // A contact is made a favourite, which protects it from eviction; that is its owner's decision.
        if !node.isFavorite { words.append(.removeFavorite(node.number)) }
        try updateNode(node.number, in: source, at: now) { $0.isFavoriteOnRadio = true }
        var used: Set<PacketID> = []
        return try words.map { word in
            // To `want_ack` alone the radio acknowledges what it ignores, too (SerialReference 4.13).
            let packet = MeshPacket(
                from: own, to: own, id: try unusedID(from: own, self, in: source, besides: &used),
                payload: .decoded(MeshData(port: .admin, payload: word.encoded(), wantResponse: true)))
            try insertOutbox(OutboxItem(packet: packet, kind: "contact", createdAt: now), in: source)
            return packet
        }
    }
}

/// When the radio has refused a text because it has forgotten the recipient's key.
enum ForgottenKey {
    /// - Parameters:
    ///   - known: the key that the radio is known to have; nil: none.
    ///   - resends: how often the text was taken up again before.
    static func isWhy(_ refusal: RoutingError, known: PublicKey?, resends: Int) -> Bool {
        resends == 0 && (refusal == .pkiSendFailPublicKey || refusal == .pkiFailed && known == nil)
    }
}

extension AttachedRadio {
    /// What has to go out before messages to a node, so that the radio can encrypt them: nothing, unless it is known
    /// not to know the node. A radio that has another key of a node keeps it, unless a person has compared ours.
    ///
    /// On the writer thread; ``hasIntroduced(_:in:)`` follows when that is stored.
    func introduction(
        before packet: MeshPacket, _ writer: Writer, in source: SourceID, at now: Int64
    ) throws -> [OutboxQueue.Entry] {
        guard packet.pkiEncrypted, let node = try writer.node(packet.to, in: source) else { return [] }
        let here = attachment
        guard here.source == source, here.link == .live else { return [] }
        let replaces: Bool
        switch memory.key(of: packet.to, in: here.session) {
        case .none: replaces = false
        case .key(let known) where known != node.publicKey && node.isKeyManuallyVerified: replaces = true
        case .key, .stale: return []
        }
        return try writer.introduce(node, replacing: replaces, in: source, at: now)
            .map { OutboxQueue.Entry(packet: $0) }
    }

    /// The radio has refused a text for want of the recipient's key, which it had once: it gets it back, once a text.
    /// Firmware before 2.7.19 says PKI_FAILED then, as it does when it has another key.
    ///
    /// On the writer thread.
    func giveBack(
        _ item: OutboxItem, after refusal: RoutingError, _ writer: Writer, in source: SourceID, at now: Int64
    ) throws -> [OutboxQueue.Entry] {
        let known = knownKey(of: item.packet.to, in: source)
        guard ForgottenKey.isWhy(refusal, known: known, resends: item.resends),
            let key = item.packet.publicKey, let node = try writer.node(item.packet.to, in: source),
            node.publicKey == key
        else { return [] }
        return try writer.introduce(node, replacing: false, in: source, at: now).map { OutboxQueue.Entry(packet: $0) }
    }

    /// The radio takes the first key that it sees of a node, and has the key of what it has decrypted.
    func radioLearnt(from packet: MeshPacket, _ content: PacketContent?, own: NodeNumber) {
        var key = packet.pkiEncrypted ? packet.publicKey : nil
        if case .nodeInfo(let user) = content { key = key ?? user.publicKey }
        guard let key, !packet.isReplay else { return }
        guard !packet.isSpoofed(own: own) else { return }
        memory.learnt(key, of: packet.from)
    }

    /// The key by which the radio of this source knows a node, as far as it has told in this session.
    func knownKey(of node: NodeNumber, in source: SourceID) -> PublicKey? {
        guard let session = session(of: source), case .key(let key) = memory.key(of: node, in: session) else {
            return nil
        }
        return key
    }

    /// The radio is told these keys now; when it does not take one, it will refuse the message.
    func hasIntroduced(_ entries: [OutboxQueue.Entry], in source: SourceID) {
        let session = session(of: source)
        for data in entries.compactMap(\.packet.decoded) {
            guard case .admin(.addContact(let contact)) = PacketContent(data) else { continue }
            logger.notice(
                "the radio gets the key of \(contact.number.id)", fields: ["node": contact.number.id])
            if let session { memory.told(contact.user?.publicKey, of: contact.number, in: session) }
        }
    }
}

extension SharedContact {
    /// What others need to write to a node: who it is, and its key.
    ///
    /// - Returns: nil without a key.
    public static func toShare(_ node: Node) -> SharedContact? {
        guard let key = node.publicKey else { return nil }
        var contact = SharedContact(node, key: key)
        // What we make of it is nobody's business.
        (contact.shouldIgnore, contact.isManuallyVerified) = (false, false)
        contact.user?.macAddress = []
        return contact
    }

    fileprivate init(_ node: Node, key: PublicKey) {
        let user = User(
            id: node.number.id, longName: node.longName ?? node.number.placeholderLongName,
            shortName: node.shortName ?? node.number.placeholderShortName, macAddress: node.macAddress ?? [],
            hardwareModel: node.hardwareModel ?? 0, isLicensed: node.isLicensed, role: node.role ?? 0, publicKey: key,
            isUnmessagable: node.isUnmessagable)
        self.init(
            number: node.number, user: user, shouldIgnore: node.isIgnored,
            isManuallyVerified: node.isKeyManuallyVerified)
    }
}

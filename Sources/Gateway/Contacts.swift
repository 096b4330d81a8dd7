import MeshModel
import MeshProtocol
import Store

// What the radio is told about nodes that it does not know as we do. Its node database is small: it evicts whom it has not
// heard for long, and forgets who was learnt shortly before a reboot (serial reference 14.13). Ours does not, and
// `add_contact` gives a node back to it, with its key.

extension Writer {
    /// Puts what makes the radio know a node by its pinned key into the outbox.
    ///
    /// - Parameter replacing: the radio may know the node by another key, which it would keep (serial reference 5.4).
    /// - Returns: the packets, in order; none before any radio has told its number.
    func introduce(_ node: Node, replacing: Bool, in source: SourceID, at now: Int64) throws -> [MeshPacket] {
        guard let key = node.publicKey, let own = try sources().first(where: { $0.0 == source })?.1.nodeNumber else {
            return []
        }
        var words: [AdminMessage] = replacing ? [.removeNode(node.number)] : []
        words.append(.addContact(SharedContact(node, key: key)))
        // A contact is made a favourite, which protects it from eviction; that is its owner's decision.
        if !node.isFavorite { words.append(.removeFavorite(node.number)) }
        try updateNode(node.number, in: source, at: now) { $0.isFavoriteOnRadio = true }
        var used: Set<PacketID> = []
        return try words.map { word in
            // `want_response`, as the radio acknowledges even what it ignores when only that is asked for (4.13).
            let packet = MeshPacket(
                from: own, to: own, id: try unusedID(from: own, self, in: source, besides: &used),
                payload: .decoded(MeshData(port: .admin, payload: word.encoded(), wantResponse: true)))
            try insertOutbox(OutboxItem(packet: packet, kind: "contact", createdAt: now), in: source)
            return packet
        }
    }
}

extension SharedContact {
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

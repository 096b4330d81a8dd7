import MeshModel

extension Schema {
    /// What the radio made of the proof in the recipient's acknowledgement.
    static let ackProofs = "ALTER TABLE messages ADD COLUMN ack_proof INTEGER;"
}

/// Rows of `messages`. The row keeps numbers; the id that clients see is put together from them when it is read.
enum MessageRow {
    static let columns = """
        from_node, packet_id, occurrence, to_node, channel, text, port, is_own, timestamp, rx_time, hop_start, \
        hop_limit, relay_node, reply_id, is_tapback, via_mqtt, via_store_forward, xeddsa_signed, rx_snr, rx_rssi, \
        pki_encrypted, spoof_suspected, delivery, error, ack_from, created_at, updated_at, decrypted_with, sender, \
        cause
        """
    /// Of one source.
    static let byNumber = "SELECT \(columns) FROM messages WHERE id = ? AND source = ?"
    /// What only single messages show, besides.
    private static let details = "acked_at, ack_proof, first_part, part, parts"

    /// - Parameter uuid: of the row's source.
    static func read(_ row: Statement, uuid: String) -> Message {
        let from = NodeNumber(row.unsigned())
        let packetID = row.unsigned()
        let id = id(uuid: uuid, from: from, packetID: packetID, occurrence: row.integer())
        var message = Message(
            id: id, from: from, to: NodeNumber(row.unsigned()), text: "", channel: Int(row.integer()),
            packetID: packetID, timestamp: 0, createdAt: 0, updatedAt: 0)
        (message.text, message.hasBell) = row.text().withoutBell
        message.port = PortNumber(rawValue: row.unsigned())
        message.isOwn = row.flag()
        message.timestamp = row.integer()
        message.rxTime = row.integerOrNil()
        message.hopStart = row.unsignedOrNil()
        message.hopLimit = row.unsignedOrNil()
        message.relayNode = row.unsignedOrNil()
        message.replyID = row.unsignedOrNil()
        message.isTapback = row.flag()
        message.viaMQTT = row.flagOrNil()
        message.viaStoreForward = row.flag()
        message.xeddsaSigned = row.flagOrNil()
        message.rxSNR = row.doubleOrNil()
        message.rxRSSI = row.intOrNil()
        message.pkiEncrypted = row.flag()
        message.spoofSuspected = row.flag()
        let state = row.intOrNil().flatMap { Delivery.State(rawValue: $0) }
        let error = row.unsignedOrNil().map { RoutingError(rawValue: $0) }
        let ackFrom = row.unsignedOrNil().map { NodeNumber($0) }
        message.delivery = state.map { Delivery(state: $0, error: error, ackFrom: ackFrom) }
        message.createdAt = row.integer()
        message.updatedAt = row.integer()
        message.decryptedWith = row.integerOrNil()
        message.sender = row.textOrNil().flatMap { Sender($0) }
        message.delivery?.storedCause = row.intOrNil()
        return message
    }

    /// `<source uuid>_<from number>_<packet id>` (Contract 3.5). When a sender used a packet id again, the later
    /// messages carry a count behind the sender, `<source uuid>_<from number>-2_<packet id>`: three parts in every
    /// case, and the packet id is the last.
    static func id(uuid: String, from: NodeNumber, packetID: PacketID, occurrence: Int64) -> String {
        guard occurrence == 0 else { return "\(uuid)_\(from.rawValue)-\(occurrence)_\(packetID)" }
        // A page has a hundred of them; putting strings together would cost as much as reading the rows.
        return String(unsafeUninitializedCapacity: uuid.utf8.count + 22) { bytes in
            var end = bytes.initialize(fromContentsOf: uuid.utf8)
            end = append(from.rawValue, to: bytes, at: end)
            end = append(packetID, to: bytes, at: end)
            return end
        }
    }

    /// Writes `_` and the number.
    ///
    /// - Returns: the place behind it, at most 11 further.
    private static func append(_ number: UInt32, to bytes: UnsafeMutableBufferPointer<UInt8>, at start: Int) -> Int {
        var (rest, end) = (number, start + 1)
        repeat {
            rest /= 10
            end += 1
        } while rest > 0
        bytes[start] = UInt8(ascii: "_")
        rest = number
        for place in stride(from: end - 1, to: start, by: -1) {
            bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return end
    }

    /// The row's number, ``columns`` and ``details``.
    private static func readWhole(_ row: Statement, uuid: String) -> (row: Int64, message: Message) {
        let id = row.integer()
        var message = read(row, uuid: uuid)
        message.delivery?.ackedAt = row.integerOrNil()
        message.delivery?.ackProof = row.unsignedOrNil().flatMap { MeshPacket.AckProof(rawValue: $0) }
        if let first = row.unsignedOrNil(), let number = row.intOrNil(), let count = row.intOrNil() {
            message.part = Message.Part(first: first, number: number, count: count)
        }
        return (id, message)
    }

    /// - Parameter isDeleted: a row that was deleted, and is in no list any more (MessageDeletion).
    static func one(
        _ row: Int64, in source: SourceID, isDeleted: Bool = false, on connection: DatabaseConnection
    ) throws -> Message? {
        let uuid = try uuid(of: source, on: connection)
        return try connection.prepare(composed: byNumber)
            .bind(row).bind(isDeleted ? -source.rawValue : source.rawValue).first { read($0, uuid: uuid) }
    }

    static func uuid(of source: SourceID, on connection: DatabaseConnection) throws -> String {
        try connection.prepare("SELECT uuid FROM sources WHERE id = ?").bind(source.rawValue).first { $0.text() } ?? ""
    }

    /// The row of a packet, the newest when there are several; else that of which it was a later attempt.
    ///
    /// - Parameter from: nil for any sender.
    static func find(
        packetID: PacketID, from: NodeNumber?, isOwn: Bool = false, in source: SourceID,
        on connection: DatabaseConnection
    ) throws -> (row: Int64, message: Message)? {
        var sql = "SELECT id, \(columns), \(details) FROM messages INDEXED BY messages_packet"
        sql += " WHERE source = ? AND packet_id = ?"
        if from != nil { sql += " AND from_node = ?" }
        if isOwn { sql += " AND is_own" }
        let statement = try connection.prepare(composed: sql + " ORDER BY id DESC LIMIT 1")
        statement.bind(source.rawValue).bind(packetID)
        if let from { statement.bind(from.rawValue) }
        let uuid = try uuid(of: source, on: connection)
        if let found = try statement.first({ readWhole($0, uuid: uuid) }) { return found }
        guard let row = try row(ofAttempt: packetID, in: source, on: connection) else { return nil }
        return try connection.prepare(
            composed: "SELECT id, \(columns), \(details) FROM messages WHERE id = ? AND source = ?"
        )
        .bind(row).bind(source.rawValue).first { readWhole($0, uuid: uuid) }
        .flatMap { from == nil || $0.message.from == from ? $0 : nil }
    }
}

extension Delivery {
    /// Added to the cause's number in its column when nobody asked for an acknowledgement; alone it says just that.
    private static let unasked = 6

    /// The column `cause`.
    fileprivate var storedCause: Int? {
        get { wantsAck ? cause?.rawValue : Self.unasked + (cause?.rawValue ?? 0) }
        set {
            wantsAck = newValue.map { $0 < Self.unasked } ?? true
            cause = newValue.flatMap { Cause(rawValue: wantsAck ? $0 : $0 - Self.unasked) }
        }
    }
}

extension MessageRow {
    /// The row with an id as clients have it: the row's, `<from number>_<packet id>`, or the bare packet id.
    static func find(
        id text: String, in source: SourceID, on connection: DatabaseConnection
    ) throws -> (row: Int64, message: Message)? {
        var parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard let packetID = parts.popLast().flatMap({ PacketID(decimal: $0) }) else { return nil }
        if parts.isEmpty { return try find(packetID: packetID, from: nil, in: source, on: connection) }
        if parts.count == 1 {
            guard let from = PacketID(decimal: parts[0]) else { return nil }
            return try find(packetID: packetID, from: NodeNumber(from), in: source, on: connection)
        }
        let statement = try connection.prepare(
            composed: """
                SELECT id, \(columns), \(details) FROM messages WHERE source = ? AND packet_id = ? AND from_node = ?
                """)
        guard let from = PacketID(decimal: parts[1].prefix { $0 != "-" }) else { return nil }
        let uuid = try uuid(of: source, on: connection)
        let found = try statement.bind(source.rawValue).bind(packetID).bind(from)
            .rows { readWhole($0, uuid: uuid) }.first { $0.message.id == text }
        if let found { return found }
        // The id under which a later attempt's row would be known.
        guard parts.count == 2, parts[0] == uuid[...] else { return nil }
        return try find(packetID: packetID, from: NodeNumber(from), isOwn: true, in: source, on: connection)
    }
}

extension Writer {
    /// Stores a message. Its ``Message/id`` is not used: the row makes its own.
    ///
    /// - Returns: false when it is already there (``KnownMessage``).
    @discardableResult
    public func insertMessage(_ message: Message, in source: SourceID) throws -> Bool {
        let known = try KnownMessage.all(like: message, in: source, on: connection)
        guard !known.contains(where: { $0.isRepeated(by: message) }) else { return false }
        markChanged(.messages)
        let statement = try connection.prepare(
            """
            INSERT INTO messages (source, from_node, packet_id, occurrence, to_node, channel, text, port, is_own,
                timestamp, rx_time, hop_start, hop_limit, relay_node, reply_id, is_tapback, via_mqtt,
                via_store_forward, xeddsa_signed, rx_snr, rx_rssi, pki_encrypted, spoof_suspected, delivery, error,
                ack_from, created_at, updated_at, decrypted_with, first_part, part, parts, sender, cause)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        let delivery = message.delivery
        let occurrence = known.map(\.occurrence).max().map { max($0 + 1, 2) } ?? 0
        statement.bind(source.rawValue).bind(message.from.rawValue).bind(message.packetID)
            .bind(occurrence).bind(message.to.rawValue).bind(message.channel)
            .bind(message.storedText).bind(message.port.rawValue).bind(message.isOwn)
        statement.bind(message.timestamp).bind(message.rxTime).bind(message.hopStart).bind(message.hopLimit)
            .bind(message.relayNode).bind(message.replyID).bind(message.isTapback).bind(message.viaMQTT)
        statement.bind(message.viaStoreForward).bind(message.xeddsaSigned).bind(message.rxSNR).bind(message.rxRSSI)
            .bind(message.pkiEncrypted).bind(message.spoofSuspected).bind(delivery?.state.rawValue)
            .bind(delivery?.error?.rawValue).bind(delivery?.ackFrom?.rawValue).bind(message.createdAt)
            .bind(message.updatedAt).bind(message.decryptedWith).bind(message.part?.first)
            .bind(message.part?.number).bind(message.part?.count).bind(message.sender?.text)
            .bind(delivery?.storedCause)
        try statement.run()
        let row = connection.lastInsertedRow
        hasUnindexedMessages = !isIndexDamaged
        let id = MessageRow.id(
            uuid: try uuid(of: source), from: message.from, packetID: message.packetID, occurrence: Int64(occurrence))
        change(as: message.isOwn ? .ours : origin) {
            note(.message(id: id, at: message.createdAt), of: row, in: source)
        }
        return true
    }

    /// The stored message of a packet, the newest when its id was used again.
    ///
    /// - Parameter from: nil for any sender.
    public func message(packetID: PacketID, from: NodeNumber?, in source: SourceID) throws -> Message? {
        try MessageRow.find(packetID: packetID, from: from, in: source, on: connection)?.message
    }

    /// The message with an id in any form that clients have: the row's, `<from number>_<packet id>`, the packet id.
    public func message(id: String, in source: SourceID) throws -> Message? {
        try MessageRow.find(id: id, in: source, on: connection)?.message
    }

    /// Changes what becomes known of a message after it was stored: its delivery, its encryption, the radio's time, and
    /// how the packet, or its acknowledgement, came in. Other changes are not kept.
    ///
    /// - Parameters:
    ///   - from: the sender; nil for an own message, which is found by the packet id of any of its attempts.
    ///   - now: host milliseconds; becomes ``Message/updatedAt`` when anything differs, as ``receiptTime(_:in:)``.
    /// - Returns: the message as it now is; nil when there is none.
    @discardableResult
    public func updateMessage(
        from: NodeNumber? = nil, packetID: PacketID, in source: SourceID, at now: Int64,
        _ change: (inout Message) -> Void
    ) throws -> Message? {
        let found = try MessageRow.find(
            packetID: packetID, from: from, isOwn: from == nil, in: source, on: connection)
        guard let (row, before) = found else { return nil }
        var message = before
        change(&message)
        guard message != before else { return before }
        // Who asks for what has changed since the newest message learns of it, also when the clock was set back.
        message.updatedAt = try receiptTime(now, in: source)
        markChanged(.messages)
        let statement = try connection.prepare(
            """
            UPDATE messages SET delivery = ?, error = ?, ack_from = ?, rx_time = ?, hop_start = ?, hop_limit = ?,
                relay_node = ?, rx_snr = ?, rx_rssi = ?, pki_encrypted = ?, cause = ?, acked_at = ?, ack_proof = ?,
                updated_at = ?
            WHERE id = ?
            """)
        let delivery = message.delivery
        statement.bind(delivery?.state.rawValue).bind(delivery?.error?.rawValue).bind(delivery?.ackFrom?.rawValue)
            .bind(message.rxTime).bind(message.hopStart).bind(message.hopLimit).bind(message.relayNode)
            .bind(message.rxSNR).bind(message.rxRSSI).bind(message.pkiEncrypted).bind(delivery?.storedCause)
            .bind(delivery?.ackedAt).bind(delivery?.ackProof?.rawValue).bind(message.updatedAt).bind(row)
        try statement.run()
        if let delivery, delivery != before.delivery {
            note(.delivery(id: message.id, delivery), of: row, in: source)
        } else {
            note(.messageChanged(id: message.id), of: row, in: source)
        }
        return message
    }
}

import MeshModel

/// A MeshPacket as a client of the radio wrote it, on its way to the radio.
///
/// Its bytes are kept: what they say beyond this program's schema goes to the radio too, as an app's channel with a key and
/// a field of a newer firmware must arrive whole. So it never passes through ``MeshPacket``, which drops what it does not know.
/// Like the radio's settings it may hold secrets; no description shows anything of it.
///
/// What is asked here must be what the radio reads. It takes the last of several equal fields, merges messages and may cut
/// a number to 32 bits; nobody who means well writes such packets. They are refused, as are fields of another type than the
/// schema's.
public struct ClientPacket: Sendable, CustomStringConvertible, CustomReflectable {
    public enum Payload: Sendable {
        case decoded(Content)
        /// Nobody but the radio can tell what is in it.
        case encrypted
        case none
    }

    /// The decoded part (Data).
    public struct Content: Sendable, CustomStringConvertible, CustomReflectable {
        public fileprivate(set) var port = PortNumber.unknown
        public fileprivate(set) var payload: [UInt8] = []
        public fileprivate(set) var wantsResponse = false
        /// The packet that this one answers; some clients write a random one into requests. 0: none.
        public fileprivate(set) var requestID: PacketID = 0
        /// The message that this one replies to; 0: none.
        public fileprivate(set) var replyID: PacketID = 0
        /// The text is a reaction.
        public fileprivate(set) var isTapback = false

        /// What a STORE_FORWARD payload is (`rr`; 0 without one). Nil: it is no message.
        public var storeForwardKind: Int32? {
            guard let fields = WireField.all(in: payload[...]) else { return nil }
            return Int32(truncatingIfNeeded: fields.last { $0.number == 1 }?.varint ?? 0)
        }

        public var description: String { "content on port \(port.rawValue)" }
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// The most that a packet carries on the air (SerialReference 8.1).
    public static let longestPayload = 233

    /// The MeshPacket message.
    let bytes: [UInt8]
    /// 0: the client leaves it to the radio.
    public private(set) var from = NodeNumber(0)
    public private(set) var to = NodeNumber(0)
    /// 0: the client leaves it to the radio.
    public private(set) var id: PacketID = 0
    /// The index of one of the radio's channels.
    public private(set) var channel: UInt32 = 0
    public private(set) var hopLimit: UInt32 = 0
    public private(set) var wantsAck = false
    /// It is to go out under the recipient's public key only.
    public private(set) var isPKIEncrypted = false
    /// The recipient's key that the client demands. Nil: none, or bytes that are no key.
    public private(set) var publicKey: PublicKey?
    public private(set) var payload = Payload.none

    /// - Parameter bytes: a MeshPacket. Nil: it is none, or says something twice.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.longest else { return nil }
        self.init(reading: bytes)
    }

    /// Bytes of a packet of which the radio takes whatever is made here: its frames have 512 at most.
    private static let longest = maximumMessageLength - 32

    private init?(reading bytes: [UInt8]) {
        guard let fields = WireField.once(in: bytes[...], Self.types, mayBeNegative: [12]) else { return nil }
        self.bytes = bytes
        for field in fields {
            switch field.number {
            case 1: from = NodeNumber(field.fixed)
            case 2: to = NodeNumber(field.fixed)
            case 3: channel = UInt32(field.varint)
            case 4:
                guard case .none = payload, let content = Content(field.content) else { return nil }
                payload = .decoded(content)
            case 5:
                guard case .none = payload else { return nil }
                payload = .encrypted
            case 6: id = field.fixed
            case 9: hopLimit = UInt32(field.varint)
            case 10: wantsAck = field.varint != 0
            case 16: publicKey = PublicKey(Array(field.content))
            case 17: isPKIEncrypted = field.varint != 0
            default: break
            }
        }
    }

    /// - Parameter payload: of a ToRadio frame. Nil: it is none, or holds no such packet.
    public init?(inToRadio payload: [UInt8]) {
        guard let fields = WireField.once(in: payload[...], [1: 2]),
            let field = fields.first(where: { $0.number == 1 })
        else { return nil }
        self.init(Array(field.content))
    }

    public var content: Content? { if case .decoded(let content) = payload { content } else { nil } }

    public var description: String { "a client's packet" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The payload of the ToRadio frame that brings it to the radio.
    public var toRadio: [UInt8] {
        var result: [UInt8] = []
        WireBytes.append(1, bytes, to: &result)
        return result
    }

    /// The payload of a FromRadio frame that shows it to another client, as if it had just come (`rx_time`, seconds since
    /// 1970), with the hop start that the radio gives it. Nil for ADMIN packets, which concern nobody else, and for what was not decoded.
    public func echo(rxTime: UInt32) -> [UInt8]? {
        guard let content, content.port != .admin else { return nil }
        var result: [UInt8] = []
        var hopStart: [UInt8] = []
        if hopLimit > 0 { WireBytes.append(15, varint: UInt64(hopLimit), to: &hopStart) }
        WireBytes.append(2, replacing(7, fixed: rxTime).replacing(15, with: hopStart).bytes, to: &result)
        return result
    }

    /// What others may know of it: the payload of an ADMIN packet is not in it.
    public var shown: MeshPacket? {
        guard var packet = MeshPacket(decoding: bytes) else { return nil }
        if var data = packet.decoded, data.port == .admin {
            data.payload = []
            packet.payload = .decoded(data)
        }
        return packet
    }

    // MARK: Edits

    /// The same from this sender, under this id.
    public func sent(from: NodeNumber, id: PacketID) -> ClientPacket {
        replacing(1, fixed: from.rawValue).replacing(6, fixed: id)
    }

    /// The same with another payload on its port, which what it was signed with does not fit any more.
    public func saying(_ payload: [UInt8]) -> ClientPacket {
        edited { field, result in
            guard field.number == 4 else { return false }
            var data: [UInt8] = []
            for inner in WireField.all(in: field.content) ?? [] where inner.number != 2 && inner.number != 10 {
                data.append(contentsOf: inner.whole)
            }
            if !payload.isEmpty { WireBytes.append(2, payload, to: &data) }
            field.append(data, to: &result)
            return true
        }
    }

    /// The same, but it answers no other packet: nodes take any packet that answers theirs for an acknowledgement of it.
    public var answeringNothing: ClientPacket {
        guard let content, content.requestID != 0 else { return self }
        return edited { field, result in
            guard field.number == 4 else { return false }
            let inner = (WireField.all(in: field.content) ?? []).filter { $0.number != 6 }
            field.append(inner.flatMap { Array($0.whole) }, to: &result)
            return true
        }
    }

    /// The same with at most so many hops: the field has three bits on the air, and clients write 10.
    public func limitingHops(to most: UInt32 = 7) -> ClientPacket {
        guard hopLimit > most else { return self }
        return edited { field, result in
            if field.number == 9 { field.append(varint: UInt64(most), to: &result) }
            return field.number == 9
        }
    }

    /// The same with so many hops.
    public func reaching(hops: UInt32) -> ClientPacket {
        var field: [UInt8] = []
        WireBytes.append(9, varint: UInt64(hops), to: &field)
        return replacing(9, with: field)
    }

    /// The same under this key of its recipient; nil: under whichever the radio has.
    public func demanding(_ key: PublicKey?) -> ClientPacket {
        guard let key else { return removing([16]) }
        var (keyField, flag): ([UInt8], [UInt8]) = ([], [])
        WireBytes.append(16, key.bytes, to: &keyField)
        WireBytes.append(17, varint: 1, to: &flag)
        return replacing(16, with: keyField).replacing(17, with: flag)
    }

    /// The radio drops longer frames.
    public var fitsAFrame: Bool { toRadio.count <= maximumMessageLength }

    /// Without what only a radio may say: how the packet was received and relayed, how it began, when it is to go out.
    public var withoutReception: ClientPacket { removing([7, 8, 12, 13, 14, 15, 18, 19, 20, 21, 22]) }

    private func replacing(_ number: UInt32, fixed value: UInt32) -> ClientPacket {
        replacing(number, with: WireBytes.field(number, fixed: value))
    }

    /// - Parameter new: a whole field of this number.
    private func replacing(_ number: UInt32, with new: [UInt8]) -> ClientPacket {
        var wasThere = false
        let result = edited { field, result in
            guard field.number == number else { return false }
            wasThere = true
            result += new
            return true
        }
        return wasThere ? result : Self.readAgain(bytes + new)
    }

    private func removing(_ numbers: Set<UInt32>) -> ClientPacket {
        edited { field, _ in numbers.contains(field.number) }
    }

    /// - Parameter edit: writes something else in place of a field and says so; false: the field stays as it is.
    private func edited(_ edit: (WireField, inout [UInt8]) -> Bool) -> ClientPacket {
        var result: [UInt8] = []
        for field in WireField.all(in: bytes[...]) ?? [] where !edit(field, &result) {
            result.append(contentsOf: field.whole)
        }
        return Self.readAgain(result)
    }

    /// - Parameter bytes: fields of a packet that was read, and fields that were made here.
    private static func readAgain(_ bytes: [UInt8]) -> ClientPacket {
        guard let packet = ClientPacket(reading: bytes) else { preconditionFailure("an edit broke a packet") }
        return packet
    }

    /// The wire types of the fields of MeshPacket, as Proto/mesh.proto has them.
    private static let types: [UInt32: UInt8] = [
        1: 5, 2: 5, 3: 0, 4: 2, 5: 2, 6: 5, 7: 5, 8: 5, 9: 0, 10: 0, 11: 0, 12: 0, 13: 0, 14: 0, 15: 0, 16: 2, 17: 0,
        18: 0, 19: 0, 20: 0, 21: 0, 22: 0,
    ]
}

extension ClientPacket.Content {
    fileprivate init?(_ bytes: ArraySlice<UInt8>) {
        guard let fields = WireField.once(in: bytes, Self.types) else { return nil }
        for field in fields {
            switch field.number {
            case 1: port = PortNumber(rawValue: UInt32(field.varint))
            case 2: payload = Array(field.content)
            case 3: wantsResponse = field.varint != 0
            case 6: requestID = field.fixed
            case 7: replyID = field.fixed
            case 8: isTapback = field.fixed != 0
            default: break
            }
        }
    }

    /// The wire types of the fields of Data.
    private static let types: [UInt32: UInt8] = [
        1: 0, 2: 2, 3: 0, 4: 5, 5: 5, 6: 5, 7: 5, 8: 5, 9: 0, 10: 2,
    ]
}

extension WireField {
    /// All fields of a message, none of those in `types` twice or of another wire type, and no number of theirs with more
    /// than 32 bits, but for those that may be negative. Nil otherwise.
    static func once(
        in bytes: ArraySlice<UInt8>, _ types: [UInt32: UInt8], mayBeNegative: Set<UInt32> = []
    ) -> [WireField]? {
        guard let fields = WireField.all(in: bytes) else { return nil }
        var seen: Set<UInt32> = []
        for field in fields {
            guard let type = types[field.number] else { continue }
            guard field.wireType == type, seen.insert(field.number).inserted,
                field.varint <= UInt64(UInt32.max) || mayBeNegative.contains(field.number)
            else { return nil }
        }
        return fields
    }

    /// Of a field of four bytes.
    var fixed: UInt32 { content.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
}

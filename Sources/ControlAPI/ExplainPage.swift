import HTTPServer
import JSON
import MeshModel
import MeshProtocol
import Routes
import Store

// `mesh-gateway explain`: the bytes of one packet with their meaning, the way that it came, and its time on the air.

enum ExplainPage {
    /// The packet is named by its row in the log, or by its packet id; `?preset=` tells how fast the modem is.
    static func one(_ question: LocalQuestion, _ json: inout JSONWriter) throws {
        let source = try question.source()
        let row = try question.packet(question.parameters[0], in: source)
        let reader = question.reader
        let lora = question.radio(of: source)?.lora
        let airtime = try Airtime(lora, preset: question.request.queryValue("preset"))
        json.source(source)
        json.key("packet")
        json.logged(row, try reader.nodes(of: [row], in: source))
        json.member("origin", "log")
        json.annotated(Annotation(row.packet.encoded(), as: .meshPacket))
        let relays = try reader.relays(of: row.packet, in: source)
        json.way(of: row.packet, relays)
        json.airtime(of: row.packet, airtime)
    }

    /// The same of bytes that a person has; nothing is known of the nodes in them.
    static func given(_ bytes: [UInt8], preset: String?, _ json: inout JSONWriter) throws(APIError) {
        let annotation = Annotation(guessing: bytes)
        let packet = annotation.packet
        let airtime = try Airtime(nil, preset: preset)
        json.null("source")
        json.null("packet")
        json.member("origin", "given")
        json.annotated(annotation)
        if let packet {
            json.way(of: packet, [])
            json.airtime(of: packet, airtime)
        } else {
            json.null("hops")
            json.null("airtime")
        }
    }
}

extension ControlAPI {
    /// The explanation of a message's bytes, in the form of `GET /local/packets/{packet}`.
    ///
    /// - Parameters:
    ///   - bytes: FromRadio, ToRadio, MeshPacket or Data, with or without the four bytes that begin a stream frame.
    ///   - preset: of the modem, as the protocol names it; nil: LONG_FAST.
    public static func explanation(of bytes: [UInt8], preset: String?) -> Response {
        let isFrame =
            bytes.count >= 4 && bytes[0] == 0x94 && bytes[1] == 0xC3
            && Int(bytes[2]) << 8 | Int(bytes[3]) == bytes.count - 4
        var json = JSONWriter()
        json.open(UInt8(ascii: "{"))
        json.member("schema", "explain/1")
        json.null("via")
        do throws(APIError) {
            guard bytes.count <= 512 + (isFrame ? 4 : 0) else {
                throw .badRequest("No message of a radio is longer than 512 bytes")
            }
            try ExplainPage.given(isFrame ? Array(bytes.dropFirst(4)) : bytes, preset: preset, &json)
        } catch {
            return error.response
        }
        json.close(UInt8(ascii: "}"))
        return .json(.bytes(json.bytes))
    }
}

extension LocalQuestion {
    fileprivate func packet(_ name: String, in source: FoundSource) throws -> LoggedPacket {
        let digits = name.lowercased()
        let number = digits.hasPrefix("0x") ? Int64(digits.dropFirst(2), radix: 16) : Int64(digits)
        guard let number, number > 0 else {
            throw APIError.badRequest(
                "\"\(name)\" is no packet; name it by its row or id, as mesh-gateway packets shows")
        }
        if !digits.hasPrefix("0x"), let row = try reader.packet(id: number, PacketQuery(in: source.id)) { return row }
        if let id = PacketID(exactly: number), let row = try reader.packet(packetID: id, in: source.id) { return row }
        throw APIError.notFound(
            "The packet log has neither a row nor a packet id \(name); mesh-gateway packets lists what it has")
    }
}

extension Reader {
    /// Who may have handed the packet on, by the last byte of their numbers: those nearest to us first, at most eight.
    fileprivate func relays(of packet: MeshPacket, in source: FoundSource) throws -> [Node] {
        guard packet.relayNode != 0 else { return [] }
        let numbers = try nodeNumbers(in: source.id, order: .lastHeardDescending).filter {
            UInt32($0.relayByte) == packet.relayNode && ($0 != packet.from || packet.hopsAway == 0)
        }
        // Only who is heard directly can be the last one on the way.
        let candidates = try nodes(numbers.prefix(256), in: source.id).filter { $0.hopsAway ?? 0 == 0 }
        return Array(candidates.prefix(8))
    }
}

extension Annotation {
    /// The packet that the bytes are, or hold.
    fileprivate var packet: MeshPacket? {
        switch kind {
        case .meshPacket: return MeshPacket(decoding: bytes)
        case .fromRadio:
            guard case .packet(let packet) = bytes.withUnsafeBytes({ FromRadio(decoding: $0) }) else { return nil }
            return packet
        case .toRadio:
            guard case .packet(let packet) = bytes.withUnsafeBytes({ ToRadio(decoding: $0) }) else { return nil }
            return packet.withoutSecrets
        case .data: return nil
        }
    }
}

extension JSONWriter {
    fileprivate mutating func annotated(_ annotation: Annotation) {
        member("message", annotation.kind.rawValue)
        member("length", annotation.bytes.count)
        member("unexplained", annotation.unexplained)
        key("fields")
        array { json in
            for field in annotation.fields {
                json.object { json in
                    json.member("offset", field.offset)
                    json.member("length", field.length)
                    json.member("depth", field.depth)
                    json.member("number", field.number)
                    json.member("name", field.name)
                    json.member("type", field.type)
                    json.member("hex", annotation.hexadecimal(of: field))
                    json.member("value", field.value)
                    json.member("isHidden", field.isHidden)
                }
            }
        }
    }

    fileprivate mutating func way(of packet: MeshPacket, _ relays: [Node]) {
        key("hops")
        object { json in
            json.member("start", packet.hopStart)
            json.member("limit", packet.hopLimit)
            json.member("away", packet.hopsAway)
            json.member("relayByte", packet.relayNode == 0 ? nil : packet.relayNode)
            json.member("nextHopByte", packet.nextHop == 0 ? nil : packet.nextHop)
            json.key("relayCandidates")
            json.array { json in for node in relays { json.object { $0.who(node.number, node) } } }
        }
    }

    fileprivate mutating func airtime(of packet: MeshPacket, _ airtime: Airtime) {
        let bytes = Airtime.bytes(of: packet)
        let seconds = airtime.modem.airtime(bytes: bytes)
        key("airtime")
        object { json in
            json.member("preset", airtime.preset)
            json.member("isAssumed", airtime.isAssumed)
            json.member("spreadingFactor", airtime.modem.spreadingFactor)
            json.member("bandwidth", airtime.modem.bandwidth)
            json.member("codingRate", airtime.modem.codingRate)
            json.member("bytes", bytes)
            json.member("milliseconds", (seconds * 10_000).rounded() / 10)
            json.member("region", airtime.region)
            json.member("dutyCyclePercent", airtime.dutyCycle)
            // Of the seconds in an hour that are allowed.
            json.member("sharePercent", (seconds / (36 * airtime.dutyCycle) * 100_000).rounded() / 1000)
        }
    }
}

/// What decides how long a packet is on the air, and how much of that a radio may.
private struct Airtime {
    let modem: ModemPreset.Modem
    let preset: String
    /// Nobody said how the radio is set.
    let isAssumed: Bool
    let region: String?
    /// Per cent of an hour that a radio may send in this region.
    let dutyCycle: Double

    init(_ lora: LoRaSettings?, preset name: String?) throws(APIError) {
        if let name {
            guard let number = (0...16).first(where: { EnumNames.modemPreset($0) == name.uppercased() }) else {
                let names = (0...16).compactMap { EnumNames.modemPreset($0) }.joined(separator: ", ")
                throw .badRequest("There is no modem preset \"\(name)\"; there are \(names)")
            }
            modem = ModemPreset(rawValue: number).modem
            preset = name.uppercased()
        } else {
            modem = (lora ?? LoRaSettings()).modem
            let number = lora?.modemPreset.rawValue ?? 0
            preset = lora?.usePreset == false ? "CUSTOM" : EnumNames.modemPreset(number) ?? "\(number)"
        }
        isAssumed = name == nil && lora?.usePreset != true
        region = lora.flatMap { EnumNames.region($0.region) }
        dutyCycle = region.flatMap { Self.limits[$0] } ?? 100
    }

    /// Serial reference 8.3, of a radio that is no router.
    private static let limits: [String: Double] = [
        "EU_433": 10, "EU_868": 10, "EU_866": 2.5, "EU_N_868": 10, "TH": 10, "UA_433": 10, "UA_868": 1,
    ]

    /// The radio's header, and behind it the encrypted Data; a key of one's own costs twelve bytes more (8.1).
    static func bytes(of packet: MeshPacket) -> Int {
        switch packet.payload {
        case .decoded(let data): 16 + data.encoded().count + (packet.pkiEncrypted ? 12 : 0)
        case .encrypted(let bytes): 16 + bytes.count
        case .none: 16
        }
    }
}

import Gateway
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
        let airtime = try Self.airtime(lora, preset: question.request.queryValue("preset"))
        json.source(source)
        json.key("packet")
        json.logged(row, try reader.nodes(of: [row], in: source))
        json.member("origin", "log")
        json.annotated(Annotation(row.packet.encoded(), as: .meshPacket))
        let relays = try reader.relays(of: row.packet, in: source.id)
        json.way(of: row.packet, relays) { json, node in json.object { $0.who(node.number, node) } }
        json.airtime(of: row.packet, airtime)
    }

    private static func airtime(_ lora: LoRaSettings?, preset: String?) throws(APIError) -> Airtime {
        do throws(Airtime.UnknownPreset) {
            return try Airtime(lora, preset: preset)
        } catch {
            throw .badRequest("There is no modem preset \"\(error.name)\"; there are \(error.known)")
        }
    }

    /// The same of bytes that a person has; nothing is known of the nodes in them.
    static func given(_ bytes: [UInt8], preset: String?, _ json: inout JSONWriter) throws(APIError) {
        let annotation = Annotation(guessing: bytes)
        let packet = annotation.packet
        let airtime = try Self.airtime(nil, preset: preset)
        json.null("source")
        json.null("packet")
        json.member("origin", "given")
        json.annotated(annotation)
        if let packet {
            json.way(of: packet, []) { _, _ in }
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

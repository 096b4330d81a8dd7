import CMeshtastic
import Foundation
import MeshModel

// An oracle says what a recording means, decoded by Google's protobuf runtime with the official schema. There are two
// dialects: the recordings of 2.8 name every field and give null for an absent one, those of 2.7 ("27-…") leave absent
// fields out and nest what is inside of a packet.

struct Oracle {
    /// Host milliseconds at which the recording is played: its end. One moment for all of it, so that what depends on
    /// the clock has one outcome.
    let time: Int64
    let ownNumber: NodeNumber
    let deviceID: [UInt8]?
    let rebootCount: UInt32
    let firmwareVersion: String?
    /// Config.lora.
    let lora: Fields
    let channels: [Channel]
    /// Every node_info that the oracle has, in order.
    let nodeInfos: [(t: Double, info: Fields)]
    let packets: [OraclePacket]
    let sentTexts: [OracleSent]
    let notifications: [Fields]

    init(named name: String) throws {
        let data = try Data(contentsOf: RecordingFiles.folder.appendingPathComponent(name + ".oracle.json"))
        let root = Fields(try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:])
        ownNumber = NodeNumber(root["my_info"].unsigned("my_node_num"))
        deviceID = root["my_info"].bytes("device_id")
        rebootCount = root["my_info"].unsigned("reboot_count")
        firmwareVersion = root["metadata"].string("firmware_version")
        lora =
            root["config"].has("lora") ? root["config"]["lora"] : root.list("config").first { $0.has("lora") }!["lora"]
        channels = root.list("channels").map(Self.channel)
        if name.hasPrefix("27-") {
            // A moment after the last one that any of them names.
            time = 1_795_246_300_000
            nodeInfos = root.list("handshakes").flatMap { handshake in
                handshake.list("node_infos").map { (handshake.double("t"), $0) }
            }
            packets = root.list("packets").map { OraclePacket(nested: $0) }
            sentTexts = root["delivery"].raw.compactMap { id, value in
                OracleSent(id: PacketID(id)!, nested: Fields(value as? [String: Any] ?? [:]))
            }
            notifications = root.list("notifications")
        } else {
            time = Int64((root.double("t0_unix") + root.double("duration_s")) * 1000)
            nodeInfos = root.list("nodes_last_node_info").map { ($0.double("t"), $0) }
            packets = root.list("packets_received").map { OraclePacket(flat: $0) }
            sentTexts = root.list("texts_sent").map { OracleSent(flat: $0) }
            notifications = root.list("client_notifications")
        }
    }

    private static func channel(_ fields: Fields) -> Channel {
        let settings = fields["settings"]
        let module = settings.has("module_settings") ? settings["module_settings"] : nil
        let roles: [String: Channel.Role] = ["PRIMARY": .primary, "SECONDARY": .secondary, "DISABLED": .disabled]
        return Channel(
            index: Int(fields.unsigned("index")), role: roles[fields.string("role") ?? "DISABLED"]!,
            name: settings.string("name") ?? "", psk: settings.bytes("psk") ?? [], id: settings.unsigned("id"),
            uplinkEnabled: settings.bool("uplink_enabled"), downlinkEnabled: settings.bool("downlink_enabled"),
            positionPrecision: module.map { $0.unsigned("position_precision") },
            isMuted: module?.bool("is_muted") ?? false)
    }
}

/// A packet as the oracle has it. `nil` where the field was absent.
struct OraclePacket {
    var t: Double
    var from: NodeNumber
    var to: NodeNumber
    var id: PacketID
    var channel: UInt32
    var port: UInt32
    /// Nil when the oracle keeps it back: it holds a private key.
    var payload: [UInt8]?
    /// The payload's fields; nil for a port that has no message.
    var content: Fields?
    var wantResponse: Bool
    var requestID: PacketID
    var replyID: PacketID
    var emoji: UInt32
    var bitfield: UInt32?
    var rxTime: UInt32?
    var rxSNR: Double
    var rxRSSI: Int?
    var hopStart: UInt32
    var hopLimit: UInt32
    var wantAck: Bool
    var priority: UInt32
    var viaMQTT: Bool
    var pkiEncrypted: Bool
    var publicKey: [UInt8]?
    var nextHop: UInt32
    var relayNode: UInt32
    var transport: UInt32
    var xeddsaSigned: Bool
    /// The firmware repeats a cached value (INDEX.md): LoRa, priority 10, no signal strength.
    var isReplay: Bool { transport == 1 && priority == 10 && rxRSSI == nil }

    init(flat fields: Fields) {
        self.init(packet: fields, data: fields, port: fields.unsigned("portnum"))
        content = fields.has("decoded") ? fields["decoded"] : nil
    }

    init(nested fields: Fields) {
        let data = fields["decoded"]
        self.init(packet: fields, data: data, port: data.unsigned("portnum_int"))
        content = data.has("payload_decoded") ? data["payload_decoded"] : nil
    }

    private init(packet: Fields, data: Fields, port: UInt32) {
        t = packet.double("t")
        from = NodeNumber(packet.unsigned("from"))
        to = NodeNumber(packet.unsigned("to"))
        id = packet.unsigned("id")
        channel = packet.unsigned("channel")
        self.port = port
        payload = data.string("payload_hex").flatMap { $0.hasPrefix("sha256:") ? nil : hexadecimal($0) }
        if !data.has("payload_hex") { payload = [] }
        wantResponse = data.bool("want_response")
        requestID = data.unsigned("request_id")
        replyID = data.unsigned("reply_id")
        emoji = data.unsigned("emoji")
        bitfield = data.has("bitfield") ? data.unsigned("bitfield") : nil
        rxTime = packet.has("rx_time") ? packet.unsigned("rx_time") : nil
        rxSNR = packet.double("rx_snr")
        rxRSSI = packet.has("rx_rssi") ? Int(packet.double("rx_rssi")) : nil
        hopStart = packet.unsigned("hop_start")
        hopLimit = packet.unsigned("hop_limit")
        wantAck = packet.bool("want_ack")
        priority = packet.number("priority", in: meshtastic__mesh_packet__priority__descriptor)
        viaMQTT = packet.bool("via_mqtt")
        pkiEncrypted = packet.bool("pki_encrypted")
        publicKey = packet.bytes("public_key")
        nextHop = packet.unsigned("next_hop")
        relayNode = packet.unsigned("relay_node")
        transport = packet.number(
            "transport_mechanism", in: meshtastic__mesh_packet__transport_mechanism__descriptor)
        xeddsaSigned = packet.bool("xeddsa_signed")
    }

    /// Claims the radio's own number, but was heard on the air.
    func isSpoofed(own: NodeNumber) -> Bool { from == own && rxRSSI != nil }

    /// As the firmware counts (NodeDB::getHopsAway): nil when the packet does not tell.
    var hopsAway: UInt32? {
        (hopStart == 0 && bitfield == nil) || hopStart < hopLimit ? nil : hopStart - hopLimit
    }
}

/// A text that the recorded host sent, and what became of it.
struct OracleSent {
    enum Final: Equatable { case confirmed, delivered, failed(UInt32), pending }

    var id: PacketID
    var text: String
    var final: Final

    init(flat fields: Fields) {
        id = fields.unsigned("id")
        text = fields.string("text") ?? ""
        final =
            switch fields.string("final") {
            // A message to ourselves is acknowledged by its recipient.
            case "real_ack", "local_ack": .confirmed
            case "implicit_ack": .delivered
            case "nak": .failed(fields.unsigned("final_error"))
            default: .pending
            }
    }

    init?(id: PacketID, nested fields: Fields) {
        guard fields.unsigned("portnum") == 1, let text = fields.string("text"), let final = fields.string("final")
        else { return nil }
        self.id = id
        self.text = text
        if final.hasPrefix("nak:") {
            let name = Fields(["error": String(final.dropFirst(4))])
            self.final = .failed(name.number("error", in: meshtastic__routing__error__descriptor))
        } else {
            self.final =
                ["acked_by_destination": Final.confirmed, "implicit_ack": .delivered][final] ?? .pending
        }
    }
}

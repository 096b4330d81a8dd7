import CMeshtastic
import Foundation
import MeshModel
import MeshProtocol
import Testing

/// The values that the gateway works with, against the oracles: every field of every packet, and what it carries.
@Suite struct PacketsDecodeAsTheirOraclesSay {
    @Test(arguments: Recording.all) func packets(_ recording: Recording) throws {
        let oracle = try recording.oracle()
        let wanted = try #require((oracle["packets_received"] ?? oracle["packets"]) as? [[String: Any]])
        let packets = try recording.listen().messages.compactMap { message -> MeshPacket? in
            if case .packet(let packet) = message { packet } else { nil }
        }
        #expect(packets.count == wanted.count)
        for (packet, json) in zip(packets, wanted) {
            let problems = Facts(json, in: oracle).problems(with: packet)
            #expect(problems == [], "packet \(packet.id)")
        }
    }

    @Test(arguments: Recording.all) func queueStatus(_ recording: Recording) throws {
        let oracle = try recording.oracle()
        let wanted = try #require((oracle["queue_status"] ?? oracle["queueStatus"]) as? [[String: Any]])
        let statuses = try recording.listen().messages.compactMap { message -> QueueStatus? in
            if case .queueStatus(let status) = message { status } else { nil }
        }
        #expect(
            statuses
                == wanted.map { json in
                    QueueStatus(
                        result: Int32(json["res"] as? Int ?? 0), free: UInt32(json["free"] as? Int ?? 0),
                        capacity: UInt32(json["maxlen"] as? Int ?? 0),
                        packetID: PacketID(json["mesh_packet_id"] as? Int ?? 0))
                })
    }

    @Test(arguments: Recording.all.filter { !$0.name.hasPrefix("27-") }) func nodes(_ recording: Recording) throws {
        let wanted = try #require(try recording.oracle()["nodes_last_node_info"] as? [[String: Any]])
        var last: [UInt32: NodeInfo] = [:]
        for case .nodeInfo(let node) in try recording.listen().messages { last[node.number.rawValue] = node }
        #expect(last.count == wanted.count)
        for json in wanted {
            let number = UInt32(try #require(json["num"] as? Int))
            let node = try #require(last[number])
            #expect(node.snr == (json["snr"] as? NSNumber)?.floatValue ?? 0)
            #expect(Int(node.lastHeard) == json["last_heard"] as? Int ?? 0)
            #expect(node.hopsAway.map { Int($0) } == json["hops_away"] as? Int)
            #expect(Int(node.channel) == json["channel"] as? Int ?? 0)
            #expect(node.viaMQTT == json["via_mqtt"] as? Bool)
            #expect(node.isFavorite == json["is_favorite"] as? Bool)
            #expect(node.isIgnored == json["is_ignored"] as? Bool)
            #expect(node.isMuted == json["is_muted"] as? Bool)
            #expect(node.isKeyManuallyVerified == json["is_key_manually_verified"] as? Bool)
            #expect(node.hasXEdDSASigned == json["has_xeddsa_signed"] as? Bool)
            #expect((node.position == nil) == (json["position"] is NSNull))
            #expect((node.deviceMetrics == nil) == (json["device_metrics"] is NSNull))
            let user = json["user"] as? [String: Any]
            #expect((node.user == nil) == (user == nil))
            if let user, let ours = node.user {
                #expect(ours.id == user["id"] as? String)
                #expect(ours.longName == user["long_name"] as? String)
                #expect(ours.shortName == user["short_name"] as? String)
                #expect(Int(ours.hardwareModel) == user["hw_model"] as? Int)
                #expect(Int(ours.role) == user["role"] as? Int)
                #expect(ours.isLicensed == user["is_licensed"] as? Bool)
                #expect(ours.isUnmessagable == user["is_unmessagable"] as? Bool)
                #expect(ours.publicKey.map { Data($0.bytes).base64EncodedString() } == user["public_key"] as? String)
            }
        }
    }
}

/// One packet of an oracle, in either of the two shapes that the recordings have.
private struct Facts {
    var json: [String: Any]
    /// The 2.7 oracles leave out zeros and put Data's fields below `decoded`.
    var isOld: Bool

    init(_ json: [String: Any], in oracle: [String: Any]) {
        isOld = oracle["packets"] != nil
        self.json = json
        if isOld, let decoded = json["decoded"] as? [String: Any] {
            self.json.merge(decoded) { outer, _ in outer }
            self.json["portnum"] = decoded["portnum_int"]
            self.json["decoded"] = decoded["payload_decoded"]
        }
    }

    private func number(_ key: String) -> Int? {
        if let number = json[key] as? Int { return number }
        if let text = json[key] as? String {
            // Enum names occur in the old shape only.
            return ["ACK": 120, "TRANSPORT_LORA": 1, "RELIABLE": 70, "RESPONSE": 80, "BACKGROUND": 10, "HIGH": 100][
                text]
                ?? -1
        }
        return nil
    }

    private func flag(_ key: String) -> Bool { json[key] as? Bool ?? false }

    func problems(with packet: MeshPacket) -> [String] {
        var problems: [String] = []
        func check<Value: Equatable>(_ key: String, _ ours: Value, _ wanted: Value) {
            if ours != wanted { problems.append("\(key): \(ours), the oracle has \(wanted)") }
        }
        check("from", Int(packet.from.rawValue), number("from") ?? 0)
        check("to", Int(packet.to.rawValue), number("to") ?? 0)
        check("id", Int(packet.id), number("id") ?? 0)
        check("channel", Int(packet.channel), number("channel") ?? 0)
        check("rx_time", packet.rxTime.map { Int($0) }, number("rx_time"))
        check("rx_snr", packet.rxSNR, (json["rx_snr"] as? NSNumber)?.floatValue ?? 0)
        check("rx_rssi", packet.rxRSSI.map { Int($0) }, number("rx_rssi"))
        check("hop_start", Int(packet.hopStart), number("hop_start") ?? 0)
        check("hop_limit", Int(packet.hopLimit), number("hop_limit") ?? 0)
        check("want_ack", packet.wantAck, flag("want_ack"))
        check("priority", Int(packet.priority), number("priority") ?? 0)
        check("via_mqtt", packet.viaMQTT, flag("via_mqtt"))
        check("pki_encrypted", packet.pkiEncrypted, flag("pki_encrypted"))
        let key = packet.publicKey.map { Data($0.bytes).base64EncodedString() }
        check("public_key", key, json["public_key"] as? String)
        check("next_hop", Int(packet.nextHop), number("next_hop") ?? 0)
        check("relay_node", Int(packet.relayNode), number("relay_node") ?? 0)
        check("transport_mechanism", Int(packet.transport.rawValue), number("transport_mechanism") ?? 0)
        check("xeddsa_signed", packet.xeddsaSigned, flag("xeddsa_signed"))
        if !isOld { check("looks_like_replay", packet.isReplay, flag("looks_like_replay")) }
        guard let data = packet.decoded else { return problems + ["not decoded"] }
        check("portnum", Int(data.port.rawValue), number("portnum") ?? 0)
        check("want_response", data.wantResponse, flag("want_response"))
        check("request_id", Int(data.requestID), number("request_id") ?? 0)
        check("reply_id", Int(data.replyID), number("reply_id") ?? 0)
        check("emoji", Int(data.emoji), number("emoji") ?? 0)
        check("bitfield", data.bitfield.map { Int($0) }, number("bitfield"))
        return problems + payloadProblems(data)
    }

    /// The payload, and the value read from it: written again, it must still be what the oracle read.
    private func payloadProblems(_ data: MeshData) -> [String] {
        var problems: [String] = []
        if let hex = json["payload_hex"] as? String, !hex.hasPrefix("sha256") {
            let wanted = data.port == .admin ? Redaction.adminPayload(bytes(hex)) : bytes(hex)
            if data.payload != wanted { problems.append("payload: not \(hex)") }
        }
        let decoded = json["decoded"] as? [String: Any]
        switch PacketContent(data) {
        case .text(let text):
            let wanted = (json["text"] as? String ?? "").filter { $0 != "\u{7}" }.map { $0 == "\0" ? "\u{FFFD}" : $0 }
            if json["text"] is String, text.withoutBell.text != String(wanted) { problems.append("text: \(text)") }
        case .position(let value): problems += compare(meshtastic__position__descriptor, value.encoded(), decoded)
        case .nodeInfo(let value): problems += compare(meshtastic__user__descriptor, value.encoded(), decoded)
        case .routing(let value): problems += compare(meshtastic__routing__descriptor, value.encoded(), decoded)
        case .waypoint(let value): problems += compare(meshtastic__waypoint__descriptor, value.encoded(), decoded)
        case .telemetry(let value):
            problems += compare(meshtastic__telemetry__descriptor, value.encoded(), decoded.map(withoutInfinities))
        case .traceroute(let value):
            problems += compare(meshtastic__route_discovery__descriptor, value.encoded(), decoded)
        case .neighborInfo(let value):
            problems += compare(meshtastic__neighbor_info__descriptor, value.encoded(), decoded)
        case .paxcounter(let value): problems += compare(meshtastic__paxcount__descriptor, value.encoded(), decoded)
        case .nodeStatus(let status):
            if status != decoded?["status"] as? String ?? "" { problems.append("status: \(status)") }
        case .storeForward(let value):
            if value != storeForward(decoded) { problems.append("store and forward: \(value)") }
        case .admin:
            if let decoded, !holdsSecrets(decoded) {
                problems += compare(meshtastic__admin_message__descriptor, data.payload, decoded)
            }
        case .raw:
            // A Telemetry with a time and nothing else says nothing.
            let isBare = data.port == .telemetry && decoded?.keys.contains { $0 != "time" } == false
            if let decoded, !decoded.isEmpty, !isBare, data.port != .mapReport { problems.append("kept raw") }
        case .undecodable: problems.append("undecodable")
        }
        return problems
    }

    private func compare(_ type: ProtobufCMessageDescriptor, _ bytes: [UInt8], _ json: [String: Any]?) -> [String] {
        guard let json else { return ["the oracle has nothing"] }
        return withMessage(type, bytes) { OracleComparison(json, $0, "decoded").problems } ?? ["not written"]
    }

    /// NaN and infinities are dropped.
    private func withoutInfinities(_ json: [String: Any]) -> [String: Any] {
        json.mapValues { value in
            guard let metrics = value as? [String: Any] else { return value }
            return metrics.filter { !["NaN", "Infinity", "-Infinity"].contains($0.value as? String ?? "") }
        }
    }

    private func holdsSecrets(_ json: [String: Any]) -> Bool {
        json.keys.contains { ["session_passkey", "get_config_response", "get_module_config_response"].contains($0) }
    }

    private func storeForward(_ json: [String: Any]?) -> StoreForward {
        let text = (json?["text"] as? String).flatMap { Data(base64Encoded: $0) }.map {
            String(decoding: $0, as: UTF8.self)
        }
        let number = { (message: String, field: String) in
            (json?[message] as? [String: Any])?[field] as? UInt32
        }
        switch json?["rr"] as? String {
        case "ROUTER_TEXT_DIRECT": return .text(text ?? "", broadcast: false, original: json?["original_id"] as? UInt32)
        case "ROUTER_TEXT_BROADCAST":
            return .text(text ?? "", broadcast: true, original: json?["original_id"] as? UInt32)
        case "ROUTER_HEARTBEAT": return .heartbeat(period: number("heartbeat", "period"))
        case "ROUTER_STATS":
            return .stats(
                saved: number("stats", "messages_saved") ?? 0, most: number("stats", "messages_max") ?? 0)
        default: return .other(0)
        }
    }
}

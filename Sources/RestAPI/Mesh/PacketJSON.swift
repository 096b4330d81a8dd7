import Gateway
import JSON
import MeshModel
import Routes
import Store

/// What a row of `packets` shows beside the packet itself.
struct PacketContext {
    let source: Source
    let caller: Caller
    /// Of the nodes that have a row.
    let longNames: [NodeNumber: String]
    /// The ids among them that we have issued for messages: what came in under them is an echo.
    let ownMessages: Set<PacketID>
}

extension JSONWriter {
    /// One row of `packets`: keys with underscores and integers for flags, unlike everything else (Contract 3.10).
    mutating func packet(_ logged: LoggedPacket, in context: PacketContext) {
        let packet = logged.packet
        let isOwn = logged.direction == .tx
        object { json in
            json.addresses(of: logged)
            json.content(of: packet)
            json.reception(of: packet)
            json.member("payload_size", packet.payloadSize)
            json.member("want_ack", packet.wantAck ? 1 : 0)
            json.member("priority", packet.priority)
            let showsPosition = context.caller.maySeePlaces(in: logged)
            json.member("payload_preview", packet.preview(at: logged.at, isOwn: isOwn, showsPosition: showsPosition))
            json.member("metadata", packet.metadata(showsPosition: showsPosition))
            let isSent = isOwn || packet.isSent(by: context.source.nodeNumber)
            json.member("direction", isSent ? "tx" : "rx")
            json.member("created_at", logged.at)
            let decryptedByNode = !isOwn && packet.decoded != nil ? "node" : nil
            json.member("decrypted_by", logged.decryptedWith == nil ? decryptedByNode : "server")
            json.member("decrypted_channel_id", logged.decryptedWith)
            json.member("transport_mechanism", packet.transport.rawValue)
            json.member("sourceId", context.source.uuid)
            let isSpoofed =
                !isOwn && context.source.nodeNumber.map { packet.isSpoofed(own: $0) } == true
                && !context.ownMessages.contains(packet.id)
            json.member("spoof_suspected", isSpoofed ? 1 : nil as Int?)
            json.member("xeddsa_signed", packet.xeddsaSigned)
            json.member("from_node_longName", context.longNames[packet.from])
            json.member("to_node_longName", context.longNames[packet.to])
        }
    }

    private mutating func addresses(of logged: LoggedPacket) {
        let packet = logged.packet
        let isOwnBroadcast = logged.direction == .tx && packet.to.isBroadcast
        member("id", logged.id)
        member("packet_id", isOwnBroadcast ? nil : packet.id)
        member("timestamp", logged.at)
        member("from_node", packet.from.rawValue)
        member("from_node_id", packet.from.id)
        member("to_node", packet.to.rawValue)
        // As in rows of messages (Contract 7.11).
        member("to_node_id", isOwnBroadcast ? "broadcast" : packet.to.id)
        member("channel", packet.channel)
    }

    private mutating func content(of packet: MeshPacket) {
        let port = packet.decoded?.port ?? .unknown
        member("portnum", port.rawValue)
        member("portnum_name", port.name ?? "UNKNOWN_\(port.rawValue)")
        member("encrypted", packet.decoded == nil ? 1 : 0)
    }

    private mutating func reception(of packet: MeshPacket) {
        float("snr", packet.rxRSSI == nil && packet.rxSNR == 0 ? nil : Double(packet.rxSNR))
        member("rssi", packet.rxRSSI)
        member("hop_limit", packet.hopLimit)
        member("hop_start", packet.hopStart)
        member("relay_node", packet.relayNode)
    }
}

extension MeshPacket {
    /// Whether the radio has sent this by itself, as far as MeshMonitor tells (Contract 3.10): under our own number,
    /// not received by any way, and not relayed. Under our number a stranger is received.
    fileprivate func isSent(by own: NodeNumber?) -> Bool {
        from == own && [.internal, .api].contains(transport) && rxRSSI == nil && rxSNR == 0 && hopStart <= hopLimit
            && !viaMQTT
    }
}

import CMeshtastic
import MeshModel

extension MeshPacket {
    /// Reads one packet without the secrets of an ADMIN payload; nil when `bytes` are not one.
    public init?(decoding bytes: [UInt8]) {
        let packet = bytes.withUnsafeBytes {
            unpacked($0, meshtastic__mesh_packet__unpack, meshtastic__mesh_packet__free_unpacked) { MeshPacket($0) }
        }
        guard let packet else { return nil }
        self = packet.withoutSecrets
    }

    /// The packet as it may be stored, told and shown: what administers a radio, or answers to that, can hold its private
    /// key and other secrets. Whatever comes from a radio or out of a decryption passes here as it becomes a value.
    public var withoutSecrets: MeshPacket {
        guard let data = decoded, data.port == .admin else { return self }
        var packet = self
        packet.payload = .decoded(data.withoutSecrets)
        return packet
    }

    /// The packet as a radio would send it, without the fields that we do not keep.
    public func encoded() -> [UInt8] { packed(wire) }

    init(_ m: Meshtastic__MeshPacket) {
        let payload: Payload =
            switch m.payload_variant_case {
            case MESHTASTIC__MESH_PACKET__PAYLOAD_VARIANT_DECODED:
                m.decoded.map { .decoded(MeshData($0.pointee)) } ?? .none
            case MESHTASTIC__MESH_PACKET__PAYLOAD_VARIANT_ENCRYPTED: .encrypted(m.encrypted.copy)
            default: .none
            }
        self.init(
            from: NodeNumber(m.from), to: NodeNumber(m.to), channel: m.channel, id: m.id, payload: payload,
            rxTime: m.has_rx_time != 0 ? m.rx_time : nil, rxSNR: finite(m.rx_snr),
            rxRSSI: m.has_rx_rssi != 0 ? m.rx_rssi : nil, hopLimit: m.hop_limit, hopStart: m.hop_start,
            wantAck: m.want_ack != 0, priority: m.priority.rawValue, viaMQTT: m.via_mqtt != 0,
            publicKey: PublicKey(m.public_key.copy), pkiEncrypted: m.pki_encrypted != 0, nextHop: m.next_hop,
            relayNode: m.relay_node, transport: Transport(rawValue: m.transport_mechanism.rawValue),
            xeddsaSigned: m.xeddsa_signed != 0,
            ackProof: AckProof(rawValue: m.ack_proof_status.rawValue) ?? .absent, delayed: m.delayed.rawValue)
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__MeshPacket> {
        arena.make(meshtastic__mesh_packet__init) { m in
            (m.has_from, m.from) = implicit(from.rawValue)
            (m.has_to, m.to) = implicit(to.rawValue)
            (m.has_channel, m.channel) = implicit(channel)
            (m.has_id, m.id) = implicit(id)
            (m.has_rx_time, m.rx_time) = explicit(rxTime)
            (m.has_rx_snr, m.rx_snr) = implicit(rxSNR)
            (m.has_hop_limit, m.hop_limit) = implicit(hopLimit)
            (m.has_want_ack, m.want_ack) = implicit(wantAck)
            (m.has_priority, m.priority) = implicit(enum: priority)
            (m.has_rx_rssi, m.rx_rssi) = explicit(rxRSSI)
            (m.has_delayed, m.delayed) = implicit(enum: delayed)
            (m.has_via_mqtt, m.via_mqtt) = implicit(viaMQTT)
            (m.has_hop_start, m.hop_start) = implicit(hopStart)
            (m.has_public_key, m.public_key) = arena.bytes(publicKey?.bytes ?? [])
            (m.has_pki_encrypted, m.pki_encrypted) = implicit(pkiEncrypted)
            (m.has_next_hop, m.next_hop) = implicit(nextHop)
            (m.has_relay_node, m.relay_node) = implicit(relayNode)
            (m.has_transport_mechanism, m.transport_mechanism) = implicit(enum: transport.rawValue)
            (m.has_xeddsa_signed, m.xeddsa_signed) = implicit(xeddsaSigned)
            (m.has_ack_proof_status, m.ack_proof_status) = implicit(enum: ackProof.rawValue)
            switch payload {
            case .decoded(let data):
                m.payload_variant_case = MESHTASTIC__MESH_PACKET__PAYLOAD_VARIANT_DECODED
                m.decoded = data.wire(arena)
            case .encrypted(let bytes):
                m.payload_variant_case = MESHTASTIC__MESH_PACKET__PAYLOAD_VARIANT_ENCRYPTED
                m.encrypted = arena.bytes(bytes).1
            case .none: break
            }
        }
    }
}

extension MeshData {
    /// Reads a Data message that was decrypted, without the secrets of an ADMIN payload; nil when it is none.
    init?(decoding bytes: [UInt8]) {
        let data = bytes.withUnsafeBytes {
            unpacked($0, meshtastic__data__unpack, meshtastic__data__free_unpacked) { MeshData($0) }
        }
        guard let data else { return nil }
        self = data.withoutSecrets
    }

    fileprivate var withoutSecrets: MeshData {
        guard port == .admin else { return self }
        var data = self
        data.payload = Redaction.adminPayload(payload)
        return data
    }

    /// What is encrypted before it goes on the air.
    public func encoded() -> [UInt8] { packed(wire) }

    init(_ m: Meshtastic__Data) {
        self.init(
            port: PortNumber(rawValue: m.portnum.rawValue), payload: m.payload.copy, wantResponse: m.want_response != 0,
            dest: m.dest, source: m.source,
            requestID: m.request_id, replyID: m.reply_id, emoji: m.emoji,
            bitfield: m.has_bitfield != 0 ? m.bitfield : nil, xeddsaSignature: m.xeddsa_signature.copy)
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__Data> {
        arena.make(meshtastic__data__init) { m in
            (m.has_portnum, m.portnum) = implicit(enum: port.rawValue)
            (m.has_payload, m.payload) = arena.bytes(payload)
            (m.has_want_response, m.want_response) = implicit(wantResponse)
            (m.has_dest, m.dest) = implicit(dest)
            (m.has_source, m.source) = implicit(source)
            (m.has_request_id, m.request_id) = implicit(requestID)
            (m.has_reply_id, m.reply_id) = implicit(replyID)
            (m.has_emoji, m.emoji) = implicit(emoji)
            (m.has_bitfield, m.bitfield) = explicit(bitfield)
            (m.has_xeddsa_signature, m.xeddsa_signature) = arena.bytes(xeddsaSignature)
        }
    }
}

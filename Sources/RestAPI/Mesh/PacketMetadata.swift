import JSON
import MeshModel
import MeshProtocol
import Nettle

extension MeshPacket {
    /// JSON in a text (Contract 3.10).
    ///
    /// - Parameter showsPosition: the reader may see where nodes are.
    func metadata(showsPosition: Bool) -> String {
        var json = JSONWriter(capacity: 512)
        json.object { json in
            json.member("id", id)
            json.member("rx_time", rxTime)
            json.float("rx_snr", Double(rxSNR))
            json.member("rx_rssi", rxRSSI)
            json.member("hop_limit", hopLimit)
            json.member("hop_start", hopStart)
            json.member("want_ack", wantAck)
            json.member("priority", priority)
            json.member("transport_mechanism", transport.rawValue)
            if xeddsaSigned { json.member("xeddsa_signed", true) }
            if case .encrypted(let bytes) = payload { json.member("encrypted_payload", hexadecimal(bytes)) }
            guard let data = decoded, showsPosition || !data.port.saysWhereNodesAre,
                let payload = DecodedPayload(data)
            else { return }
            json.key("decoded_payload")
            json.value(payload)
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ payload: DecodedPayload) {
        switch payload {
        case .object(let members):
            object { json in
                for member in members {
                    json.key(text: member.name)
                    json.value(member.value)
                }
            }
        case .list(let elements): array { json in for element in elements { json.value(element) } }
        case .text(let text): value(text.withoutBell.text)
        case .integer(let number): value(number)
        case .number(let number): float(Double(number))
        case .flag(let flag): value(flag)
        case .octets(let bytes): octets(bytes)
        }
    }

    /// As JavaScript prints a Uint8Array, and MeshMonitor therefore a payload that it does not decode: a member a byte,
    /// named by its place.
    private mutating func octets(_ bytes: [UInt8]) {
        if bytes.isEmpty { return array { _ in } }
        object { json in
            for (place, byte) in bytes.enumerated() {
                json.key(text: String(place))
                json.value(byte)
            }
        }
    }
}

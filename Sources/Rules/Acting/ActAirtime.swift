import Gateway
import MeshModel

/// What the packets of acts take of the air.
enum ActAirtime {
    /// Bytes of a text as it is sent, its header included.
    ///
    /// - Parameter isEncrypted: for its recipient alone, by keys.
    static func bytes(of text: String, isReply: Bool, isTapback: Bool = false, isEncrypted: Bool = false) -> Int {
        let data = MeshData(
            port: .textMessage, payload: Array(text.utf8), replyID: isReply ? 1 : 0, emoji: isTapback ? 1 : 0)
        return Airtime.bytes(
            of: MeshPacket(
                from: .broadcast, to: .broadcast, id: 1, payload: .decoded(data), pkiEncrypted: isEncrypted))
    }

    /// Bytes of a request or announcement. What is in it is known only when it leaves: this is the most.
    static func bytes(of request: NodeRequest) -> Int {
        switch request {
        case .nodeInfo: 120
        case .position: 60
        case .traceroute: 60
        case .neighbors, .telemetry, .environment, .airQuality, .power, .localStats: 40
        }
    }

    static func milliseconds(bytes: Int, _ lora: LoRaSettings?) -> Int64 {
        Int64(((lora ?? LoRaSettings()).modem.airtime(bytes: min(bytes, 255)) * 1_000).rounded(.up))
    }
}

import MeshModel
import MeshProtocol

/// What a healthy radio sends.
struct RadioAnswers: Sendable {
    var number = NodeNumber(0x1234_5678)
    var deviceID = [UInt8](1...16)
    var region: UInt32 = 3
    var nodeCount: UInt32 = 3
    /// 0: the radio does not tell.
    var rebootCount: UInt32 = 0
    var firmware = "2.7.26.54e0d8d"
    var others: [NodeNumber] = [NodeNumber(0xA1), NodeNumber(0xA2)]
    static let privateKey = [UInt8](repeating: 0x5A, count: 32)

    /// SerialReference 2.3.
    func handshake(_ nonce: UInt32) -> [FromRadio] {
        let isSettings = nonce != ToRadio.nodesOnlyNonce
        var frames: [FromRadio] = []
        if isSettings { frames.append(.myInfo(myInfo)) }
        frames += [.other(variant: 17), .nodeInfo(NodeInfo(number: number)), .metadata(metadata)]
        for index in 0..<8 {
            frames.append(.channel(Channel(index: index, role: index == 0 ? .primary : .disabled)))
        }
        frames += (1...10).map { .config(config($0)) }
        frames += (1...16).map { .moduleConfig(ModuleConfigSection(tag: $0)) }
        if nonce != ToRadio.configOnlyNonce { frames += others.map { .nodeInfo(NodeInfo(number: $0)) } }
        return frames + [.configComplete(nonce)]
    }

    var myInfo: MyNodeInfo {
        MyNodeInfo(number: number, rebootCount: rebootCount, deviceID: deviceID, nodeDBCount: nodeCount)
    }
    var metadata: DeviceMetadata { DeviceMetadata(firmwareVersion: firmware) }

    private func config(_ tag: UInt32) -> ConfigSection {
        switch tag {
        case 1: .device(role: 0)
        case 4: .network(enabledProtocols: 1)
        case 6: .lora(LoRaSettings(region: region, hopLimit: 3))
        case 8:
            .security(
                SecuritySettings(
                    publicKey: PublicKey([UInt8](repeating: 7, count: 32)), isManaged: false, serialEnabled: true,
                    debugLogAPIEnabled: false))
        default: .other(tag: tag)
        }
    }

    /// Config.security as real radios send it, private key included: field 5 of FromRadio, 8 of Config, 2 of it.
    static let securityFrameWithPrivateKey: [UInt8] =
        [0x2A, 38, 0x42, 36, 0x12, 32] + privateKey + [0x28, 1]
}

extension FromRadio {
    static func text(_ text: String, from: UInt32 = 0xA1, id: PacketID = 77) -> FromRadio {
        .packet(
            MeshPacket(
                from: NodeNumber(from), to: .broadcast, id: id,
                payload: .decoded(MeshData(port: .textMessage, payload: Array(text.utf8))), rxRSSI: -80))
    }

    static func routingAnswer(to request: PacketID, from: NodeNumber) -> FromRadio {
        .packet(
            MeshPacket(
                from: from, to: from, id: 0xBEEF,
                payload: .decoded(MeshData(port: .routing, payload: [0x18, 0], requestID: request))))
    }

    static let heartbeatAnswer = queueStatus(QueueStatus(result: 0, free: 16, capacity: 16, packetID: 0))
}

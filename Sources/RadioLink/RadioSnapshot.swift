import MeshModel
import MeshProtocol

/// What a radio said about itself in one handshake, complete unless ``missing`` says otherwise.
public struct RadioSnapshot: Hashable, Sendable {
    public var myInfo: MyNodeInfo
    public var metadata: DeviceMetadata?
    /// By index; eight of them in a complete handshake, unused ones as well.
    public var channels: [Channel]
    public var lora: LoRaSettings?
    /// Config.DeviceConfig.Role number.
    public var deviceRole: UInt32?
    public var security: SecuritySettings?
    /// NetworkConfig.enabled_protocols: bit 0 is the mesh over UDP multicast.
    public var networkProtocols: UInt32?
    /// It stores texts for other nodes, and may withhold them from its own user; nil when it has not said.
    public var isStoreForwardServer: Bool?
    /// Its neighbor_info module is on; without that it drops what others report. Nil when it has not said.
    public var hearsNeighbors: Bool?
    /// Firmware 2.8 says in which region it allows which modem presets; nil: older, or it has not said.
    public var allowedPresets: AllowedPresets?
    public var ownNode: NodeInfo?
    /// The parts that the radio did not send, although asked three times more, such as `channel 3`.
    public var missing: [String]

    /// The serial number of the radio's USB device; nil over other links, and where many devices share one.
    public var usbSerial: String?

    public var firmwareVersion: String? { metadata?.firmwareVersion }
    public var number: NodeNumber { myInfo.number }
}

extension RadioSnapshot {
    /// Of what is no radio: it has a number and channels, and nothing that could be missing.
    public init(myInfo: MyNodeInfo, channels: [Channel] = []) {
        self.init(myInfo: myInfo, channels: channels, missing: [])
    }
}

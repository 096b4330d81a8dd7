import MeshModel

/// One message to the radio (ToRadio).
public enum ToRadio: Hashable, Sendable {
    case packet(MeshPacket)
    /// Starts a handshake: ``configOnlyNonce``, ``nodesOnlyNonce``, or any other number for everything.
    case wantConfig(UInt32)
    /// Closes the session in good order, so that the radio keeps what arrives meanwhile.
    case disconnect
    /// Never with nonce 1: that is a command to broadcast our NodeInfo on the mesh (2.7.23+).
    case heartbeat(nonce: UInt32)
    /// xmodemPacket 5 or mqttClientProxyMessage 6: read by a simulated radio, never sent by the gateway.
    case other(variant: UInt32)
    case empty

    public static let configOnlyNonce: UInt32 = 69420
    public static let nodesOnlyNonce: UInt32 = 69421
}

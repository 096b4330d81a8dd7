import MeshModel
import MeshProtocol
import RadioLink
import Testing

@Test func theLastHandshakeIsKeptInTheRadiosOrder() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    let kept = radio.session.handshakeFrames.map { $0.withUnsafeBytes { FromRadio(decoding: $0)! } }
    let whole = radio.answers.handshake(0x00C0_FFEE).dropLast()
    #expect(kept.map(\.kind) == whole.map(\.kind))
    // A handshake that has begun does not spoil it.
    radio.receive(.rebooted)
    radio.advance(seconds: 3)
    #expect(radio.session.handshakeFrames.count == whole.count)
}

extension FromRadio {
    fileprivate var kind: String {
        switch self {
        case .myInfo: "my_info"
        case .nodeInfo(let node): "node \(node.number)"
        case .metadata: "metadata"
        case .channel(let channel): "channel \(channel.index)"
        case .config: "config"
        case .moduleConfig: "module"
        case .other(let variant): "other \(variant)"
        default: "?"
        }
    }
}

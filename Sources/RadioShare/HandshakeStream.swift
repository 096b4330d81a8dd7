import MeshProtocol

/// A handshake on its way to a client, in the order in which firmware sends it (SerialReference 2.3). Nothing of it is
/// made before the client has taken what comes before.
struct HandshakeStream {
    private enum Step { case head, ownNode, settings, nodes, files, end }

    let nonce: UInt32
    let handshake: ToldHandshake
    private let nodes: ToldNodes
    private let isManaged: Bool
    private var step = Step.head
    /// Within the step.
    private var place = 0

    /// - Parameter nonce: two are special: only the settings, or only the nodes.
    init(_ nonce: UInt32, _ nodes: ToldNodes, isManaged: Bool) {
        (self.nonce, self.nodes, self.isManaged) = (nonce, nodes, isManaged)
        handshake = nodes.handshake
    }

    private var hasSettings: Bool { nonce != ToRadio.nodesOnlyNonce }
    private var hasNodes: Bool { nonce != ToRadio.configOnlyNonce }

    /// The next frames, with their headers; nil: it is complete.
    mutating func next() -> [UInt8]? {
        while true {
            switch step {
            case .head:
                if let frame = settings(..<handshake.settingsBehindOwnNode) { return frame }
                go(to: .ownNode)
            case .ownNode:
                go(to: .settings, at: handshake.settingsBehindOwnNode)
                return nodes.own()
            case .settings:
                if let frame = settings(..<handshake.files) { return frame }
                go(to: .nodes)
            case .nodes:
                place += 1
                if hasNodes, let slice = nodes.slice(place - 1) { return slice }
                go(to: .files, at: max(handshake.files, handshake.settingsBehindOwnNode))
            case .files:
                if let frame = settings(..<handshake.radio.settings.count) { return frame }
                go(to: .end)
            case .end:
                place += 1
                return place == 1 ? StreamFrame.encode(FromRadio.configComplete(nonce).encoded()) : nil
            }
        }
    }

    private mutating func go(to next: Step, at first: Int = 0) { (step, place) = (next, first) }

    private mutating func settings(_ range: PartialRangeUpTo<Int>) -> [UInt8]? {
        guard hasSettings, place < range.upperBound else { return nil }
        defer { place += 1 }
        let frame = handshake.radio.settings[place]
        let told = SharedFrames.settings(frame, nodeCount: nodes.count, isManaged: isManaged)
        // Two bytes more make a frame of the greatest length too long.
        return StreamFrame.encode(told.count <= StreamFrame.maximumLength ? told : frame)
    }
}

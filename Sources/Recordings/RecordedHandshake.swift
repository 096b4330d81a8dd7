import MeshModel
import MeshProtocol

// A radio that is asked again answers with the same settings, and without the debug text that got between them before.

extension Recording {
    /// The settings and the own node, in the firmware's order, as they were last recorded up to this segment.
    func settings(upTo index: Int) -> [[UInt8]] {
        let known = parts(upTo: index)
        return ordered(known.frames.filter { part, _ in part.number == nil || part.number == known.own }, known.own)
    }

    /// The nodes of the last list up to this segment, the own one first.
    func nodes(upTo index: Int) -> [[UInt8]] {
        let known = parts(upTo: index)
        // Nodes that this list does not have were forgotten by the radio.
        let listed = segments[...index].last { $0.nonce != ToRadio.configOnlyNonce }?.nodes ?? []
        return ordered(
            known.frames.filter { part, _ in
                part.number.map { $0 == known.own || listed.contains($0) } ?? false
            }, known.own)
    }

    /// Each part as it was last recorded; those that text has always damaged until then, as they come later.
    private func parts(upTo index: Int) -> (frames: [HandshakePart: [UInt8]], own: NodeNumber?) {
        var found: [HandshakePart: [UInt8]] = [:]
        var own: NodeNumber?
        for segment in segments[...index].reversed() + segments[(index + 1)...] {
            for (message, payload) in segment.messages {
                guard let part = HandshakePart(message) else { continue }
                if case .myInfo(let info) = message, own == nil { own = info.number }
                if found[part] == nil { found[part] = payload }
            }
        }
        return (found, own)
    }

    private func ordered(_ frames: [HandshakePart: [UInt8]], _ own: NodeNumber?) -> [[UInt8]] {
        frames.sorted { $0.key.place(own: own) < $1.key.place(own: own) }.map(\.value)
    }
}

extension Recording.Segment {
    /// What of the handshake is whole.
    public var messages: [(FromRadio, payload: [UInt8])] {
        Piece.cut(handshake).compactMap { piece in
            guard case .frame(let payload) = piece,
                let message = payload.withUnsafeBytes({ FromRadio(decoding: $0) })
            else { return nil }
            return (message, payload)
        }
    }

    var nodes: Set<NodeNumber> { Set(messages.compactMap { HandshakePart($0.0)?.number }) }
}

/// What a frame of a handshake is about.
private enum HandshakePart: Hashable {
    case myInfo, metadata
    case channel(Int), config(UInt32), moduleConfig(UInt32), other(UInt32), node(NodeNumber)

    init?(_ message: FromRadio) {
        switch message {
        case .myInfo: self = .myInfo
        case .metadata: self = .metadata
        case .channel(let channel): self = .channel(channel.index)
        case .config(let section): self = .config(section.tag)
        case .moduleConfig(let section): self = .moduleConfig(section.tag)
        case .other(let variant): self = .other(variant)
        case .nodeInfo(let info): self = .node(info.number)
        default: return nil
        }
    }

    /// The node that it is about.
    var number: NodeNumber? { if case .node(let number) = self { number } else { nil } }

    /// my_info, own node, metadata, channels, settings, other nodes: the order of the firmware.
    func place(own: NodeNumber?) -> Int {
        switch self {
        case .myInfo: 0
        case .node(let number): number == own ? 1 : 1000
        case .metadata: 2
        case .channel(let index): 10 + index
        case .config(let tag): 100 + Int(tag)
        case .moduleConfig(let tag): 200 + Int(tag)
        case .other(let variant): 300 + Int(variant)
        }
    }
}

import MeshModel
import Nettle

/// One complete handshake of a radio as raw frames, for clients who are to be given it as if the radio were theirs. The
/// private key is not in it; passwords stand in it as firmware shows them to others, `sekrit`.
public struct RadioHandshake: Sendable {
    /// Grows from handshake to handshake.
    public let generation: UInt64
    /// Of the radio.
    public let own: NodeNumber
    /// SHA-256 of the settings, the radio's names among them: equal as long as there is nothing that a client would have to
    /// read again. Counters of restarts and nodes are not in it.
    public let digest: [UInt8]
    /// Parts that the radio has not sent, although it was asked again (``ReceivedHandshake``).
    public let missing: [String]
    /// The payloads of the frames in the radio's order, all but node_info and config_complete_id.
    public let settings: [[UInt8]]
    /// The payloads of node_info; the radio's own comes first.
    public let nodes: [(number: NodeNumber, frame: [UInt8])]

    /// - Parameter frames: in the radio's order, without secrets. Nil: the radio does not say who it is.
    public init?(generation: UInt64, frames: [[UInt8]], missing: [String]) {
        var settings: [[UInt8]] = []
        var nodes: [(number: NodeNumber, frame: [UInt8])] = []
        var own: NodeNumber?
        for frame in frames {
            switch frame.withUnsafeBytes({ FromRadio(decoding: $0) }) {
            case .nodeInfo(let node): nodes.append((node.number, frame))
            case .myInfo(let info):
                own = info.number
                settings.append(frame)
            case nil: continue
            default: settings.append(frame)
            }
        }
        guard let own else { return nil }
        if let place = nodes.firstIndex(where: { $0.number == own }), place > 0 {
            nodes.insert(nodes.remove(at: place), at: 0)
        }
        self.generation = generation
        self.own = own
        self.missing = missing
        self.settings = settings
        self.nodes = nodes
        digest = Self.digest(settings, own: nodes.first { $0.number == own }?.frame)
    }

    /// What a client is shown that is given this handshake.
    public func shown() -> ShownSettings {
        ShownSettings(own: own, settings + nodes.prefix(1).map(\.frame))
    }

    private static func digest(_ settings: [[UInt8]], own: [UInt8]?) -> [UInt8] {
        var digest = SHA256()
        for frame in settings {
            for field in WireField.all(in: frame[...]) ?? [] {
                // my_info: reboot_count and nodedb_count.
                let counters: Set<UInt32> = field.number == 3 ? [8, 15] : []
                for inner in WireField.all(in: field.content) ?? [] where !counters.contains(inner.number) {
                    digest.update([UInt8(truncatingIfNeeded: field.number)] + inner.whole)
                }
            }
        }
        // node_info.user
        let info = WireField.all(in: (own ?? [])[...])?.first { $0.number == 4 }
        for user in info.flatMap({ WireField.all(in: $0.content) }) ?? [] where user.number == 2 {
            digest.update(Array(user.whole))
        }
        return digest.finish()
    }
}

import Gateway
import MeshModel
import MeshProtocol
import Store

/// A source's radio, while clients are connected to it.
final class SharedRadio {
    /// Nanoseconds for which a list of nodes serves those who come meanwhile: eight apps that reconnect at once are told the
    /// same.
    private static let listLifetime: UInt64 = 1_000_000_000

    let source: SourceID
    private let gateway: Gateway
    private let listener: FrameListener
    private var known: ToldHandshake?
    private var list: (nodes: ToldNodes, at: UInt64)?

    init(_ gateway: Gateway, _ source: SourceID, wake: @escaping @Sendable () -> Void) {
        self.gateway = gateway
        self.source = source
        listener = gateway.frames(
            of: source, kinds: [.packet, .own, .notification, .handshake, .other], capacity: 512, wake: wake)
    }

    /// The last complete one; nil: there was none yet.
    var handshake: ToldHandshake? {
        guard let handshake = gateway.handshake(of: source) else { return known }
        if known?.radio.generation != handshake.generation {
            known = ToldHandshake(handshake)
            list = nil
        }
        return known
    }

    /// What a client is given that asks now; nil: it waits, because the settings have changed since the last one.
    var handshakeNow: ToldHandshake? { gateway.isReadAgain(source) ? nil : handshake }

    /// Whose radio it is, as far as anybody knows.
    var own: NodeNumber? { handshake?.radio.own ?? gateway.snapshot(of: source)?.number }

    /// The nodes that a handshake which begins now has.
    func nodes(of handshake: ToldHandshake, at now: UInt64) -> ToldNodes {
        if let list, list.nodes.handshake === handshake, now - list.at < Self.listLifetime { return list.nodes }
        let nodes = ToldNodes(gateway.store, source, handshake, forgotten: gateway.forgottenNodes(of: source))
        list = (nodes, now)
        return nodes
    }

    /// Nobody begins one now.
    func forgetList() { list = nil }

    func frames() -> (frames: [RadioFrame], missed: UInt64) { listener.take() }
}

/// A radio's handshake, and where its nodes are in it.
final class ToldHandshake {
    let radio: RadioHandshake
    let places: [NodeNumber: Int]
    /// The first of the settings that come behind the own node: apps drop settings of a radio that they do not know yet.
    let settingsBehindOwnNode: Int
    /// The first of the files, which come behind the nodes.
    let files: Int

    init(_ radio: RadioHandshake) {
        self.radio = radio
        places = Dictionary(radio.nodes.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
        let variants = radio.settings.map { FromRadio.variant(of: $0) }
        settingsBehindOwnNode = variants.firstIndex { $0 != 3 && $0 != 17 } ?? variants.count
        files = variants.firstIndex(of: 15) ?? variants.count
    }
}

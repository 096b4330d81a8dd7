import MeshModel
import MeshProtocol
import RadioLink
import Store
import Synchronization

// A radio's last complete handshake, for clients who are to be given it as if the radio were theirs. It can be a hundred
// kilobytes, so that it is kept only while somebody is there who asks.

/// As long as it is kept, the gateway keeps the last handshake of each radio.
public final class HandshakeInterest: Sendable {
    private let radios: Radios

    fileprivate init(_ radios: Radios) {
        self.radios = radios
        radios.keepHandshakes(1)
    }

    deinit { radios.keepHandshakes(-1) }
}

extension Gateway {
    /// From now on handshakes are kept. When the radios are connected already, they are read once more for that.
    public func keepHandshakes() -> HandshakeInterest { HandshakeInterest(radios) }

    /// The last complete handshake of a source's radio, also while it is away; nil: there was none, or none was kept.
    public func handshake(of source: SourceID) -> RadioHandshake? {
        guard let radio = radios.feeding(source) else { return nil }
        // Between a radio's introduction and its adoption the source is still another one's.
        let here = radio.attachment
        guard here.source == source, here.holder == nil else { return nil }
        return radio.memory.handshake(of: here.snapshot?.number)
    }

    /// Whether that handshake may have settings of before a change, and the radio is being read once more.
    public func isReadAgain(_ source: SourceID) -> Bool { radios.feeding(source)?.attachment.isReadAgain ?? false }
}

/// When a client made the radio forget a node. Clients see the node again when it is heard, or when the radio lists it.
public struct ForgottenNode: Hashable, Sendable {
    /// Unix seconds.
    public let at: Int64
    /// Of the handshake that still had it.
    public let generation: UInt64
}

/// The nodes that clients made a radio forget.
public struct ForgottenNodes: Sendable {
    private static let capacity = 1024
    private var each: [NodeNumber: ForgottenNode] = [:]
    /// All of them, when the radio's memory of nodes was emptied.
    public private(set) var all: ForgottenNode?

    public init() {}

    public subscript(node: NodeNumber) -> ForgottenNode? { each[node] ?? all }

    mutating func insert(_ node: NodeNumber, _ forgotten: ForgottenNode) {
        if each.count >= Self.capacity { each = [:] }
        each[node] = forgotten
    }

    mutating func insertAll(_ forgotten: ForgottenNode) { (each, all) = ([:], forgotten) }

    /// What an earlier run has noted: every handshake of this one came later.
    init(_ rows: [(node: NodeNumber?, at: Int64)]) {
        for (node, at) in rows {
            let forgotten = ForgottenNode(at: at, generation: 0)
            if let node { insert(node, forgotten) } else { all = forgotten }
        }
    }
}

extension Gateway {
    /// Nodes that clients have had a source's radio forget.
    public func forgottenNodes(of source: SourceID) -> ForgottenNodes {
        radios.feeding(source)?.memory.forgotten ?? ForgottenNodes()
    }
}

extension AttachedRadio {
    /// - Parameter node: nil: all.
    func forget(_ node: NodeNumber?, in source: SourceID) {
        let now = clock() / 1000
        if let session = session(of: source) { memory.forget(node, at: now, in: session) }
        store.enqueue(
            .immediate, { try $0.noteForgotten(node, at: now, in: source) }, done: { [self] in _ = isStored($0) })
    }
}

extension Radios {
    fileprivate func keepHandshakes(_ change: Int) {
        // Under the lock: when one client leaves as another comes, the radios get both calls in the right order.
        handshakeInterests.withLock { count in
            count += change
            guard count == (change > 0 ? 1 : 0) else { return }
            for radio in all { radio.keepHandshakes(change > 0) }
        }
    }

    var keepsHandshakes: Bool { handshakeInterests.withLock { $0 > 0 } }
}

extension AttachedRadio {
    fileprivate func keepHandshakes(_ keeps: Bool) {
        keepLinksHandshake(keeps)
        if !keeps { memory.keep(nil) }
        if keeps, attachment.link == .live { readAgain() }
    }

    /// The link becomes live.
    ///
    /// - Returns: the generation of the handshake that is kept now; nil: there is no new one.
    func keepHandshake() -> UInt64? {
        guard radios?.keepsHandshakes == true, let (frames, missing) = linksHandshake, !frames.isEmpty else {
            return nil
        }
        let generation = memory.nextGeneration()
        guard let handshake = RadioHandshake(generation: generation, frames: frames, missing: missing) else {
            return nil
        }
        memory.keep(handshake)
        return generation
    }

    func tellHandshake(_ generation: UInt64) {
        frames.tell(RadioFrame(raw: [], value: .handshake(generation)), of: sourceFed)
    }

    /// A listener that was told of it before the radio was adopted has not been given it.
    func tellAdoptedHandshake() {
        if let handshake = memory.handshake(of: attachment.snapshot?.number) { tellHandshake(handshake.generation) }
    }
}

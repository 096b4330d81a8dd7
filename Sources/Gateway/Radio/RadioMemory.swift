import MeshModel
import MeshProtocol
import Store

/// What the radio at a link remembers, as far as it is known here: the keys of other nodes, those that it was made to forget,
/// and its last handshake.
///
/// The keys are of one session. Who asks for one, or tells the radio one, says in which session; of another one nothing is
/// known, and nothing is kept.
final class RadioMemory: Sendable {
    private let state: OwnerLock<State>

    private struct State {
        var session: AttachedSession
        /// The keys by which the radio knows other nodes, as it has told in this session.
        var keys: [NodeNumber: PublicKey] = [:]
        var forgotten = ForgottenNodes()
        /// Whose they are; nil: they are not read yet.
        var forgottenSource: SourceID?
        /// Of the radio at the link, while somebody asks for them.
        var handshake: RadioHandshake?
        /// Counts handshakes.
        var generation: UInt64 = 0
    }

    init(_ session: AttachedSession) { state = OwnerLock(State(session: session)) }

    /// A radio has introduced itself.
    ///
    /// - Parameter isRenumbered: its number is not that of the session before.
    func begin(_ session: AttachedSession, isRenumbered: Bool) {
        state.withLock { state in
            (state.session, state.keys) = (session, [:])
            // What it has forgotten it does not remember for having been restarted, or unplugged.
            if isRenumbered { (state.forgotten, state.forgottenSource) = (ForgottenNodes(), nil) }
        }
    }

    // MARK: Keys

    enum KnownKey {
        case key(PublicKey)
        /// The radio has not told one.
        case none
        /// It is another session.
        case stale
    }

    func key(of node: NodeNumber, in session: AttachedSession) -> KnownKey {
        state.withLock { state in
            guard state.session === session else { return .stale }
            return state.keys[node].map { .key($0) } ?? .none
        }
    }

    /// The radio gets this key from here.
    func told(_ key: PublicKey?, of node: NodeNumber, in session: AttachedSession) {
        state.withLock { if $0.session === session { $0.keys[node] = key } }
    }

    /// The radio lists the node, with this key or none.
    func listed(_ node: NodeNumber, _ key: PublicKey?) { state.withLock { $0.keys[node] = key } }

    /// The radio has seen this key, and keeps it when it had none.
    func learnt(_ key: PublicKey, of node: NodeNumber) {
        state.withLock { if $0.keys[node] == nil { $0.keys[node] = key } }
    }

    // MARK: Forgotten nodes

    var forgotten: ForgottenNodes { state.withLock { $0.forgotten } }

    /// - Parameters:
    ///   - node: nil: all.
    ///   - now: Unix seconds.
    func forget(_ node: NodeNumber?, at now: Int64, in session: AttachedSession) {
        state.withLock { state in
            guard state.session === session else { return }
            let forgotten = ForgottenNode(at: now, generation: state.generation)
            if let node {
                state.keys[node] = nil
                state.forgotten.insert(node, forgotten)
            } else {
                state.keys = [:]
                state.forgotten.insertAll(forgotten)
            }
        }
    }

    /// These are on disk; what this run knows of the source already counts more.
    func read(_ forgotten: ForgottenNodes, of source: SourceID) {
        state.withLock { state in
            guard state.forgottenSource != source else { return }
            (state.forgotten, state.forgottenSource) = (forgotten, source)
        }
    }

    // MARK: The handshake

    /// - Parameter own: whose; nil: of nobody.
    func handshake(of own: NodeNumber?) -> RadioHandshake? {
        state.withLock { $0.handshake?.own == own ? $0.handshake : nil }
    }

    func nextGeneration() -> UInt64 {
        state.withLock { state in
            state.generation += 1
            return state.generation
        }
    }

    /// - Parameter handshake: nil: nobody asks any more.
    func keep(_ handshake: RadioHandshake?) { state.withLock { $0.handshake = handshake } }
}

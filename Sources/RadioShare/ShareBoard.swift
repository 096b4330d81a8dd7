import Gateway
import MeshModel
import Synchronization

/// How the shared ports are doing, for those who show it.
final class ShareBoard: Sendable {
    private struct State {
        var ports: [SharedPortStatus]
        var closed: Set<Int> = []
        var isDirty = false
    }

    private let state: Mutex<State>

    init(_ ports: [SharedPortStatus]) { state = Mutex(State(ports: ports)) }

    /// Those that are open.
    var ports: [SharedPortStatus] {
        state.withLock { state in state.ports.enumerated().filter { !state.closed.contains($0.offset) }.map(\.element) }
    }

    /// Something of the clients is to be shown.
    var isDirty: Bool {
        get { state.withLock { $0.isDirty } }
        set { state.withLock { $0.isDirty = newValue } }
    }

    /// - Parameter rights: of each port; nil: it is closed.
    func narrow(to rights: [ClientRight?]) {
        state.withLock { state in
            for (place, right) in rights.enumerated() {
                if let right { state.ports[place].right = right } else { state.closed.insert(place) }
            }
        }
    }

    func count(_ place: Int, _ change: (inout SharedPortStatus) -> Void) {
        state.withLock { state in
            change(&state.ports[place])
            state.isDirty = true
        }
    }

    func update(_ clients: [ShareClient]) {
        state.withLock { state in
            guard state.isDirty else { return }
            state.isDirty = false
            for place in state.ports.indices { state.ports[place].clients = [] }
            for client in clients {
                let shown = SharedPortStatus.Client(
                    address: client.address, port: client.peerPort, since: client.since, sent: client.sent,
                    refused: client.refusals)
                state.ports[client.port].clients.append(shown)
            }
        }
    }
}

import Gateway
import Glibc
import Log
import MeshModel
import Platform
import Store
import Synchronization

// The room. One thread (ShareLoop) has all connections; whatever comes from another thread waits for it in ShareInbox. A
// client (ShareClient) hears nothing, is given a handshake (HandshakeStream, ToldNodes), or hears what goes on (ShareFrames).
// What it says (ShareRequests) goes through Gateway's doors, and is answered as the radio would (ShareAnswers), with
// words where it is refused (ShareRefusals).

/// Shares radios with programs that speak their protocol over TCP: each takes the gateway for a radio of its own.
public final class RadioShare: Sendable {
    private struct State {
        var listeners: [(port: SharedPort, descriptor: Int32)] = []
        var thread: Thread?
        var inbox: ShareInbox?
        var interest: HandshakeInterest?
        var board: ShareBoard?
    }

    private let gateway: Gateway
    private let ports: [SharedPort]
    private let descriptors: [SharedPort: Int32]
    private let admits: @Sendable (String) -> Bool
    private let logger: Logger
    private let times: ShareTimes
    private let state = Mutex(State())

    /// - Parameters:
    ///   - descriptors: sockets that listen already, from an earlier process; they are closed at ``stop()``.
    ///   - admits: whether a client of this address, in numbers, may connect. Called on the share's thread.
    public convenience init(
        gateway: Gateway, ports: [SharedPort], descriptors: [SharedPort: Int32] = [:],
        admits: @escaping @Sendable (String) -> Bool = { _ in true }, logger: Logger
    ) {
        self.init(gateway, ports, descriptors, admits, times: ShareTimes(), logger)
    }

    init(
        _ gateway: Gateway, _ ports: [SharedPort], _ descriptors: [SharedPort: Int32],
        _ admits: @escaping @Sendable (String) -> Bool, times: ShareTimes, _ logger: Logger
    ) {
        self.times = times
        (self.gateway, self.ports, self.descriptors) = (gateway, ports, descriptors)
        (self.admits, self.logger) = (admits, logger)
    }

    /// Listens at all ports. To be called once. When it throws, nothing listens that was not handed over.
    public func start() throws(RadioShareError) {
        guard let inbox = ShareInbox() else { throw .noRoom(errno) }
        let listeners = try listenAtAll()
        let board = ShareBoard(
            listeners.map { port, descriptor in
                SharedPortStatus(
                    address: port.address, port: ShareSocket.port(of: descriptor), right: port.right,
                    source: port.source)
            })
        let (gateway, admits, times, logger) = (gateway, admits, times, logger)
        // Kept as long as somebody may come: nobody's coming makes the radio tell everything once more.
        let interest = gateway.keepHandshakes()
        let thread = Thread.start(named: "radio-share") {
            ShareLoop(gateway, inbox, board, listeners, admits: admits, times: times, logger).run()
        }
        guard let thread else {
            let code = errno
            close(listeners)
            throw .noRoom(code)
        }
        state.withLock { state in
            state = State(listeners: listeners, thread: thread, inbox: inbox, interest: interest, board: board)
        }
    }

    private func listenAtAll() throws(RadioShareError) -> [(port: SharedPort, descriptor: Int32)] {
        var listeners: [(port: SharedPort, descriptor: Int32)] = []
        for port in ports {
            if let descriptor = descriptors[port] {
                ShareSocket.prepare(descriptor)
                listeners.append((port, descriptor))
                continue
            }
            do throws(RadioShareError) {
                listeners.append((port, try ShareSocket.listen(port.address, port.port)))
            } catch {
                close(listeners.filter { descriptors[$0.port] == nil })
                throw error
            }
        }
        return listeners
    }

    private func close(_ listeners: [(port: SharedPort, descriptor: Int32)]) {
        for listener in listeners where listener.descriptor >= 0 { _ = Glibc.close(listener.descriptor) }
    }

    /// Allows less than before: ends clients whose address is no longer admitted, whose port is closed, or that may do more than
    /// their port allows now. Returns at once.
    ///
    /// - Parameter rights: of each port, in their order; nil closes it. No port is allowed more than before, or opened again.
    public func narrow(to rights: [ClientRight?]) {
        state.withLock { state in
            guard state.inbox != nil else { return }
            for place in state.listeners.indices {
                let before = state.listeners[place]
                guard before.descriptor >= 0, let right = rights[place] else {
                    // The share's thread closes it.
                    state.listeners[place].descriptor = -1
                    continue
                }
                state.listeners[place].port.right = min(right, before.port.right)
            }
            state.inbox?.add(
                .narrowed(state.listeners.map { $0.descriptor >= 0 ? $0.port.right : nil }))
        }
    }

    /// Says good-bye to all clients. When this returns, nobody listens any more; it takes half a second at most.
    public func stop() {
        let before = state.withLock { state in
            defer { (state.thread, state.inbox, state.interest, state.listeners) = (nil, nil, nil, []) }
            return state
        }
        before.inbox?.stop()
        before.thread?.join()
        close(before.listeners)
    }

    /// In the order of the ports. Takes a lock only.
    public var status: [SharedPortStatus] { state.withLock { $0.board }?.ports ?? [] }

    /// The sockets that listen, for who keeps them over a restart.
    public var listeners: [(SharedPort, Int32)] {
        state.withLock { $0.listeners.filter { $0.descriptor >= 0 }.map { ($0.port, $0.descriptor) } }
    }
}

extension Gateway {
    /// Whose radio is shared where no source is named: the oldest that a link feeds.
    var sharedSource: SourceID? {
        let sources = try? store.readCommitted { try $0.sources() }
        return (sources?.preferred ?? sources?.first)?.id
    }
}

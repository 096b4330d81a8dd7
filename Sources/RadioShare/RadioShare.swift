import Gateway
import Log
import Store

/// Shares radios with programs that speak their protocol over TCP: each takes the gateway for a radio of its own.
public final class RadioShare: Sendable {
    private let gateway: Gateway

    /// - Parameters:
    ///   - descriptors: sockets that listen already, from an earlier process; they are closed at ``stop()``.
    ///   - admits: whether a client of this address, in numbers, may connect. Called on the share's thread.
    public init(
        gateway: Gateway, ports: [SharedPort], descriptors: [SharedPort: Int32] = [:],
        admits: @escaping @Sendable (String) -> Bool = { _ in true }, logger: Logger
    ) {
        self.gateway = gateway
    }

    /// Listens at all ports. To be called once.
    public func start() throws(RadioShareError) {}

    /// Says good-bye to all clients. When this returns, nobody listens any more.
    public func stop() {}

    /// Takes a lock only.
    public var status: [SharedPortStatus] { [] }

    /// The sockets that listen, for who keeps them over a restart.
    public var listeners: [(SharedPort, Int32)] { [] }
}

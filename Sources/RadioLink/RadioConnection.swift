import MeshModel
import MeshProtocol

/// What a gateway needs of the way to a radio. ``RadioLink`` is the one to a serial port or over the network.
///
/// Code that has packets of a mesh from elsewhere, such as a broker, is one too. It tells its delegate the same events in the
/// same order, on one thread: ``RadioEvent/state(_:)``, ``RadioEvent/configured(_:)`` with the node number that it has on that
/// mesh and an id that tells it from others, then ``LinkState/live`` and what it receives. What only a radio has, it need not
/// have.
public protocol RadioConnection: AnyObject, Sendable {
    /// Once.
    func start()
    /// Nothing is told any more when this returns. Not from the delegate's methods.
    func stop()
    /// The delegate has something new to send.
    func wake()
    /// - Parameter completion: is called once, on any thread.
    func ask(_ request: AdminRequest, completion: @escaping @Sendable (AdminOutcome) -> Void)
    /// The settings have changed, and are to be told once more.
    func readAgain()
    /// Somebody else is to have the radio, until ``comeBack()``.
    func leave(because problem: Problem)
    func comeBack()
    /// Whether the frames of handshakes are kept.
    func keepHandshake(_ keeps: Bool)

    /// What was told last, also while the radio is away.
    var snapshot: RadioSnapshot? { get }
    /// Empty unless they are kept.
    var lastHandshakeFrames: [[UInt8]] { get }
    /// What is wrong although the link works.
    var problems: [Problem] { get }
    /// What was opened last, for people.
    var portName: String? { get }
    var statistics: LinkStatistics { get }
    var statisticsSinceLive: LinkStatistics { get }
}

extension RadioConnection {
    public func ask(_ request: AdminRequest, completion: @escaping @Sendable (AdminOutcome) -> Void) {
        completion(.notConnected)
    }
    public func readAgain() {}
    public func leave(because problem: Problem) {}
    public func comeBack() {}
    public func keepHandshake(_ keeps: Bool) {}
    public var lastHandshakeFrames: [[UInt8]] { [] }
    public var problems: [Problem] { [] }
    public var portName: String? { nil }
    public var statistics: LinkStatistics { LinkStatistics() }
    public var statisticsSinceLive: LinkStatistics { statistics }
}

extension RadioLink: RadioConnection {}

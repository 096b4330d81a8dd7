import Glibc
import MeshModel
import MeshProtocol
import Platform
import Synchronization

/// Counters since the link was made.
public struct LinkStatistics: Hashable, Sendable {
    public var bytesRead: UInt64 = 0
    public var bytesWritten: UInt64 = 0
    public var framesRead: UInt64 = 0
    public var framesWritten: UInt64 = 0
    /// Debug output of the radio.
    public var textBytes: UInt64 = 0
    /// Neither frames nor text.
    public var garbageBytes: UInt64 = 0
    /// How often a port or connection was opened.
    public var connections: UInt64 = 0
    /// Host milliseconds since 1970 at the last transition.
    public var stateSince: Int64 = 0

    /// What has been counted since they were these.
    func since(_ before: LinkStatistics) -> LinkStatistics {
        var result = self
        result.bytesRead -= before.bytesRead
        result.bytesWritten -= before.bytesWritten
        result.framesRead -= before.framesRead
        result.framesWritten -= before.framesWritten
        result.textBytes -= before.textBytes
        result.garbageBytes -= before.garbageBytes
        return result
    }
}

/// One radio on one link, with a thread of its own: finds it, opens it, keeps a session with it, and starts over
/// whenever it goes away.
///
///      device node, socket --bytes--> StreamDecoder --messages, text--> RadioSession --events--> delegate
///                          <--------------frames---------------------- RadioSession <--packets-- delegate
///
/// Everything public may be called from any thread.
public final class RadioLink: Sendable {
    private struct Shared {
        var state = LinkState.stopped
        var snapshot: RadioSnapshot?
        var keepsHandshake = false
        var handshakeFrames: [[UInt8]] = []
        var problems: [Problem] = []
        var statistics = LinkStatistics()
        /// As they were when the link got live last.
        var statisticsBefore = LinkStatistics()
        var portName: String?
        var isStopping = false
        var isAsked = false
        var questions: [Question] = []
        var mustRereadSettings = false
        var reasonToLeave: Problem?
        var isRecalled = false
        var thread: Thread?
        var wasStarted = false
    }

    let address: RadioAddress
    let claims: PortClaims
    /// Whose claims are this link's.
    let number: Int
    private let portFilter: @Sendable (SerialPort) -> Bool
    let connect: (@Sendable () throws -> Int32)?
    let tap: (any LinkTap)?
    /// Seconds since 1970, which the radio is told.
    let wallClock: @Sendable () -> Int64
    let wakeEvent: WakeEvent
    private weak let delegate: (any RadioLinkDelegate)?
    private let shared = Mutex(Shared())

    /// - Parameters:
    ///   - claims: shared with the program's other links, so that none looks for its radio on another's port.
    ///   - portFilter: which ports may be taken without being named.
    ///   - connect: gives a new descriptor of a stream socket, which the link owns; for ``RadioAddress/connection(name:)``
    ///     only. It is called on the link's thread and must not block.
    ///   - tap: sees what goes over the link.
    ///   - wallClock: seconds since 1970, which the radio is told; nil: the host's clock.
    ///   - delegate: held weakly.
    public init(
        address: RadioAddress, claims: PortClaims = PortClaims(),
        portFilter: @escaping @Sendable (SerialPort) -> Bool = { _ in true },
        connect: (@Sendable () throws -> Int32)? = nil, tap: (any LinkTap)? = nil,
        wallClock: (@Sendable () -> Int64)? = nil, delegate: any RadioLinkDelegate
    ) {
        if case .connection = address { precondition(connect != nil, "a connection needs somebody who connects") }
        guard let wakeEvent = WakeEvent() else { preconditionFailure("no descriptor left for a radio") }
        self.wakeEvent = wakeEvent
        self.address = address
        self.claims = claims
        number = claims.add(address)
        self.portFilter = portFilter
        self.connect = connect
        self.tap = tap
        self.wallClock = wallClock ?? { WallClock.seconds() }
        self.delegate = delegate
    }

    /// Starts the thread. Once.
    public func start() {
        shared.withLock {
            precondition(!$0.wasStarted, "a link is started once")
            $0.wasStarted = true
            $0.thread = Thread(named: "radio-link") { LinkLoop(self).run() }
        }
    }

    /// Says good-bye to the radio, closes the port and waits for the thread, about a second at most. Not from the
    /// delegate's methods.
    public func stop() {
        let thread = shared.withLock { shared in
            shared.isStopping = true
            return shared.thread.take()
        }
        wakeEvent.signal()
        thread?.join()
    }

    /// The delegate has something new to send.
    public func wake() {
        shared.withLock { $0.isAsked = true }
        wakeEvent.signal()
    }

    /// Asks the radio about itself, or tells it what to do. `completion` is called once, on the link's thread, with what
    /// became of it; not at all when the link is stopped first.
    public func ask(_ request: AdminRequest, completion: @escaping @Sendable (AdminOutcome) -> Void) {
        shared.withLock { $0.questions.append(Question(request: request, completion: completion)) }
        wakeEvent.signal()
    }

    /// Reads the radio's settings once more, because they have changed, when what it was asked before is answered. Packets and
    /// further questions wait meanwhile.
    public func readAgain() {
        shared.withLock { $0.mustRereadSettings = true }
        wakeEvent.signal()
    }

    /// Says good-bye to the radio and closes the port, because somebody else is to have the radio. Nothing is opened
    /// before ``comeBack()``.
    public func leave(because problem: Problem) {
        shared.withLock { $0.reasonToLeave = problem }
        wakeEvent.signal()
    }

    /// Looks for the radio again, unless there is one.
    public func comeBack() {
        shared.withLock { $0.isRecalled = true }
        wakeEvent.signal()
    }

    public var state: LinkState { shared.withLock { $0.state } }

    /// The last settings that the radio has told, also while it is away.
    public var snapshot: RadioSnapshot? { shared.withLock { $0.snapshot } }

    /// Whether the frames of handshakes are kept, from the next one on. They are not unless somebody wants them.
    public func keepHandshake(_ keeps: Bool) {
        shared.withLock { shared in
            shared.keepsHandshake = keeps
            if !keeps { shared.handshakeFrames = [] }
        }
    }

    /// The last complete handshake as payloads in the radio's order, without config_complete_id, as clients may be told it
    /// (``Redaction/toldFromRadio(_:)``); empty unless it is kept.
    public var lastHandshakeFrames: [[UInt8]] { shared.withLock { $0.handshakeFrames } }

    /// What is wrong although the link works, such as `region-unset`.
    public var problems: [Problem] { shared.withLock { $0.problems } }

    /// What was opened last: the path of the port, or the radio's address.
    public var portName: String? { shared.withLock { $0.portName } }

    public var statistics: LinkStatistics { shared.withLock { $0.statistics } }
    /// The same since the link got live last: what was wrong before may have been mended.
    public var statisticsSinceLive: LinkStatistics { shared.withLock { $0.statistics.since($0.statisticsBefore) } }
}

// MARK: For the link's thread

extension RadioLink {
    /// A request to the radio and who wants to know what becomes of it.
    struct Question: Sendable {
        var request: AdminRequest
        var completion: @Sendable (AdminOutcome) -> Void
    }

    /// What other threads want of the link's own since it looked last.
    struct Pending {
        var isStopping: Bool, isAsked: Bool
        var questions: [Question], mustRereadSettings: Bool
        /// In this order.
        var reasonToLeave: Problem?, isRecalled: Bool
    }

    func takePending() -> Pending {
        wakeEvent.clear()
        return shared.withLock { shared in
            defer {
                (shared.isAsked, shared.mustRereadSettings, shared.isRecalled) = (false, false, false)
                shared.questions = []
            }
            return Pending(
                isStopping: shared.isStopping, isAsked: shared.isAsked, questions: shared.questions,
                mustRereadSettings: shared.mustRereadSettings, reasonToLeave: shared.reasonToLeave.take(),
                isRecalled: shared.isRecalled)
        }
    }

    /// The serial ports where this link may find its radio, without being named for them.
    var searchedPorts: [SerialPort] {
        PortScan.ports().filter { portFilter($0) && claims.leave($0, to: number) }
    }

    /// Tells the delegate unless nothing has changed.
    func transition(to state: LinkState) {
        let milliseconds = WallClock.milliseconds()
        let isNew = shared.withLock {
            guard $0.state != state else { return false }
            $0.state = state
            $0.statistics.stateSince = milliseconds
            if state == .live { $0.statisticsBefore = $0.statistics }
            return true
        }
        if isNew { delegate?.radioLink(.state(state)) }
    }

    func tell(_ event: RadioEvent) { delegate?.radioLink(event) }

    func offer(at now: MonotonicTime, queueFree: Int) -> PacketOffer {
        delegate?.nextPacket(at: now, queueFree: queueFree) ?? .wait(until: nil)
    }

    func expire(at now: MonotonicTime) -> MonotonicTime? { delegate?.expire(at: now) }

    func publish(_ session: RadioSession) {
        shared.withLock {
            $0.snapshot = session.snapshot
            $0.problems = session.problems
        }
    }

    /// - Parameter frames: of the handshake that has just ended.
    func ended(_ frames: [[UInt8]]) { shared.withLock { if $0.keepsHandshake { $0.handshakeFrames = frames } } }

    func opened(_ name: String) {
        shared.withLock {
            $0.portName = name
            $0.statistics.connections += 1
        }
    }

    func count(_ change: (inout LinkStatistics) -> Void) { shared.withLock { change(&$0.statistics) } }
}

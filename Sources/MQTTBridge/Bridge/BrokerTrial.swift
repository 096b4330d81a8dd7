import Gateway
import Log
import Platform
import Store

// One connection to a broker for a person who wants to know whether it works: beside the one in use, under another client id and
// without a will. It leaves nothing at the broker: it publishes one message on our own topic, which comes back, and one among the
// configurations, neither of them retained. The latter's topic has no "config" at its end, so Home Assistant does not hear it.

/// What a test connection has shown.
public struct TrialReport: Sendable {
    public internal(set) var isConnected = false
    /// Why it failed to connect.
    public internal(set) var reason: String?
    /// The version of MQTT, "5" or "3.1.1".
    public internal(set) var protocolVersion: String?
    public internal(set) var limits: BrokerLimits?
    /// Whether our topics may be read and published; nil if the trial did not get that far.
    public internal(set) var mayRead: Bool?
    public internal(set) var mayPublish: Bool?

    public struct ShownDevice: Sendable {
        public let object: String
        public let name: String
        public let entities: Int
        /// What of it Home Assistant hears, and what it may do: ids of entities.
        public let events: [String]
        public let commands: [String]
    }

    /// Devices that would be published for Home Assistant.
    public internal(set) var devices: [ShownDevice] = []
    /// The size of their configurations in bytes.
    public internal(set) var bytes = 0
}

/// Publishes the test messages once connected. Another thread waits for its state.
final class BrokerTrial: BrokerUser {
    struct State: Sendable {
        var maySubscribe: Bool?
        var hasComeBack = false
        var outcomes: [Outcome] = []
        /// All outcomes are known, and the message came back or its time is over.
        var isDone = false
    }

    /// How long the message may take to come back, in milliseconds: MQTT 3.1.1 has no other way to say that we may not publish.
    static let echoTime: Int64 = 2_000
    /// Seconds for the whole trial.
    static let longest = 20
    /// The second attempt may use the other version of MQTT.
    static let attempts = 2

    let state = Monitor(State())
    private let names: TopicNames
    private var left: [Publication] = []
    private var echoUntil: Int64?

    init(_ names: TopicNames) { self.names = names }

    private var topic: String { "\(names.base)/test" }

    var session: Session { Session(suffix: "_test", hasWill: false) }

    func connected(
        _ version: ProtocolChoice.Version, _ limits: BrokerLimits, isSessionPresent: Bool, at now: HostTime
    ) -> [Subscription] {
        [Subscription(topic), .ofOthers(names.status), .ofOthers(names.configurations), Subscription(names.birth)]
    }

    func subscribed(isAllowed: Bool, at now: HostTime) {
        state.withLock { $0.maySubscribe = isAllowed }
        echoUntil = now.steady + Self.echoTime
        left = [
            Publication(topic: topic, payload: Array("test".utf8), isRetained: false),
            Publication(topic: names.trial, payload: Array("test".utf8), isRetained: false),
        ]
    }

    func received(_ message: IncomingMessage, at now: HostTime) {
        guard message.topic == topic else { return }
        state.withLock { $0.hasComeBack = true }
        endIfDone(at: now)
    }

    func settled(_ publication: Publication, _ outcome: Outcome, at now: HostTime) {
        state.withLock { $0.outcomes.append(outcome) }
        endIfDone(at: now)
    }

    func ended(_ ending: Ending, at now: HostTime) {
        (left, echoUntil) = ([], nil)
        state.withLock { $0 = State() }
    }

    func next(_ room: Int, at now: HostTime) -> [Publication] {
        endIfDone(at: now)
        defer { left = Array(left.dropFirst(room)) }
        return Array(left.prefix(room))
    }

    var deadline: Int64? { left.isEmpty ? echoUntil : 0 }

    func sayGoodbye(isForGood: Bool, at now: HostTime) { (left, echoUntil) = ([], nil) }

    private func endIfDone(at now: HostTime) {
        guard let until = echoUntil,
            state.withLock({ $0.outcomes.count == 2 && ($0.hasComeBack || now.steady >= until) })
        else { return }
        echoUntil = nil
        state.notify { $0.isDone = true }
    }
}

extension BrokerTrial {
    /// Blocks until the trial is over, for at most ``longest`` seconds.
    static func run(_ broker: Broker, _ names: TopicNames, by program: BrokerProgram) -> TrialReport {
        var report = TrialReport()
        let user = BrokerTrial(names)
        guard let mailbox = BrokerMailbox() else { return report }
        let loop = Mutable(
            BrokerLoop(broker, names, user: user, mailbox: mailbox, by: program, logger: .silent))
        guard let thread = Thread.start(named: "mqtt test", stackBytes: 512 << 10, { loop.value.run() }) else {
            report.reason = "there is no thread for it"
            return report
        }
        let end = MonotonicClock.nanoseconds() + UInt64(longest) * 1_000_000_000
        // The mailbox reports failures, the user the end of the test: check both.
        while MonotonicClock.nanoseconds() < end {
            let isDone = user.state.wait(until: min(end, MonotonicClock.nanoseconds() + 100_000_000)) { state, isLate in
                state.isDone ? true : isLate ? false : nil
            }
            let connection = mailbox.report
            if isDone == true || connection.state == .refused || connection.failures >= attempts { break }
        }
        let (connection, seen) = (mailbox.report, user.state.withLock { $0 })
        mailbox.stop(isForGood: false)
        thread.join()
        report.isConnected = connection.connections > 0
        report.reason = connection.reason ?? (report.isConnected ? nil : "it has not answered within \(longest) s")
        (report.protocolVersion, report.limits) = (connection.protocolVersion, connection.limits)
        report.mayRead = seen.maySubscribe
        // With MQTT 3.1.1 a broker acknowledges even what it discards.
        if seen.isDone { report.mayPublish = seen.hasComeBack && !seen.outcomes.contains(where: \.isRefused) }
        return report
    }

    /// `@unchecked Sendable`: handed to the one thread that uses it.
    private struct Mutable: @unchecked Sendable {
        let value: BrokerLoop

        init(_ value: BrokerLoop) { self.value = value }
    }
}

extension TrialReport {
    /// Adds what would be published.
    mutating func add(_ devices: [Device], _ names: TopicNames, version: String) {
        for device in devices.sorted(by: { $0.id < $1.id }) {
            let spoken = device.components.compactMap { Entity.spoken($0) }.sorted { $0.component < $1.component }
            self.devices.append(
                .init(
                    object: device.id.object, name: device.name, entities: device.components.count,
                    events: spoken.filter { !$0.takesCommands }.map { $0.id(of: device.id) },
                    commands: spoken.filter(\.takesCommands).map { $0.id(of: device.id) }))
            bytes += device.configuration(names, components: device.components, version: version).count
        }
    }
}

import Foundation
import Log
import Platform
import Testing

@testable import MQTTBridge

/// Uses a broker's connection in a test: publishes what it is given, and keeps what comes.
final class RecordedUser: BrokerUser, Sendable {
    struct State {
        var filters: [String] = []
        var toPublish: [Publication] = []
        var received: [(topic: String, payload: String, isRetained: Bool)] = []
        var settled: [(topic: String, outcome: Outcome)] = []
        var connections = 0
        var ends = 0
        var isSubscribed = 0
        var isAllowed: Bool?
        var version: ProtocolChoice.Version?
        var limits: BrokerLimits?
        var mostInFlight = 0
        var inFlight = 0
        var isLeaving = false
    }

    let state = Monitor(State())

    init(subscribingTo filters: [String] = []) {
        state.withLock { $0.filters = filters }
    }

    func connected(
        _ version: ProtocolChoice.Version, _ limits: BrokerLimits, isSessionPresent: Bool, at now: HostTime
    ) -> [Subscription] {
        state.notify { state in
            (state.version, state.limits, state.inFlight) = (version, limits, 0)
            state.connections += 1
            return state.filters.map { Subscription($0) }
        }
    }

    func received(_ message: IncomingMessage, at now: HostTime) {
        let payload = String(decoding: message.payload, as: UTF8.self)
        state.notify { $0.received.append((message.topic, payload, message.isRetained)) }
    }

    func subscribed(isAllowed: Bool, at now: HostTime) {
        state.notify { state in
            state.isSubscribed += 1
            state.isAllowed = isAllowed
        }
    }

    func settled(_ publication: Publication, _ outcome: Outcome, at now: HostTime) {
        state.notify { state in
            state.inFlight -= 1
            state.settled.append((publication.topic, outcome))
        }
    }

    func ended(_ ending: Ending, at now: HostTime) { state.notify { $0.ends += 1 } }

    func next(_ room: Int, at now: HostTime) -> [Publication] {
        state.notify { state in
            let next = Array(state.toPublish.prefix(room))
            state.toPublish.removeFirst(next.count)
            state.inFlight += next.count
            state.mostInFlight = max(state.mostInFlight, state.inFlight)
            return next
        }
    }

    var deadline: Int64? { state.withLock { $0.toPublish.isEmpty ? nil : 0 } }

    func sayGoodbye(isForGood: Bool, at now: HostTime) { state.notify { $0.isLeaving = true } }

    func wait(_ what: String, _ condition: @escaping (State) -> Bool) {
        let isSo = state.wait(seconds: 300) { condition($0) ? true : nil } ?? false
        #expect(isSo, "\(what)")
    }
}

/// A broker's loop on a thread, as the service runs it.
final class RunningLoop: Sendable {
    let user: RecordedUser
    let mailbox: BrokerMailbox
    let log = Monitor<[String]>([])
    private let thread: Platform.Thread

    init(
        _ broker: Broker, gateway: String = "0a1b2c3d", user: RecordedUser = RecordedUser(),
        absence: Int64 = RunningBrokers.usualAbsence
    ) throws {
        self.user = user
        let mailbox = try #require(BrokerMailbox())
        self.mailbox = mailbox
        let log = log
        let logger = Logger(LogThreshold(.debug)) { entry in log.notify { $0.append(entry.text) } }
        thread = Platform.Thread(named: "broker") {
            BrokerLoop(
                broker, TopicNames(gateway: gateway), user: user, mailbox: mailbox, by: .ofTests, absence: absence,
                logger: logger
            ).run()
        }
    }

    func publish(_ publications: [Publication]) {
        user.state.withLock { $0.toPublish += publications }
        mailbox.wakes.signal()
    }

    func stop() {
        mailbox.stop(isForGood: false)
        thread.join()
    }

    func waitForLog(_ text: String) {
        let isThere = log.wait(seconds: 300) { $0.contains { $0.contains(text) } ? true : nil } ?? false
        #expect(isThere, "nothing says \"\(text)\": \(log.withLock { $0 })")
    }
}

extension BrokerProgram {
    /// Built beside the tests.
    static let ofTests = BrokerProgram(
        path: URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "broker-program").path)
}

extension Broker {
    /// One on the loopback.
    static func local(_ port: Int, _ change: (inout Broker) -> Void = { _ in }) -> Broker {
        var broker = Broker("test", path: "/etc/mesh-gateway/brokers.d/test.conf")
        (broker.host, broker.port) = ("127.0.0.1", port)
        change(&broker)
        return broker
    }
}

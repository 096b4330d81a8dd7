import Glibc
import Platform
import Testing

@testable import MQTTBridge

/// A connection that a test drives by hand, on its own thread.
final class DirectConnection {
    private(set) var connection: BrokerConnection
    private(set) var events: [ConnectionEvent] = []
    /// Whether each batch is answered as soon as it has come.
    var answers = true
    private(set) var batches = 0
    private static var patience: Int64 { 300_000 }

    init(
        to port: Int, _ version: ProtocolChoice.Version = .mqtt5, clientID: String = "direct",
        _ change: (inout ConnectionSettings) -> Void = { _ in }
    ) throws {
        var settings = ConnectionSettings(version, host: "127.0.0.1", port: UInt16(port), clientID: clientID)
        change(&settings)
        connection = try BrokerConnection(settings, named: "direct", by: .ofTests)
    }

    /// The event that a test waits for, which is taken away with all before it.
    func next<Value>(_ what: String, _ wanted: (ConnectionEvent) -> Value?) throws -> Value {
        let end = MonotonicClock.milliseconds() + Self.patience
        while true {
            while !events.isEmpty { if let value = wanted(events.removeFirst()) { return value } }
            try #require(
                MonotonicClock.milliseconds() < end && connection.end == nil, "\(what): \(connection.end as Any)")
            turn()
        }
    }

    /// Until the process has ended.
    func waitForEnd() throws -> BrokerConnection.Failure {
        let end = MonotonicClock.milliseconds() + Self.patience
        while connection.end == nil, MonotonicClock.milliseconds() < end { turn() }
        return try #require(connection.end)
    }

    /// Waits until there is a batch that is not answered.
    func waitForBatch() throws {
        let end = MonotonicClock.milliseconds() + Self.patience
        while !connection.owesAnswer, MonotonicClock.milliseconds() < end { turn() }
        try #require(connection.owesAnswer)
    }

    private func turn() {
        connection.write()
        let wanted = Int16(connection.wantsWrite ? POLLIN | POLLOUT : POLLIN)
        var waiting = pollfd(fd: connection.descriptor, events: wanted, revents: 0)
        _ = retrying { poll(&waiting, 1, 1_000) }
        events += connection.read()
        guard answers, connection.owesAnswer else { return }
        batches += 1
        connection.answer()
    }

    @discardableResult
    func waitUntilLive() throws -> (limits: BrokerLimits, isSessionPresent: Bool) {
        try next("live") { event in
            guard case .answered(0, _, let limits, let isPresent) = event else { return nil }
            return (limits, isPresent)
        }
    }

    func subscribe(_ subscription: Subscription) throws {
        let number = connection.subscribe(subscription)
        let code = try next("subscribed") { event in
            guard case .subscribed(number, let code) = event else { return Int?.none }
            return code
        }
        #expect(code == Int(subscription.quality.rawValue))
    }

    func publish(_ message: OutgoingMessage) throws {
        let number = connection.publish(message)
        let code = try next("acknowledged") { event in
            guard case .acknowledged(number, let code, _) = event else { return Int?.none }
            return code
        }
        #expect(code == 0 || code == 16)
    }

    func message() throws -> IncomingMessage {
        try next("a message") { event in
            guard case .received(let message) = event else { return nil }
            return message
        }
    }

    /// In good order.
    func close() throws {
        connection.disconnect()
        _ = try waitForEnd()
    }
}

/// Processes that serve a broker's connections for this process, by the broker's name.
func connectionProcesses(of broker: String) -> [pid_t] {
    (names(in: "/proc") ?? []).compactMap { pid_t($0) }.filter { process in
        let status = Array((contents(of: "/proc/\(process)/status") ?? "").utf8)
        let words = Array((contents(of: "/proc/\(process)/cmdline") ?? "").utf8)
        return words.suffix(broker.utf8.count + 2).elementsEqual("\0\(broker)\0".utf8)
            && status.contains(Array("\nPPid:\t\(getpid())\n".utf8))
    }
}

import Platform

/// The state of a broker's connection, for display.
public struct BrokerReport: Sendable {
    public enum State: String, CaseIterable, Sendable {
        case waiting, connecting, live
        /// Given up until a reload: the broker refused us, or made the library abort.
        case refused
        case stopped
    }

    public internal(set) var state = State.waiting
    /// Host milliseconds: since when it is in this state.
    public internal(set) var since = WallClock.milliseconds()
    /// Why it is not live.
    public internal(set) var reason: String?
    /// Host milliseconds: since when it has been away, after ten minutes without a connection that lasted; nil before.
    public internal(set) var awaySince: Int64?
    /// The version of MQTT; nil if it was never live.
    var version: ProtocolChoice.Version?
    public internal(set) var limits: BrokerLimits?
    public internal(set) var maySubscribe: Bool?
    /// How often it became live.
    public internal(set) var connections = 0
    /// How often a connection was lost or failed.
    public internal(set) var failures = 0
    public internal(set) var published = 0
    public internal(set) var publishedBytes = 0
    public internal(set) var received = 0
    /// Nothing of ours is left at the broker.
    var isCleared = false
    /// Publications that the broker refused, and the last of them with the reason.
    public internal(set) var refused = 0
    public internal(set) var refusal: String?

    /// "5" or "3.1.1".
    public var protocolVersion: String? { version.map { $0 == .mqtt5 ? "5" : "3.1.1" } }

    mutating func count(_ publication: Publication) {
        published += 1
        publishedBytes += publication.topic.utf8.count + publication.payload.count
    }
}

/// Passes messages between a broker's thread and all others.
final class BrokerMailbox: Sendable {
    struct Mail: Sendable {
        /// The broker is to be cleared, however long it is away.
        var isForGood = false
        /// An orderly end is wanted within seconds, also of the clearing.
        var isHurried = false
        var report = BrokerReport()
    }

    let wakes: WakeEvent
    private let mail = Monitor(Mail())

    /// What is wrong with the broker has changed: it refuses us, is away, or is back. Called on its thread.
    private let changed: @Sendable () -> Void

    /// nil if the system has no descriptor left.
    init?(changed: @escaping @Sendable () -> Void = {}) {
        guard let wakes = WakeEvent() else { return nil }
        (self.wakes, self.changed) = (wakes, changed)
    }

    func stop(isForGood: Bool) {
        mail.withLock { mail in
            if isForGood { mail.isForGood = true } else { mail.isHurried = true }
        }
        wakes.signal()
    }

    func take() -> Mail { mail.withLock { $0 } }

    func update(_ change: (inout BrokerReport) -> Void) {
        let hasChanged = mail.withLock { mail in
            let before = mail.report
            change(&mail.report)
            if mail.report.state != before.state { mail.report.since = WallClock.milliseconds() }
            return (mail.report.state == .refused) != (before.state == .refused)
                || (mail.report.awaySince == nil) != (before.awaySince == nil)
        }
        if hasChanged { changed() }
    }

    var report: BrokerReport { mail.withLock { $0.report } }
}

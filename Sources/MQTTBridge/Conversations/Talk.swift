import Gateway
import Log
import MeshModel
import Platform
import Store

// The conversations of one broker, in a session there that outlives our connections:
//
//     a batch from the broker --> HeardText --> one commit --> acknowledgement
//     row and outbox in one commit --wake--> PUBLISH --> PUBACK --> one commit
//
// 1. The broker gets its acknowledgement after the commit. A commit that fails ends the connection, and the broker
//    sends the messages again.
// 2. A filter is noted before it is subscribed to, and forgotten after its UNSUBACK. So a filter that was removed while
//    we were away is unsubscribed later, whatever has happened to us.
// 3. A conversation takes a message whichever filter brings it, and its copies not: another filter that has just brought
//    the same (Copies).
// 4. A session is ended by a connection that asks for none. Conversations may come or go while it is made: then there is
//    another connection.
// 5. All of this runs on the thread `talk NAME`. Other threads only leave a note and wake it.

final class Talk: BrokerUser {
    /// What other threads have left.
    struct Notes: Sendable {
        var isWoken = true
        /// The change log has something for a bridge.
        var hasChanges = false
    }

    /// What is shown of conversations, by name.
    struct Shown: Sendable {
        struct Flood: Sendable {
            /// Host milliseconds.
            var since: Int64
            var dropped: Int
        }

        /// A filter that the broker did not let us subscribe to, and since when in host milliseconds.
        struct Refusal: Hashable, Sendable {
            var filter: TopicFilter
            var since: Int64
        }

        /// Of each conversation the first one.
        var refused: [String: Refusal] = [:]
        var floods: [String: Flood] = [:]
        /// Of sealed ones.
        var unreadable: [String: UnreadableTexts] = [:]
        /// What was lost with a session; shown while the next connection lasts, and all else is well.
        var loss: String?
        var bridges: [String: ConversationBridge.Report] = [:]
    }

    struct Live {
        let source: SourceID
        var conversation: BrokerConversation
        /// Nil: it is not sealed.
        var key: ConversationKey?
        var allowance = BrokerAllowance.ofOne
        /// Steady milliseconds.
        var floodedUntil: Int64?
    }

    struct Heard {
        let source: SourceID
        /// The key that it was taken under; nil: in clear.
        let keyID: String?
        let text: HeardText
        /// It did not lie at the broker, or was written just now.
        let isNews: Bool
        let quality: Quality
    }

    /// Seconds that a broker keeps what comes while we are away.
    private static let sessionTime: UInt32 = 7 * 86_400
    /// After so many connections in a row that ended by a message that is too large, the session is ended, too: it
    /// would bring the message again.
    private static let mostTooLarge = 3
    /// Milliseconds after which a disk that could not be read or written is tried again.
    static let pause: Int64 = 60_000

    let broker: Broker
    let gateway: Gateway
    let logger: Logger
    private let notes: Monitor<Notes>
    let shown: Monitor<Shown>
    let all: Monitor<BrokerAllowance>
    let bridges: TalkBridges
    /// In the order of their names.
    var live: [Live] = []
    /// Filters that the session may have subscribed to, with their subscription identifiers.
    var identifiers: [TopicFilter: UInt32] = [:]
    /// Filters that this connection has subscribed to, with QoS.
    var subscribed: [TopicFilter: Int] = [:]
    /// Filters that it is unsubscribing from.
    var leaving: Set<TopicFilter> = []
    /// Filters that the broker does not let us subscribe to, and since when in host milliseconds.
    var denied: [TopicFilter: Int64] = [:]
    private(set) var isConnected = false
    /// Since when, in steady milliseconds.
    private(set) var connectedSince: Int64 = 0
    private(set) var version = ProtocolChoice.Version.mqtt5
    private(set) var limits = BrokerLimits()
    private(set) var isLeaving = false
    /// The session at the broker is to be ended.
    private(set) var endsSession = false
    /// The connection that is made, or was made last, asks for no session.
    private var isClean = false
    private(set) var wantsNewConnection = false
    private(set) var isDone = false
    private var tooLarge = 0
    /// When the last connection ended, in host milliseconds; nil: an earlier process had it.
    private var endedAt: Int64?
    var copies = Copies()
    var echoes = Echoes()
    var again = BroughtAgain()
    /// What is to be stored before the broker is answered.
    var heard: [Heard] = []
    var settled: [(text: WaitingText, outcome: Outcome)] = []
    var inFlight: [Int64: WaitingText] = [:]
    /// The row of the last text that was looked at.
    var place: Int64 = 0
    var mayHaveMore = false
    /// When the next waiting text expires, in steady milliseconds.
    private var expiry: Int64?
    /// When to read again what could not be read.
    var loadsAt: Int64?

    /// - Parameters:
    ///   - all: how much all conversations of all brokers may take.
    ///   - wake: has ``look(at:)`` called. Called on the writer's thread.
    init(
        _ broker: Broker, gateway: Gateway, notes: Monitor<Notes>, shown: Monitor<Shown>, all: Monitor<BrokerAllowance>,
        logger: Logger, wake: @escaping @Sendable () -> Void
    ) throws {
        (self.broker, self.gateway, self.logger) = (broker, gateway, logger)
        (self.notes, self.shown, self.all) = (notes, shown, all)
        bridges = TalkBridges(broker, gateway: gateway, logger: logger) {
            notes.withLock { $0.hasChanges = true }
            wake()
        }
        try load(at: .now)
    }

    // MARK: what is stored

    func look(at now: HostTime) {
        let left = notes.withLock { notes in
            defer { notes = Notes(isWoken: false) }
            return notes
        }
        if left.isWoken || loadsAt.map({ $0 <= now.steady }) ?? false { loadIfReadable(at: now) }
        if !isLeaving { passBridges(left.hasChanges, at: now) }
    }

    private func passBridges(_ hasChanges: Bool, at now: HostTime) {
        do {
            let start = isConnected ? connectedSince + ChannelBridge.settling : nil
            if try bridges.pass(hasChanges, upsFrom: start, at: now) {
                mayHaveMore = true
                expiry = min(expiry ?? .max, now.steady + ChannelBridge.longestAge)
            }
        } catch {
            logger.warning("what passes the bridges at the broker \(broker.name) cannot be read or stored: \(error)")
        }
        let reports = bridges.reports
        shown.withLock { $0.bridges = reports }
    }

    private func loadIfReadable(at now: HostTime) {
        do {
            try load(at: now)
            loadsAt = nil
        } catch {
            loadsAt = now.steady + Self.pause
            logger.warning("the conversations at the broker \(broker.name) cannot be read: \(error)")
        }
    }

    /// Reads the conversations again, and when the next text expires.
    private func load(at now: HostTime) throws {
        let name = broker.name
        let (found, keys, known, next) = try gateway.store.readCommitted { reader in
            try (
                reader.brokerConversations().filter { $0.conversation.broker == name },
                reader.conversationKeys(at: name), reader.brokerSubscriptions(at: name), reader.nextExpiryOfTexts()
            )
        }
        let before = live
        live = found.map { found in
            var one =
                before.first { $0.source == found.source }
                ?? Live(source: found.source, conversation: found.conversation)
            (one.conversation, one.key) = (found.conversation, keys[found.source])
            return one
        }
        // Texts of one that comes from another broker may be older than what was sent here.
        if live.contains(where: { one in !before.contains { $0.source == one.source } }) { place = 0 }
        bridges.load(found)
        identifiers = known
        expiry = next.map { now.steady + max(0, $0 - now.wall) }
        mayHaveMore = true
        forgetWhatIsNot(before)
        guard !isConnected || !isClean else {
            // This connection has ended the session.
            return (isDone, wantsNewConnection) = (live.isEmpty, !live.isEmpty)
        }
        isDone = live.isEmpty && known.isEmpty && !isConnected
        // The last conversation has gone: end the session at the broker, too.
        if live.isEmpty, !endsSession { (endsSession, wantsNewConnection) = (true, isConnected) }
        if !live.isEmpty, tooLarge < Self.mostTooLarge { endsSession = false }
    }

    /// Shows nothing of conversations that were removed, nor of what came under another key.
    ///
    /// - Parameter earlier: as it was before conversations were read again.
    private func forgetWhatIsNot(_ earlier: [Live]) {
        let hasChanged = shown.withLock { shown in
            let before = shown.floods.count
            shown.floods = shown.floods.filter { name, _ in live.contains { $0.conversation.name == name } }
            shown.unreadable = shown.unreadable.filter { name, _ in
                live.contains { one in
                    one.conversation.name == name && earlier.contains { $0.source == one.source && $0.key == one.key }
                }
            }
            return shown.floods.count != before
        }
        if hasChanged { gateway.problems.changed() }
        showRefusals()
    }

    // MARK: the connection

    var session: Session {
        var session = Session(suffix: "-talk", hasWill: false, largestPacket: UInt32(BrokerLibrary.longestMessage))
        (session.isClean, session.expiry) = (endsSession, endsSession ? 0 : Self.sessionTime)
        return session
    }

    func connecting(at now: HostTime) {
        loadIfReadable(at: now)
        isClean = endsSession
    }

    func connected(
        _ version: ProtocolChoice.Version, _ limits: BrokerLimits, isSessionPresent: Bool, at now: HostTime
    ) throws -> [Subscription] {
        (self.version, self.limits) = (version, limits)
        try load(at: now)
        if isClean || !isSessionPresent {
            let name = broker.name
            try gateway.store.commit { try $0.forgetSubscriptions(at: name) }
            (identifiers, copies, again) = ([:], Copies(), BroughtAgain())
        }
        again.connected(at: now)
        (isConnected, place, inFlight, subscribed, leaving, denied) = (true, 0, [:], [:], [], [:])
        connectedSince = now.steady
        showRefusals()
        gateway.problems.changed()
        guard !isClean else {
            (endsSession, tooLarge) = (false, 0)
            (isDone, wantsNewConnection) = (live.isEmpty, !live.isEmpty)
            return []
        }
        guard !endsSession else {
            wantsNewConnection = true
            return []
        }
        if version == .mqtt311 { try rememberOwn(isSessionPresent: isSessionPresent, at: now) }
        return try newSubscriptions()
    }

    /// Own texts that may come back: those sent since a minute ago, or, if the broker has kept our session, since a
    /// minute before the last connection ended.
    private func rememberOwn(isSessionPresent: Bool, at now: HostTime) throws {
        let sources = live.map { ($0.source, $0.conversation) }
        echoes = Echoes()
        try gateway.store.readCommitted { reader in
            for (source, conversation) in sources {
                // That of an earlier process ended after its last PUBACK; how long after, nobody knows.
                let last = isSessionPresent ? try endedAt ?? reader.newestTaken(in: source) : nil
                let since = min(last ?? now.wall, now.wall) - Echoes.time
                for own in try reader.ownTexts(takenSince: since, in: source, limit: 1_000)
                // Others have their id or nonce.
                where !conversation.carriesIDs {
                    let payload = Array(own.text.utf8)
                    if own.takenAt == nil {
                        echoes.published(own.topic, payload)
                    } else {
                        echoes.taken(own.topic, payload, at: now.steady)
                    }
                }
            }
        }
    }

    func subscribed(isAllowed: Bool, at now: HostTime) {}

    func ended(_ ending: Ending, at now: HostTime) {
        // What was not answered comes again, but for QoS 0; then it is no copy of itself.
        if heard.contains(where: { $0.quality != .atMostOnce }) { copies = Copies() }
        heard.removeAll { $0.quality != .atMostOnce }
        again.ended(isUnanswered: ending.isUnanswered, at: now)
        // What the broker has acknowledged stays acknowledged. If that cannot be stored now, it is with what comes next.
        try? store(at: now)
        (inFlight, isConnected, endedAt) = ([:], false, now.wall)
        (wantsNewConnection, mayHaveMore) = (false, false)
        // The connection that ended the session tells nobody.
        if !isClean { shown.withLock { $0.loss = nil } }
        tooLarge = ending.isTooLarge ? tooLarge + 1 : 0
        guard tooLarge == Self.mostTooLarge else { return }
        endsSession = true
        let loss =
            "a message of more than \(BrokerLibrary.longestMessage >> 10) kB came again and again: the session was ended, "
            + "and what waited at the broker is lost"
        shown.withLock { $0.loss = loss }
        logger.warning("the conversations at the broker \(broker.name): \(loss)")
    }

    func sayGoodbye(isForGood: Bool, at now: HostTime) {
        isLeaving = true
        bridges.leave()
    }

    // MARK: time

    var alarm: Int64? {
        let bridges = isLeaving ? nil : self.bridges.alarm
        return (live.map(\.floodedUntil) + [expiry, loadsAt, bridges]).compactMap { $0 }.min()
    }

    func ring(at now: HostTime) {
        endFloods(at: now)
        guard let time = expiry, time <= now.steady else { return }
        do {
            try gateway.store.commit { try $0.expireTexts(at: now.wall) }
            let next = try gateway.store.readCommitted { try $0.nextExpiryOfTexts() }
            expiry = next.map { now.steady + max(0, $0 - now.wall) }
        } catch {
            expiry = now.steady + Self.pause
        }
    }
}

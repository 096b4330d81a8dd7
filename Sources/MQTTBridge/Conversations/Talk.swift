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
// 3. A conversation takes a message once, by the first of its filters that names the topic, whichever copy comes first.
// 4. All of this runs on the thread `talk NAME`. Other threads only leave a note and wake it.

final class Talk: BrokerUser {
    /// What other threads have left.
    struct Notes: Sendable { var isWoken = true }

    /// What is shown of conversations, by name.
    struct Shown: Sendable {
        struct Flood: Sendable {
            /// Host milliseconds.
            var since: Int64
            var dropped: Int
        }

        /// A filter that the broker did not let us subscribe to, and since when.
        var refused: [String: (filter: String, since: Int64)] = [:]
        var floods: [String: Flood] = [:]
        /// What was lost with a session; shown while all else is well.
        var loss: String?
    }

    struct Live {
        let source: SourceID
        var conversation: BrokerConversation
        var allowance = TextAllowance.ofOne
        /// Steady milliseconds.
        var floodedUntil: Int64?
    }

    /// Seconds that a broker keeps what comes while we are away.
    private static let sessionTime: UInt32 = 7 * 86_400
    /// Milliseconds.
    private static let floodTime: Int64 = 600_000
    /// After so many connections in a row that ended by a message that is too large, the session is ended, too: it
    /// would bring the message again.
    private static let mostTooLarge = 3

    let broker: Broker
    let gateway: Gateway
    let logger: Logger
    private let notes: Monitor<Notes>
    private let shown: Monitor<Shown>
    private let all: Monitor<TextAllowance>
    /// In the order of their names.
    private(set) var live: [Live] = []
    /// Filters that the session may have subscribed to, with their subscription identifiers.
    var identifiers: [String: UInt32] = [:]
    /// Filters that this connection has subscribed to, with QoS.
    var subscribed: [String: Int] = [:]
    /// Filters that it is unsubscribing from.
    var leaving: Set<String> = []
    private(set) var isConnected = false
    private var version = ProtocolChoice.Version.mqtt5
    private var hasIdentifiers = true
    private var isLeaving = false
    /// The session at the broker is to be ended.
    private var endsSession = false
    private(set) var wantsNewConnection = false
    private(set) var isDone = false
    private var tooLarge = 0
    private var copies = Copies()
    private var echoes = Echoes()
    private var heard: [(source: SourceID, text: HeardText)] = []
    private var settled: [(text: WaitingText, outcome: Outcome)] = []
    private var inFlight: [Int64: WaitingText] = [:]
    /// The row of the last text that this connection has published.
    private var place: Int64 = 0
    private var mayHaveMore = false
    /// When the next waiting text expires, in steady milliseconds.
    private var expiry: Int64?

    /// - Parameter all: how much all conversations of all brokers may take.
    init(
        _ broker: Broker, gateway: Gateway, notes: Monitor<Notes>, shown: Monitor<Shown>, all: Monitor<TextAllowance>,
        logger: Logger
    ) throws {
        (self.broker, self.gateway, self.logger) = (broker, gateway, logger)
        (self.notes, self.shown, self.all) = (notes, shown, all)
        try load(at: .now)
    }

    // MARK: what is stored

    /// Reads the conversations again, and when the next text expires.
    private func load(at now: HostTime) throws {
        let name = broker.name
        let (found, known, next) = try gateway.store.readCommitted { reader in
            try (
                reader.brokerConversations().filter { $0.conversation.broker == name },
                reader.brokerSubscriptions(at: name), reader.nextExpiryOfTexts()
            )
        }
        live = found.map { found in
            var one =
                live.first { $0.source == found.source } ?? Live(source: found.source, conversation: found.conversation)
            one.conversation = found.conversation
            return one
        }
        identifiers = known
        expiry = next.map { now.steady + max(0, $0 - now.wall) }
        mayHaveMore = true
        let names = Set(live.map(\.conversation.name))
        shown.withLock { shown in
            shown.refused = shown.refused.filter { names.contains($0.key) }
            shown.floods = shown.floods.filter { names.contains($0.key) }
        }
        isDone = live.isEmpty && known.isEmpty && !isConnected
        // The last conversation has gone: end the session at the broker, too.
        if live.isEmpty, !endsSession { (endsSession, wantsNewConnection) = (true, isConnected) }
        if !live.isEmpty, tooLarge < Self.mostTooLarge { endsSession = false }
    }

    // MARK: the connection

    var session: Session {
        var session = Session(suffix: "-talk", hasWill: false, largestPacket: UInt32(BrokerLibrary.longestMessage))
        (session.isClean, session.expiry) = (endsSession, endsSession ? 0 : Self.sessionTime)
        return session
    }

    func connected(
        _ version: ProtocolChoice.Version, _ limits: BrokerLimits, isSessionPresent: Bool, at now: HostTime
    ) throws -> [Subscription] {
        (self.version, hasIdentifiers) = (version, limits.hasSubscriptionIdentifiers)
        try load(at: now)
        let isEnding = endsSession
        if isEnding || !isSessionPresent {
            let name = broker.name
            try gateway.store.commit { try $0.forgetSubscriptions(at: name) }
            identifiers = [:]
        }
        (isConnected, place, inFlight, subscribed, leaving) = (true, 0, [:], [:], [])
        guard !isEnding else {
            (endsSession, tooLarge) = (false, 0)
            (isDone, wantsNewConnection) = (live.isEmpty, !live.isEmpty)
            return []
        }
        shown.withLock { $0.refused = [:] }
        if version == .mqtt311 { try rememberOwn(isSessionPresent: isSessionPresent, at: now) }
        return try newSubscriptions()
    }

    /// Remembers own texts that may come back. If the broker has kept our session, these are the texts since a minute
    /// before the last connection ended, else those of the last minute.
    private func rememberOwn(isSessionPresent: Bool, at now: HostTime) throws {
        let sources = live.map { ($0.source, $0.conversation) }
        echoes = Echoes()
        try gateway.store.readCommitted { reader in
            for (source, conversation) in sources {
                // The last connection ended after the broker had taken the newest of them.
                let last = isSessionPresent ? try reader.newestTaken(in: source) : nil
                let since = min(last ?? now.wall, now.wall) - Echoes.time
                for own in try reader.ownTexts(takenSince: since, in: source, limit: 1_000) where !conversation.isJSON {
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

    func ended(isTooLarge: Bool, at now: HostTime) {
        (heard, settled, inFlight, isConnected) = ([], [], [:], false)
        (wantsNewConnection, mayHaveMore) = (false, false)
        tooLarge = isTooLarge ? tooLarge + 1 : 0
        guard tooLarge == Self.mostTooLarge else { return }
        endsSession = true
        let loss =
            "a message of more than \(BrokerLibrary.longestMessage >> 10) kB came again and again: the session was ended, "
            + "and what waited at the broker is lost"
        shown.withLock { $0.loss = loss }
        logger.warning("the conversations at the broker \(broker.name): \(loss)")
    }

    func sayGoodbye(isForGood: Bool, at now: HostTime) { isLeaving = true }

    // MARK: subscriptions

    /// The filters to subscribe to, with QoS. Two conversations may have the same filter.
    private var wanted: [String: Int] {
        var wanted: [String: Int] = [:]
        for one in live where one.floodedUntil == nil {
            for filter in one.conversation.filters { wanted[filter] = max(wanted[filter] ?? 0, one.conversation.qos) }
        }
        return wanted
    }

    /// Notes the filters that are new.
    ///
    /// - Returns: their subscriptions, which are to be made now.
    private func newSubscriptions() throws -> [Subscription] {
        let new = wanted.filter { subscribed[$0.key] != $0.value }.sorted { $0.key < $1.key }
        guard !new.isEmpty else { return [] }
        let name = broker.name
        let noted = try gateway.store.commit { writer in
            try new.map { ($0.key, try writer.noteSubscription($0.key, at: name)) }
        }
        for (filter, identifier) in noted { identifiers[filter] = identifier }
        return new.map { filter, qos in
            (subscribed[filter], leaving) = (qos, leaving.subtracting([filter]))
            var subscription = Subscription.ofOthers(filter)
            subscription.quality = qos == 0 ? .atMostOnce : .atLeastOnce
            subscription.retainHandling = .never
            subscription.identifier = hasIdentifiers ? identifiers[filter] : nil
            return subscription
        }
    }

    func subscriptionChanges(at now: HostTime) throws -> [SubscriptionChange] {
        // The broker does not answer what was sent with QoS 0: store here that it was sent.
        try keepReceived(at: now)
        let isWoken = notes.withLock { notes in
            defer { notes.isWoken = false }
            return notes.isWoken
        }
        if isWoken { try load(at: now) }
        guard !endsSession, !isLeaving, !isDone else { return [] }
        let wanted = wanted
        let old = identifiers.keys.filter { wanted[$0] == nil && !leaving.contains($0) }.sorted()
        for filter in old { (subscribed[filter], leaving) = (nil, leaving.union([filter])) }
        return try old.map { .unsubscribe($0) } + newSubscriptions().map { .subscribe($0) }
    }

    func answered(_ change: SubscriptionChange, code: Int, at now: HostTime) {
        switch change {
        case .unsubscribe(let filter):
            // It may have been subscribed to again meanwhile.
            guard leaving.remove(filter) != nil, subscribed[filter] == nil else { return }
            identifiers[filter] = nil
            let name = broker.name
            gateway.store.enqueue(.grouped, { try $0.forgetSubscription(filter, at: name) })
        case .subscribe(let subscription):
            let names = live.filter { $0.conversation.filters.contains(subscription.filter) }.map(\.conversation.name)
            let hasChanged = shown.withLock { shown in
                for name in names {
                    if code >= 128 {
                        shown.refused[name] = (subscription.filter, now.wall)
                    } else if shown.refused[name]?.filter == subscription.filter {
                        shown.refused[name] = nil
                    }
                }
                return code >= 128
            }
            if hasChanged { gateway.problems.changed() }
        }
    }

    // MARK: what comes

    func received(_ message: IncomingMessage, at now: HostTime) {
        // What is retained is a state, not somebody's word.
        guard !message.isRetained else { return }
        let takers = takers(of: message)
        guard !takers.isEmpty, let text = HeardText(message), !isOwn(message, text, at: now) else { return }
        let isNamed = !known(message.identifiers).isEmpty
        let count = isNamed ? 1 : subscribed.keys.count { TopicFilter.matches($0, message.topic) }
        for index in takers where !copies.take(message, in: live[index].source, by: count, at: now.steady) {
            guard mayTake(index, at: now) else { continue }
            heard.append((live[index].source, text))
        }
    }

    /// Our filters that have brought a message, as far as the broker says so.
    private func known(_ given: [UInt32]) -> Set<String> {
        guard !given.isEmpty else { return [] }
        return Set(identifiers.filter { given.contains($0.value) }.keys)
    }

    /// Conversations whose first filter that names the topic has brought the message.
    private func takers(of message: IncomingMessage) -> [Int] {
        let brought = known(message.identifiers)
        return live.indices.filter { index in
            let first = live[index].conversation.filters.first { TopicFilter.matches($0, message.topic) }
            return first.map { brought.isEmpty || brought.contains($0) } ?? false
        }
    }

    /// Whether it is an own text. With MQTT 5 the broker does not send us those (No Local).
    private func isOwn(_ message: IncomingMessage, _ text: HeardText, at now: HostTime) -> Bool {
        guard version == .mqtt311 else { return false }
        if echoes.contains(message, at: now.steady) { return true }
        guard let id = text.id else { return false }
        let sources = live.map(\.source)
        return (try? gateway.store.readCommitted { try $0.isOwnText(id, in: sources) }) ?? false
    }

    /// - Returns: false: the conversation takes no more for now, and its filters are unsubscribed from for a while.
    private func mayTake(_ index: Int, at now: HostTime) -> Bool {
        let name = live[index].conversation.name
        if live[index].floodedUntil == nil {
            if live[index].allowance.take(at: now.steady), all.withLock({ $0.take(at: now.steady) }) { return true }
            live[index].floodedUntil = now.steady + Self.floodTime
            shown.withLock { $0.floods[name] = .init(since: now.wall, dropped: 0) }
            logger.warning(
                "the conversation \(name) is flooded: its filters are not subscribed to for \(Self.floodTime / 60_000) minutes"
            )
            gateway.problems.changed()
        }
        shown.withLock { $0.floods[name]?.dropped += 1 }
        return false
    }

    func keepReceived(at now: HostTime) throws {
        guard !heard.isEmpty || !settled.isEmpty else { return }
        let (texts, ends) = (heard, settled)
        try gateway.store.commit { writer in
            let sources = Set(try writer.brokerConversations().map(\.source))
            for one in texts where sources.contains(one.source) {
                let about = BrokerText(topic: one.text.topic, writer: one.text.writer, id: one.text.id)
                try writer.insertReceived(one.text.text, about, in: one.source, at: now.wall)
            }
            for end in ends { try writer.settle(end.text, at: now.wall) { $0.note(end.outcome, at: now.wall) } }
        }
        (heard, settled) = ([], [])
    }

    // MARK: what goes

    func next(_ room: Int, at now: HostTime) -> [Publication] {
        guard isConnected, mayHaveMore, !isLeaving, !wantsNewConnection else { return [] }
        let (name, place) = (broker.name, place)
        do {
            let waiting = try gateway.store.readCommitted { try $0.waitingTexts(for: name, after: place, limit: room) }
            mayHaveMore = waiting.count == room
            return waiting.compactMap { publication($0, at: now) }
        } catch {
            mayHaveMore = false
            logger.warning("what waits for the broker \(name) cannot be read: \(error)")
            return []
        }
    }

    private func publication(_ text: WaitingText, at now: HostTime) -> Publication? {
        place = text.row
        // An expired one is given up in a moment.
        guard text.expiresAt > now.wall, let one = live.first(where: { $0.source == text.source }) else { return nil }
        inFlight[text.row] = text
        let publication = Publication(text, of: one.conversation)
        if version == .mqtt311, !one.conversation.isJSON { echoes.published(text.topic, publication.payload) }
        return publication
    }

    func settled(_ publication: Publication, _ outcome: Outcome, at now: HostTime) {
        guard let text = publication.row.flatMap({ inFlight.removeValue(forKey: $0) }) else { return }
        if version == .mqtt311 { echoes.taken(text.topic, publication.payload, at: now.steady) }
        settled.append((text, outcome))
    }

    var deadline: Int64? { nil }

    // MARK: time

    var alarm: Int64? { (live.map(\.floodedUntil) + [expiry]).compactMap { $0 }.min() }

    func ring(at now: HostTime) {
        for index in live.indices {
            guard let end = live[index].floodedUntil, end <= now.steady else { continue }
            live[index].floodedUntil = nil
            let name = live[index].conversation.name
            shown.withLock { $0.floods[name] = nil }
            gateway.problems.changed()
        }
        guard let time = expiry, time <= now.steady else { return }
        do {
            try gateway.store.commit { try $0.expireTexts(at: now.wall) }
            let next = try gateway.store.readCommitted { try $0.nextExpiryOfTexts() }
            expiry = next.map { now.steady + max(0, $0 - now.wall) }
        } catch {
            // The disk is full or failing: later.
            expiry = now.steady + 60_000
        }
    }
}

extension Delivery {
    /// What a broker has answered.
    fileprivate mutating func note(_ outcome: Outcome, at now: Int64) {
        switch outcome {
        case .acknowledged: (state, ackedAt) = (.relayed, now)
        // "Not authorized", and everything else.
        case .refused(0x87): (state, error) = (.failed, RoutingError(rawValue: 33))
        case .refused, .postponed: (state, error) = (.failed, RoutingError(rawValue: 32))
        }
    }
}

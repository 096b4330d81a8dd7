import Gateway
import Log
import MeshModel
import Nettle
import Store

// The bridges of a broker's conversations at work, on the thread `talk NAME`.
//
//     change log --> ChannelBridge --due--> row, outbox and place in the change log, in one commit --> PUBLISH
//                                 \--due--> Gateway.send
//
// 1. The reader's place stays before the oldest text that still waits, so that a kill asks for it again. Its row in the
//    conversation is the last word on whether it has gone: a text has one id for ever.
// 2. What waits to be sent on the channel is in memory and ends with the process. It is sent under its own key, so that a
//    text that comes again is sent once.
// 3. Before anything passes, the channel is compared with the one that the bridge was set to. If it is another one, the bridge
//    stops, and says so.

final class TalkBridges {
    /// One that works.
    private struct Joined {
        let source: SourceID
        let radio: SourceID
        let name: String
        let channel: Int
        /// Changes up to which nothing goes up, and nothing goes down.
        let upSince: Int64
        let downSince: Int64
        var plan: ChannelBridge

        func joins(as found: FoundConversation) -> Bool {
            source == found.source && radio == found.radio && channel == found.conversation.bridge?.channel
                && upSince == found.bridgedSince
        }
    }

    /// Changes that are looked at in one go.
    private static let page = 2_000
    /// Milliseconds for which a text waits for its turn at the radio.
    private static let lifetime: Int64 = 60_000
    private static let hour: Int64 = 3_600_000
    private static let mostTexts = 4_096
    private static let mostWaiting = 1_000

    private let broker: Broker
    private let gateway: Gateway
    private let logger: Logger
    private let wake: @Sendable () -> Void
    private let isOfThisHouse: Bool
    private var reader: ChangeReader?
    /// The broker's conversations.
    private var found: [FoundConversation] = []
    private var joined: [Joined] = []
    /// The change log is to be read, or the conversations are other ones.
    private var hasChanges = false
    private var isLoaded = true
    /// From when on texts may go up, in steady milliseconds; nil: the broker is away.
    private var upsFrom: Int64?
    /// The last change that was looked at.
    private var seen: Int64 = 0
    /// Rows of texts that lay at the broker, and are not looked at yet, by conversation.
    private var old: [SourceID: Set<Int64>] = [:]
    /// The radio has told of its channels, or it is not known what they are.
    private var mayHaveOtherChannels = false
    /// When to try again what the disk has not taken, in steady milliseconds.
    private var triesAt: Int64?

    /// - Parameter wake: called on the writer's thread when there is something to look at.
    init(_ broker: Broker, gateway: Gateway, logger: Logger, wake: @escaping @Sendable () -> Void) {
        (self.broker, self.gateway, self.logger, self.wake) = (broker, gateway, logger, wake)
        isOfThisHouse = Broker.isOfThisHouse(broker.host)
    }

    // MARK: which there are

    /// Takes the broker's conversations over, with the next ``pass(_:at:)``.
    func load(_ found: [FoundConversation]) { (self.found, isLoaded) = (found, false) }

    private func bringIntoForce(at now: HostTime) throws {
        let wanted = found.filter { found in found.conversation.bridge.map { $0.stop == nil } ?? false }
        guard !wanted.isEmpty || reader != nil else { return }
        if reader == nil { try open() }
        joined = try wanted.compactMap { found in
            guard let bridge = found.conversation.bridge, let radio = found.radio else { return nil }
            guard var one = joined.first(where: { $0.joins(as: found) }) else {
                mayHaveOtherChannels = true
                return try begin(found, bridge, radio, at: now)
            }
            one.plan.settings = bridge
            return one
        }
        old = old.filter { source, _ in joined.contains { $0.source == source } }
        guard joined.isEmpty else { return }
        reader = nil
        try gateway.forget(reader: readerName)
    }

    private var readerName: String { "bridges \(broker.name)" }

    private func open() throws {
        let reader = try gateway.reader(named: readerName, kinds: [.message, .delivery, .channel], wake: wake)
        (self.reader, seen) = (reader, reader.place)
    }

    private func begin(
        _ found: FoundConversation, _ bridge: ConversationBridge, _ radio: SourceID, at now: HostTime
    ) throws -> Joined {
        let (source, name) = (found.source, found.conversation.name)
        return try gateway.store.readCommitted { reader in
            let (start, channel) = (now.wall - ChannelBridge.memory, bridge.channel)
            var past = ChannelBridge.Past()
            past.told = try reader.bridgedTexts(since: start, in: source, limit: Self.mostTexts).map { text in
                let words = BridgedWords.of(text.text, by: text.writer)
                let told = ChannelBridge.Told(key: "", id: text.id, words: words, mayGoDown: false)
                return (told, age: now.wall - text.at)
            }
            // What this bridge has sent is no word of others.
            past.heard = try reader.messages(
                .init(source: radio, channel: channel, since: start, limit: Self.mostTexts)
            )
            .filter { $0.createdAt > start && $0.sender?.kind != .mqtt }
            .map { (ChannelBridge.Said.id(of: $0), $0.text, age: now.wall - $0.createdAt) }
            past.sent = try reader.timesSent(
                by: Sender(.mqtt, name), on: channel, since: now.wall - Self.hour, in: radio,
                limit: ConversationBridge.mostTextsPerHour
            ).map { now.wall - $0 }
            return Joined(
                source: source, radio: radio, name: name, channel: channel, upSince: found.bridgedSince,
                downSince: try reader.newestChange(), plan: ChannelBridge(bridge, knowing: past, at: now))
        }
    }

    /// Nothing of what these rows say goes down: it lay at the broker.
    func neverSend(_ rows: [(source: SourceID, row: Int64)]) {
        for (source, row) in rows where joined.contains(where: { $0.source == source }) {
            old[source, default: []].insert(row)
        }
    }

    /// What became of texts for the channels, by the names of the conversations.
    var reports: [String: ConversationBridge.Report] {
        var reports: [String: ConversationBridge.Report] = [:]
        for one in joined {
            var report = ConversationBridge.Report()
            (report.dropped, report.lastReason) = (one.plan.dropped, one.plan.lastReason)
            reports[one.name] = report
        }
        return reports
    }

    /// At an orderly stop.
    func leave() { reader?.storePlace() }

    /// Takes what has changed, and does what is due.
    ///
    /// - Parameters:
    ///   - hasChanges: something has changed since.
    ///   - start: from when on texts may go up, in steady milliseconds; nil: the broker is away.
    /// - Returns: whether texts wait for the broker now that did not before.
    func pass(_ hasChanges: Bool, upsFrom start: Int64?, at now: HostTime) throws -> Bool {
        upsFrom = start
        if hasChanges { (self.hasChanges, triesAt) = (true, nil) }
        if let triesAt, triesAt > now.steady { return false }
        triesAt = nil
        do {
            if !isLoaded {
                try bringIntoForce(at: now)
                (isLoaded, self.hasChanges) = (true, true)
            }
            if self.hasChanges { self.hasChanges = try !look(at: now) }
            let goesUp = try work(at: now)
            // A text that was to go first stood before the rest.
            if self.hasChanges, oldestWaiting == nil { self.hasChanges = try !look(at: now) }
            return goesUp
        } catch {
            triesAt = now.steady + Talk.pause
            throw error
        }
    }

    // MARK: what is said

    /// - Returns: false: there is more, behind a text that waits to go up.
    private func look(at now: HostTime) throws -> Bool {
        while let reader, !joined.isEmpty {
            var isThrough = false
            let step = try reader.next(limit: Self.page) { reader, changes, isAll in
                try take(changes, reader, at: now)
                isThrough = isAll
            }
            switch step {
            case .missed(_, _, let last):
                reader.pass(last)
                seen = last
                // What was said meanwhile is known from the rows.
                joined = []
                try bringIntoForce(at: now)
            case .changes(let changes, let last):
                seen = max(seen, last)
                guard oldestWaiting == nil else { return isThrough }
                reader.pass(seen)
                if isThrough || changes.isEmpty { return true }
            }
        }
        return true
    }

    private var oldestWaiting: Int64? { joined.compactMap(\.plan.oldestChange).min() }

    private func take(_ changes: [StoredChange], _ reader: Reader, at now: HostTime) throws {
        for change in changes where change.number > seen {
            switch change.what {
            case .message(let id, _):
                for index in joined.indices {
                    if joined[index].radio == change.source { try hear(id, change, at: index, reader, now) }
                    if joined[index].source == change.source { try tell(id, change, at: index, reader, now) }
                }
            case .delivery(let id, let delivery):
                for index in joined.indices where joined[index].source == change.source && delivery.state == .relayed {
                    try tell(id, change, at: index, reader, now)
                }
            case .channel: mayHaveOtherChannels = true
            default: break
            }
            seen = change.number
        }
    }

    private func hear(_ id: String, _ change: StoredChange, at index: Int, _ reader: Reader, _ now: HostTime) throws {
        guard let message = try reader.message(id: id, in: change.source), message.channel == joined[index].channel,
            // What this bridge has sent.
            message.sender?.kind != .mqtt
        else { return }
        let said = try ChannelBridge.Said(
            message, by: change, isOfThisHouse: isOfThisHouse, since: joined[index].upSince, reader)
        joined[index].plan.heard(said, wait: .random(in: ChannelBridge.upwardWaits), at: now)
    }

    private func tell(_ id: String, _ change: StoredChange, at index: Int, _ reader: Reader, _ now: HostTime) throws {
        guard let message = try reader.message(id: id, in: change.source),
            let about = try reader.brokerTexts(of: [message.packetID], in: change.source)[message.packetID]
        else { return }
        let isOld = change.messageRow.map { old[change.source]?.remove($0) != nil } ?? false
        // An own one goes when the broker has it, and so the others: who hears it on the channel first would publish it.
        let isThere = !message.isOwn || message.delivery?.state == .relayed && message.isYoung(at: now.wall)
        let told = ChannelBridge.Told(
            message, about, mayGoDown: !isOld && isThere && change.number > joined[index].downSince)
        joined[index].plan.told(told, wait: .random(in: ChannelBridge.downwardWaits), at: now)
    }

    // MARK: what goes

    /// When something is due, in steady milliseconds; nil: nothing waits.
    var alarm: Int64? { triesAt ?? joined.compactMap { $0.plan.alarm(upsFrom: upsFrom) }.min() }

    /// Does what is due.
    private func work(at now: HostTime) throws -> Bool {
        let isDue = alarm.map { $0 <= now.steady } ?? false
        guard isDue || mayHaveOtherChannels else { return false }
        try stopBridgesOfOtherChannels()
        mayHaveOtherChannels = false
        let goesUp = try takeUp(at: now)
        for index in joined.indices {
            while let text = joined[index].plan.takeDown(at: now) { send(text, of: index) }
        }
        return goesUp
    }

    /// Stops bridges whose channel is another one by now.
    private func stopBridgesOfOtherChannels() throws {
        for one in joined {
            // Not only what is committed: what the radio has just told may wait for its group.
            let channel = try gateway.store.read { try $0.bridgedChannel(of: one.source) }
            guard channel == .another || channel == .unused else { continue }
            let reason =
                channel == .unused
                ? "the radio does not use channel \(one.channel) any more"
                : "channel \(one.channel) has another name or another key"
            try gateway.store.commit { writer in
                // Its owner may have set it again.
                guard try writer.bridgedChannel(of: one.source) == channel else { return }
                try writer.stopBridge(of: one.source, because: reason)
            }
            joined.removeAll { $0.source == one.source }
            logger.warning("the bridge of the conversation \(one.name) is stopped: \(reason)")
            gateway.problems.changed()
        }
    }

    private func takeUp(at now: HostTime) throws -> Bool {
        let mayGo = upsFrom.map { $0 <= now.steady } ?? false
        let due = joined.map { $0.plan.dueUps(mayGo: mayGo, at: now) }
        guard let reader, due.contains(where: { !$0.isEmpty }) else { return false }
        var after = joined
        for index in after.indices { after[index].plan.settleUps(due[index].count) }
        let going = zip(joined, due).map { one, texts in (one, texts.filter(\.goes).map(\.text)) }
        let place = after.compactMap(\.plan.oldestChange).min().map { $0 - 1 } ?? seen
        try reader.act(upTo: max(place, reader.place)) { writer in
            for (one, texts) in going { try Self.store(texts, of: one, writer, at: now) }
        }
        joined = after
        return true
    }

    private static func store(
        _ texts: [ChannelBridge.Said], of one: Joined, _ writer: Writer, at now: HostTime
    ) throws {
        guard !texts.isEmpty, let found = try writer.brokerConversations().first(where: one.joins),
            found.conversation.bridge?.goesUp == true, let topic = found.conversation.topic,
            try writer.bridgedChannel(of: one.source) == .same
        else { return }
        for text in texts {
            guard try writer.waitingTexts(in: one.source) < mostWaiting else { return }
            let about = BrokerText(topic: topic, writer: text.writer, id: text.id)
            _ = try writer.insertBridged(
                text.text, about, in: one.source, at: now.wall, expiresAt: now.wall + ChannelBridge.longestAge,
                staysInHouse: text.staysInHouse)
        }
    }

    private func send(_ text: ChannelBridge.Told, of index: Int) {
        let one = joined[index]
        let outgoing = OutgoingText(text: text.words, destination: .channel(one.channel), lifetime: Self.lifetime)
        let digest = SHA256.digest(of: Array(text.words.utf8))
        // A conversation has no token: no token's number is below zero.
        let once = SendOnce(key: text.key, token: -one.source.rawValue) { _ in
            AcceptedSend(digest: digest, status: 201, answer: [])
        }
        do {
            _ = try gateway.send(outgoing, by: Sender(.mqtt, one.name), to: one.radio, once: once)
        } catch {
            joined[index].plan.failed(because: error.words)
        }
    }
}

extension Message {
    fileprivate func isYoung(at now: Int64) -> Bool { abs(now - createdAt) <= ChannelBridge.longestAge }
}

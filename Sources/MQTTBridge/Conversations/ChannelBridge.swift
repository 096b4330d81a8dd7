import MeshModel

// What passes between a channel and a conversation over a broker, as a value: it knows no clock, no thread and no database.
//
//     said on the channel --up to 3 s--> published, under an id that all gateways give it
//     said in the conversation --2 to 10 s--> sent on the channel, as `WRITER: TEXT`
//
// 1. All gateways that hear a text wait for different times. Who finds its id in the conversation by then publishes nothing.
// 2. Several gateways may send one text on one channel. Who hears its words there while it waits sends nothing.
// 3. A text on the channel that equals what this bridge would say for a text of the last ten minutes is that text. It goes
//    nowhere, so that nothing goes in circles: neither between two gateways on one channel, nor between two channels that are
//    bridged to one topic.
// 4. Nothing goes up before what lay at the broker has come: it may be there already.
// 5. Texts stay in their order. Up, none overtakes another. Down, the next one begins to wait when the one before is sent or
//    dropped; else two gateways with much to say would say all of it at the same time.

struct ChannelBridge: Sendable {
    /// A text on the channel.
    struct Said: Hashable, Sendable {
        /// The number of its change.
        let change: Int64
        /// That it has in the conversation.
        let id: String
        let writer: String
        let text: String
        /// Host milliseconds.
        let at: Int64
        /// Whether it may be published at all.
        let mayGoUp: Bool
        /// Its sender does not allow that it goes to a broker elsewhere.
        let staysInHouse: Bool
    }

    /// A text in the conversation.
    struct Told: Hashable, Sendable {
        /// Identifies it when it is to be sent again.
        let key: String
        /// nil: it has none.
        let id: String?
        /// As they are sent.
        let words: String
        /// Whether it may be sent on the channel at all: it neither came from there nor is old.
        let mayGoDown: Bool
    }

    private struct Up: Sendable {
        let text: Said
        /// When it goes, and until when it is news, in steady milliseconds.
        let due: Int64
        let until: Int64
    }

    private struct Down: Sendable {
        let text: Told
        /// Milliseconds from when it is the first one.
        let wait: Int64
    }

    /// Milliseconds before a text goes.
    static let upwardWaits: ClosedRange<Int64> = 0...3_000
    static let downwardWaits: ClosedRange<Int64> = 2_000...10_000
    /// What is older is of yesterday, in milliseconds.
    static let longestAge: Int64 = 120_000
    /// For so many milliseconds at least the same words are the same text.
    static let memory: Int64 = 600_000
    private static let hour: Int64 = 3_600_000
    /// For so many milliseconds a connection brings what lay at the broker.
    static let settling: Int64 = 10_000
    /// Texts that wait, or are remembered.
    private static let most = 4_096

    var settings: ConversationBridge
    private var ups: [Up] = []
    private var downs: [Down] = []
    /// Since when the first of them is the first, in steady milliseconds.
    private var firstSince: Int64 = 0
    /// When each was there last, in steady milliseconds: texts of the conversation by their words and ids, and texts of the
    /// channel by the same ids.
    private var words: [String: Int64] = [:]
    private var ids: [String: Int64] = [:]
    private var heardIDs: [String: Int64] = [:]
    /// What was heard on the channel and is no text of the conversation yet, with the times.
    private var heardWords: [String: [Int64]] = [:]
    /// When texts were sent in the last hour, in steady milliseconds.
    private var sent: [Int64] = []
    private var forgetsAt: Int64 = .min
    private(set) var dropped = 0
    private(set) var lastReason: String?

    /// What was there when a bridge begins, with its age in milliseconds.
    struct Past {
        /// Of the conversation and of the channel, in the last ten minutes.
        var told: [(text: Told, age: Int64)] = []
        var heard: [(id: String, words: String, age: Int64)] = []
        /// By this bridge, in the last hour.
        var sent: [Int64] = []
    }

    init(_ settings: ConversationBridge, knowing past: Past, at now: HostTime) {
        self.settings = settings
        // A clock that was set back makes ages negative.
        for (text, age) in past.told { remember(text, at: now.steady - max(0, age)) }
        for (id, text, age) in past.heard { noteHeard(id, text, at: now.steady - max(0, age)) }
        sent = past.sent.map { now.steady - max(0, $0) }
    }

    /// Whether a text that a broker has sent is news.
    ///
    /// - Parameters:
    ///   - connectedFor: milliseconds.
    ///   - writtenAt: when its writer says that it was written, in host milliseconds; nil: it is not said.
    ///   - now: host milliseconds.
    static func isNews(connectedFor: Int64, writtenAt: Int64?, at now: Int64) -> Bool {
        connectedFor >= settling || writtenAt.map { isYoung($0, at: now) } ?? false
    }

    /// In host milliseconds, of a clock that may have been set meanwhile.
    private static func isYoung(_ time: Int64, at now: Int64) -> Bool {
        let (age, isTooLarge) = now.subtractingReportingOverflow(time)
        return !isTooLarge && (-longestAge...longestAge).contains(age)
    }

    // MARK: what is said

    /// Something was said on the channel.
    ///
    /// - Parameter wait: milliseconds, drawn from ``upwardWaits``.
    mutating func heard(_ text: Said, wait: Int64, at now: HostTime) {
        forget(at: now.steady)
        // Another gateway has published it, and the broker was faster than the mesh.
        removeDown(at: now.steady) { $0.id == text.id }
        removeDown(at: now.steady) { $0.words == text.text }
        guard !noteHeard(text.id, text.text, at: now.steady) else { return }
        guard settings.goesUp, text.mayGoUp, ids[text.id] == nil, Self.isYoung(text.at, at: now.wall) else { return }
        guard ups.count < Self.most, !ups.contains(where: { $0.text.id == text.id }) else { return }
        let (due, age) = (max(ups.last?.due ?? .min, now.steady + wait), max(0, now.wall - text.at))
        ups.append(Up(text: text, due: due, until: now.steady + Self.longestAge - age))
    }

    /// - Returns: whether it is a text of the conversation.
    @discardableResult
    private mutating func noteHeard(_ id: String, _ text: String, at time: Int64) -> Bool {
        let isFirst = heardIDs.updateValue(time, forKey: id) == nil
        guard words[text] == nil else {
            words[text] = time
            return true
        }
        if isFirst { heardWords[text, default: []].append(time) }
        return false
    }

    /// The conversation has a new text. One that was written here is told twice, and is sent the second time: when the broker
    /// has it.
    ///
    /// - Parameter wait: milliseconds, drawn from ``downwardWaits``.
    mutating func told(_ text: Told, wait: Int64, at now: HostTime) {
        forget(at: now.steady)
        remember(text, at: now.steady)
        ups.removeAll { $0.text.id == text.id || $0.text.text == text.words }
        guard settings.goesDown, text.mayGoDown else { return }
        if let id = text.id, heardIDs[id] != nil { return }
        if var times = heardWords[text.words] {
            // Another gateway has sent it already.
            times.removeFirst()
            heardWords[text.words] = times.isEmpty ? nil : times
            return
        }
        guard downs.count < Self.most else { return drop("too many texts wait") }
        if downs.isEmpty { firstSince = now.steady }
        downs.append(Down(text: text, wait: wait))
    }

    private mutating func remember(_ text: Told, at time: Int64) {
        words[text.words] = time
        if let id = text.id { ids[id] = time }
    }

    /// Of several the first one.
    private mutating func removeDown(at now: Int64, where isMeant: (Told) -> Bool) {
        guard let place = downs.firstIndex(where: { isMeant($0.text) }) else { return }
        downs.remove(at: place)
        if place == 0 { firstSince = now }
    }

    /// Once a minute: a flood must not be looked through with each of its texts.
    private mutating func forget(at now: Int64) {
        guard now >= forgetsAt else { return }
        forgetsAt = now + 60_000
        let start = now - Self.memory
        words = words.filter { $0.value > start }
        ids = ids.filter { $0.value > start }
        heardIDs = heardIDs.filter { $0.value > start }
        heardWords = heardWords.compactMapValues { times in
            let young = times.filter { $0 > start }
            return young.isEmpty ? nil : young
        }
    }

    // MARK: what goes

    /// When something is due, in steady milliseconds; nil: nothing waits.
    ///
    /// - Parameter start: from when on texts may go up, likewise; nil: the broker is away.
    func alarm(upsFrom start: Int64?) -> Int64? {
        let up = ups.first.map { first in min(first.until + 1, start.map { max($0, first.due) } ?? .max) }
        return [up, downs.first.map { firstSince + $0.wait }].compactMap { $0 }.min()
    }

    /// The number of the oldest change whose text still waits; nil: none does.
    var oldestChange: Int64? { ups.first?.text.change }

    /// What is to be published now, or is given up because it has become too old. It stays until ``settleUps(_:)``.
    ///
    /// - Parameter mayGo: texts may go up.
    func dueUps(mayGo: Bool, at now: HostTime) -> [(text: Said, goes: Bool)] {
        ups.prefix { mayGo && $0.due <= now.steady || $0.until < now.steady }
            .map { ($0.text, mayGo && settings.goesUp && $0.until >= now.steady) }
    }

    /// So many of the first ones are published or given up.
    mutating func settleUps(_ count: Int) { ups.removeFirst(count) }

    /// The next text that is to be sent now; nil: none. It counts as sent.
    mutating func takeDown(at now: HostTime) -> Told? {
        guard let first = downs.first, firstSince + first.wait <= now.steady else { return nil }
        sent.removeAll { now.steady - $0 >= Self.hour }
        let isFull = sent.count >= settings.textsPerHour
        guard settings.goesDown, !isFull else {
            // They are not said later either.
            if isFull { for _ in downs { drop("the limit of \(settings.textsPerHour) an hour was reached") } }
            downs = []
            return nil
        }
        downs.removeFirst()
        firstSince = now.steady
        words[first.text.words] = now.steady
        sent.append(now.steady)
        return first.text
    }

    /// The text that was taken last could not be sent.
    mutating func failed(because reason: String) {
        sent.removeLast()
        drop(reason)
    }

    private mutating func drop(_ reason: String) {
        dropped += 1
        lastReason = reason
    }
}

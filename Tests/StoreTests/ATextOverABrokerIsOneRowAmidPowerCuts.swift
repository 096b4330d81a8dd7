import CRecordingDisk
import MeshModel
import Testing

@testable import Store

/// The disk is recorded, as in the rest of the suite.
extension APowerCutLosesNothingAcknowledged {
    /// At each instant the conversation is that of one moment between two steps: a text with its topic, its id and its place in the
    /// outbox, the key with the nonces of what waits, what the session has, and what all of it takes.
    @Test(.timeLimit(.minutes(20))) func amidTextsOverABroker() throws { try cutPower(amid: talk(in:)) }

    /// What the thread of a broker and those who write do, with what it leaves and when it was on disk.
    private func talk(in folder: Folder) throws -> [(instant: Int, state: TalkState)] {
        let store = try Store(path: folder.database, groupInterval: 5_000_000, logPages: 100)
        defer { store.close() }
        let source = try store.commit { writer in
            try writer.insert(
                BrokerConversation("club", broker: "house", filters: ["club/#"]),
                uuid: "11111111-2222-4333-8444-555555555555", at: noon)
        }
        var random = Seeded(seed &+ 2)
        var moments: [(instant: Int, state: TalkState)] = []
        var (rows, ids) = (0, Set<String>())
        for round in 0..<400 {
            let now = noon + Int64(round)
            let waiting = try store.readCommitted { try $0.waitingTexts(for: "house", after: 0, limit: 10) }
            switch Int(random.next() % 8) {
            case 0...2:
                // A batch of the broker's; some of it has come before.
                let texts = (0...Int(random.next() % 5)).map { _ in
                    random.next() % 3 == 0 ? nil : "t\(random.next() % 300)"
                }
                try store.commit { writer in
                    for id in texts {
                        try writer.insertReceived(
                            "heard \(id ?? "\(round)")", BrokerText(topic: "club/talk", writer: "Ann", id: id),
                            in: source, at: now)
                    }
                }
                rows += texts.count { $0 == nil } + Set(texts.compactMap(\.self)).subtracting(ids).count
                ids.formUnion(texts.compactMap(\.self))
            case 3, 4:
                try store.commit { writer in
                    _ = try writer.insertOwn(
                        "said \(round)", BrokerText(topic: "club/talk", writer: "Hut", id: "own-\(round)"), by: nil,
                        in: source, at: now, expiresAt: now + 86_400_000)
                }
                rows += 1
            case 5, 6:
                // What has arrived there, with what has come from there.
                guard let first = waiting.first else { continue }
                try store.commit { writer in
                    try writer.insertReceived(
                        "heard at \(round)", BrokerText(topic: "club/x", writer: "club/x"), in: source, at: now)
                    try writer.settle(first, at: now) { ($0.state, $0.ackedAt) = (.relayed, now) }
                }
                rows += 1
            case 7 where round % 3 == 0:
                let isSealed = try store.readCommitted { try $0.conversationKey(of: source) } != nil
                try store.commit { writer in
                    if isSealed {
                        try writer.forgetKey(of: source, at: now)
                    } else {
                        try writer.seal(source, with: .random())
                    }
                }
            default:
                let filter = TopicFilter("club/\(random.next() % 4)")
                try store.commit { writer in
                    if round % 2 == 0 {
                        _ = try writer.noteSubscription(filter, at: "house")
                    } else {
                        try writer.forgetSubscription(filter, at: "house")
                    }
                }
            }
            let state = try TalkState(store)
            #expect(state.rows.count == rows && state.counted == rows, "seed \(seed)")
            moments.append((recordingdisk_count(), state))
        }
        return moments
    }
}

/// All that is stored of a conversation.
private struct TalkState: MomentState {
    struct Row: Hashable {
        let text: String
        let state: Delivery.State?
        let about: BrokerText?
    }

    var rows: [Row] = []
    var waiting: [WaitingText] = []
    var subscriptions: [TopicFilter: UInt32] = [:]
    var key: ConversationKey?
    /// Texts and bytes as the conversation has them.
    var (counted, bytes) = (0, 0)

    init() {}

    init(_ store: Store) throws {
        try store.readCommitted { reader in
            guard let source = try reader.brokerConversation("club")?.source else { return }
            let messages = try reader.messages(.init(source: source, limit: 10_000))
            let about = try reader.brokerTexts(of: messages.map(\.packetID), in: source)
            rows = messages.map { Row(text: $0.text, state: $0.delivery?.state, about: about[$0.packetID]) }
            waiting = try reader.waitingTexts(for: "house", after: 0, limit: 10_000)
            subscriptions = try reader.brokerSubscriptions(at: "house")
            key = try reader.conversationKey(of: source)
            let kept = try reader.connection.prepare("SELECT texts, bytes FROM broker_conversations").first {
                (Int($0.integer()), Int($0.integer()))
            }
            (counted, bytes) = kept ?? (0, 0)
        }
    }
}

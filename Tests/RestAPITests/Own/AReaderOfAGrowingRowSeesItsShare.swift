import Foundation
import MeshModel
import Platform
import Store
import Testing

@testable import RestAPI

/// A row "and N more" counts and lists for each reader what it may see, and nothing for whoever may see none of it.
@Suite struct AReaderOfAGrowingRowSeesItsShare {
    private let test = try! TestGateway()

    /// Five on channel 0 and two on channel 1 came faster than the rule's pace, after one that was told alone.
    private func tell(_ episode: String = "e-1") throws {
        let now = WallClock.milliseconds() - 60_000
        let source = test.id
        try test.store.commit { writer in
            func row(_ title: String, _ channel: Int) -> FeedRow {
                var row = FeedRow(
                    at: now, in: source, type: "node-silent", title: title, body: "", needs: [.node(channel: channel)],
                    rule: "silent", episode: randomUUID(), state: .begins)
                if channel == 1 { row.conversation = .channel(1) }
                return row
            }
            try writer.store(RuleFiring(key: "first \(episode)", fate: .told, row: row("First", 0)))
            var counted: [FeedRow] = []
            for (place, channel) in [0, 0, 1, 0, 0, 1, 0].enumerated() {
                counted.append(row("Node \(place) on \(channel)", channel))
                try writer.store(RuleFiring(key: "\(episode) \(place)", fate: .counted, row: counted[place]))
                // It has been told before, with fewer.
                guard place == 2 else { continue }
                let more = FeedRow(
                    counting: counted, count: 3, since: "9:00", of: "silent", at: now, priority: nil, needs: [],
                    episode: episode)
                try writer.store(RuleFiring(key: "more \(episode) 3", fate: .told, row: more))
            }
            let more = FeedRow(
                counting: Array(counted.suffix(5)), count: 7, since: "9:00", of: "silent", at: now, priority: nil,
                needs: [.node(channel: 0), .node(channel: 1)], episode: episode)
            try writer.store(RuleFiring(key: "more \(episode) 7", fate: .told, row: more))
        }
    }

    private func seen(by scopes: [String]) throws -> [String] {
        let token = try test.token(["notifications:read", "nodes:read"] + scopes)
        return try test.feed(as: token).filter { $0["notification_type"] as? String == "more" }.map { row in
            "\(row["title"] as? String ?? "") | "
                + (row["body"] as? String ?? "").split(separator: "\n").joined(separator: ", ")
        }
    }

    @Test func whatEachMaySee() throws {
        try tell()
        #expect(
            try seen(by: ["channel_0:viewOnMap", "channel_1:viewOnMap"]) == [
                "silent: and 7 more since 9:00 | Node 6 on 0, Node 5 on 1, Node 4 on 0, Node 3 on 0, Node 2 on 1, ..."
            ])
        #expect(
            try seen(by: ["channel_0:viewOnMap"]) == [
                "silent: and 5 more since 9:00 | Node 6 on 0, Node 4 on 0, Node 3 on 0, Node 1 on 0, Node 0 on 0"
            ])
        #expect(
            try seen(by: ["channel_1:viewOnMap"]) == ["silent: and 2 more since 9:00 | Node 5 on 1, Node 2 on 1"])
        #expect(try seen(by: ["channel_2:viewOnMap"]) == [])
    }

    /// What was told before, or counted in another one, does not count.
    @Test func ofItsOwnEpisode() throws {
        try tell("e-1")
        try tell("e-2")
        #expect(
            try seen(by: ["channel_1:viewOnMap"])
                == Array(repeating: "silent: and 2 more since 9:00 | Node 5 on 1, Node 2 on 1", count: 2))
    }

    /// A reader that has muted a conversation does not have its titles either.
    @Test func aMutedConversation() throws {
        try tell()
        let source = test.id
        let token = try #require(try test.store.read { try $0.tokens() }.first { $0.name == "test" }).id
        try test.store.commit { try $0.mute(.channel(1), .forGood, by: token, in: source) }
        let row = try #require(try test.feed().first { $0["notification_type"] as? String == "more" })
        #expect(row["title"] as? String == "silent: and 5 more since 9:00")
        #expect((row["body"] as? String)?.contains("on 1") == false)
    }

    /// Nor one that has muted a conversation over a broker, and nothing else.
    @Test func aMutedConversationOverABroker() throws {
        let token = try #require(try test.store.read { try $0.tokens() }.first { $0.name == "test" }).id
        let now = WallClock.milliseconds() - 60_000
        try test.store.commit { writer in
            let sources = try ["club", "news"].enumerated().map { place, name in
                let conversation = BrokerConversation(name, broker: "house", filters: ["\(name)/#"])
                let uuid = "11111111-2222-4333-8444-00000000000\(place)"
                return try writer.insert(conversation, uuid: uuid, at: now)
            }
            try writer.mute(.channel(0), .forGood, by: token, in: sources[1])
            let counted = sources.map { source in
                FeedRow(
                    at: now, in: source, type: "message", title: "Ann in \(source.rawValue)", body: "",
                    needs: [.brokerText(channels: [])], rule: "club", conversation: .channel(0))
            }
            for (place, row) in counted.enumerated() {
                try writer.store(RuleFiring(key: "\(place)", fate: .counted, row: row))
            }
            let more = FeedRow(
                counting: counted, count: 2, since: "9:00", of: "club", at: now, priority: nil,
                needs: [.brokerText(channels: [])],
                episode: "e")
            try writer.store(RuleFiring(key: "more", fate: .told, row: more))
        }
        #expect(try test.feed().titles == ["club: and 1 more since 9:00"])
    }
}

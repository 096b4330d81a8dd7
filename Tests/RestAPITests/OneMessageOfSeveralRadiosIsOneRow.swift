import Foundation
import MeshModel
import Routes
import Store
import Testing

@testable import RestAPI

@Suite struct OneMessageOfSeveralRadiosIsOneRow {
    static let second = "11111111-2222-4333-8444-555555555555"

    /// The first radio heard 1, 2 (channel 0) and 3 (channel 1); the second one 2 earlier, and 4, whose "Hikers" is 1.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        let now = TestGateway.now
        try test.insert([Channel(index: 0, role: .primary), Channel(index: 1, role: .secondary, name: "Other")])
        try test.insert("one", packetID: 1, at: now + 1)
        try test.insert("two", packetID: 2, at: now + 20) { ($0.rxSNR, $0.rxRSSI) = (5.25, -90) }
        try test.insert("three", packetID: 3, at: now + 30) { $0.channel = 1 }
        try test.store.commit { writer in
            let other = try writer.insert(Source(uuid: Self.second, name: "Hill", isEnabled: true, createdAt: .max))
            try writer.updateChannels([Channel(index: 1, role: .secondary, name: "Hikers")], in: other, at: now)
            for (text, id, time, channel) in [("two", 2 as PacketID, now + 10, 0), ("four", 4, now + 40, 1)] {
                let message = Message(
                    id: "", from: TestGateway.peer, to: .broadcast, text: text, channel: channel, packetID: id,
                    timestamp: time, createdAt: time, updatedAt: time)
                _ = try writer.insertMessage(message, in: other)
            }
        }
        return test
    }

    private func rows(_ answer: Answer) throws -> [NSDictionary] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [NSDictionary], "\(answer.text)")
    }

    private func texts(_ test: TestGateway, _ query: String, as token: APIToken? = nil) throws -> [String] {
        try rows(try test.ask("GET", "/api/unified/messages" + query, as: token ?? test.token))
            .map { try #require($0["text"] as? String) }
    }

    @Test func aRowIsAMessageAndItsReceptions() throws {
        let test = try gateway()
        let rows = try rows(try test.get("/api/unified/messages"))
        #expect(rows.map { $0["text"] as? String } == ["four", "three", "two", "one"])
        #expect(
            rows.map { $0["dedupKey"] as? String } == [
                "mt:!abcdef12:p4", "mt:!abcdef12:p3", "mt:!abcdef12:p2", "mt:!abcdef12:p1",
            ])
        let two = rows[2]
        #expect(two["id"] as? String == "\(Self.second)_2882400018_2", "the row of the radio that was first")
        let receptions = try #require(two["receptions"] as? [NSDictionary])
        #expect(receptions.map { $0["sourceId"] as? String } == [Self.second, test.uuid])
        #expect(receptions.map { $0["sourceName"] as? String } == ["Hill", "Default"])
        #expect(receptions[1]["rxRssi"] as? Int == -90)
        #expect(receptions[1]["messageId"] as? String == "\(test.uuid)_2882400018_2")
        #expect((rows[3]["receptions"] as? [NSDictionary])?.count == 1)
    }

    @Test func filtersComeBeforeTheLimit() throws {
        let test = try gateway()
        #expect(try texts(test, "?limit=2") == ["four", "three"])
        #expect(try texts(test, "?limit=1&before=\(TestGateway.now + 30)") == ["two"])
        #expect(try texts(test, "?before=\(TestGateway.now + 10)") == ["one"])
        #expect(try texts(test, "?channel=0") == ["two", "one"])
        // Channel 1 is not the same on both radios; its name tells.
        #expect(try texts(test, "?channel=1") == ["four", "three"])
        #expect(try texts(test, "?channel=Hikers") == ["four"])
        #expect(try texts(test, "?channel=0x1") == ["four", "three"])
        // A name that begins with a digit is none of a slot, and the nameless one is called as radios show it.
        #expect(try texts(test, "?channel=1st") == [])
        #expect(try texts(test, "?channel=Primary") == ["two", "one"])
        #expect(try texts(test, "?channel=nobody") == [])
        #expect(try texts(test, "?before=x") == [])
    }

    @Test func aRowSaysItsNames() throws {
        let test = try gateway()
        try test.update(TestGateway.peer) { ($0.longName, $0.shortName) = ("Anna", "AN") }
        let rows = try rows(try test.get("/api/unified/messages"))
        #expect(rows.map { $0["channelName"] as? String } == ["Hikers", "Other", nil, "Primary"])
        // The sender's name in the source that heard it first; the second radio does not know it.
        #expect(rows.map { $0["fromNodeLongName"] as? String } == [nil, "Anna", nil, "Anna"])
        #expect(rows.map { $0["fromNodeShortName"] as? String } == [nil, "AN", nil, "AN"])
        // Who may not see the node is not told its name.
        let token = try test.token(["messages:read", "channel_0:read"])
        let few = try self.rows(try test.ask("GET", "/api/unified/messages", as: token))
        #expect(few.allSatisfy { $0["fromNodeLongName"] is NSNull && $0["fromNodeShortName"] is NSNull })
    }

    @Test func aTokenReadsItsChannelsOnly() throws {
        let test = try gateway()
        let token = try test.token(["messages:read", "channel_0:read"])
        #expect(try texts(test, "", as: token) == ["two", "one"])
        #expect(try texts(test, "?limit=1", as: token) == ["two"])
        #expect(try texts(test, "?channel=Hikers", as: token) == [])
    }

    @Test func aDisabledRadioTellsNothing() throws {
        let test = try gateway()
        try test.store.commit { writer in
            let other = try #require(try writer.sources().first { $0.1.uuid == Self.second })
            try writer.update(other.0) { $0.isEnabled = false }
        }
        #expect(try texts(test, "") == ["three", "two", "one"])
    }
}

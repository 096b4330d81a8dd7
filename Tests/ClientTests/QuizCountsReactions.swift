import MeshModel
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// meshtastic-quiz 1.10.0: asks on a channel and counts who reacted to the question.
@Suite struct QuizCountsReactions {
    private static let messages = Form.rows(
        .object([
            "id": .rowID, "fromNodeId": .nodeID, "text": .string, "channel": .integer, "timestamp": .milliseconds,
            // Whatever is true in Python is a reaction.
            "emoji": .either([.exactly(.number("1")), .null]), "replyId": .orNull(.unsigned32),
        ]))

    @Test func aRound() throws {
        let mesh = try Mesh()
        let sources = try mesh.client.get("/api/v1/sources").read(
            as: .rows(.object(["id": .someText, "isPrimary": .bool])))["data"]?.rows
        let source = try #require(sources?.first { $0["isPrimary"] == .bool(true) }?["id"]?.string)
        let nodes = try mesh.client.get("/api/v1/sources/\(source)/nodes?limit=1000").read(
            as: .rows(.object(["nodeId": .nodeID, "longName": .orNull(.string), "shortName": .orNull(.string)])))
        #expect(nodes["data"]?.rows.count == mesh.radio.nodes.count + 1)

        let asked = try mesh.client.post("/api/v1/messages", ["text": "Which is higher? 1️⃣ 2️⃣", "channel": 1])
        let question = try #require(
            try asked.read(as: .item(.object(["requestId": .unsigned32])), status: 201)["data"]?["requestId"]?.integer)
        let onTheAir = mesh.radio.waitForPacket(timeout: Program.patience) { Int($0.id) == question }
        #expect(onTheAir?.channel == 1)

        let voters = [mesh.cast(0), mesh.cast(1), mesh.cast(6)]
        for (voter, vote) in zip(voters, ["1️⃣", "2️⃣", "1️⃣"]) {
            mesh.radio.sendText(from: voter, vote, channel: 1, replyID: PacketID(question), isReaction: true)
        }
        mesh.radio.sendText(from: mesh.cast(0), "1️⃣", channel: 0, replyID: PacketID(question), isReaction: true)
        mesh.radio.sendText(from: mesh.cast(0), "It is the first", channel: 1, replyID: PacketID(question))

        // Every few seconds from ten seconds before the newest row, in seconds; the flat path is the older one.
        let row = try mesh.gateway.message(asked.data["messageId"])
        let since = (try #require(row["timestamp"].integer) - 10_000) / 1000
        for root in ["/api/v1/sources/\(source)", "/api/v1"] {
            let rows = try mesh.gateway.eventually("all have voted") { () -> [StrictJSON]? in
                let page = try mesh.client.get("\(root)/messages?channel=1&since=\(since)&limit=200")
                let rows = try page.read(as: Self.messages)["data"]?.rows ?? []
                return rows.count == 5 ? rows : nil
            }
            #expect(rows.contains { $0["id"]?.packetIDOfRow == question })
            let votes = rows.filter { $0["emoji"] == .number("1") && $0["replyId"]?.integer == question }
            #expect(Set(votes.map { $0["fromNodeId"]?.string }) == Set(voters.map(\.id)))
            #expect(votes.map { $0["text"]?.string }.filter { $0 == "1️⃣" }.count == 2)
            #expect(rows.allSatisfy { $0["channel"] == .number("1") })
        }
        // Once more the same: nothing is counted twice, and nothing that is older than the cursor.
        let later = try mesh.client.get("/api/v1/messages?channel=1&since=\(since + 3600)&limit=200")
        #expect(try later.read(as: Self.messages)["count"] == .number("0"))
    }
}

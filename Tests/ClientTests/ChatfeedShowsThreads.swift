import MeshModel
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// meshmonitor_chatfeed 0.0.3: flat paths, and models that throw a whole page away for one field that does not fit.
@Suite struct ChatfeedShowsThreads {
    private static let nodes = Form.rows(
        .object(["nodeId": .string, "longName": .orNull(.string), "shortName": .orNull(.string)]))

    private static let message = Form.object([
        "id": .rowID, "fromNodeId": .string, "toNodeId": .string, "text": .string, "timestamp": .milliseconds,
        "rxSnr": .orNull(.number), "hopStart": .orNull(.integer), "rxRssi": .orNull(.number),
        "rxTime": .orNull(.integer), "viaMqtt": .orNull(.bool), "deliveryState": .orNull(.string),
        "replyId": .orNull(.integer),
    ])

    @Test func aPage() throws {
        let mesh = try Mesh()
        let (hiker, hut) = (mesh.cast(0), mesh.cast(1))
        let old = mesh.radio.sendText(from: hiker, "Where is the spring?")
        for number in 1...55 { mesh.radio.sendText(from: hut, "Weather report \(number)") }
        let young = mesh.radio.sendText(from: hut, "Sunny 🌞")
        mesh.radio.sendText(from: hiker, "👍", replyID: young, isReaction: true)
        let answer = mesh.radio.sendText(from: hut, "Behind the hut", replyID: old)
        let orphan = mesh.radio.sendText(from: hut, "To nobody", replyID: 7)
        try mesh.waitForRow(orphan)

        let nodes = try mesh.client.get("/api/v1/nodes").read(as: Self.nodes)["data"]?.rows ?? []
        let names = nodes.map { ($0["nodeId"]?.string, $0["longName"]?.string) }
        #expect(names.contains { $0 == hiker.id && $1 == mesh.radio.nodes[0].longName })

        let page = try mesh.client.get("/api/v1/messages?limit=50").read(as: .rows(Self.message))
        let rows = page["data"]?.rows ?? []
        #expect(rows.count == 50)
        #expect(page["count"] == .number("50"))
        // Newest first, whatever arrived within the same millisecond.
        #expect(rows.map { $0["id"]?.packetIDOfRow }.prefix(2) == [Int(orphan), Int(answer)])
        let times = rows.map { $0["timestamp"]?.integer ?? 0 }
        #expect(times == times.sorted(by: >))

        // A parent on the page is found by the end of its id.
        let onPage = Set(rows.compactMap { $0["id"]?.packetIDOfRow })
        let replies = rows.filter { $0["replyId"] != .null }
        #expect(replies.compactMap { $0["replyId"]?.integer }.filter(onPage.contains) == [Int(young)])
        // One that is not is asked for by its packet id alone.
        let parent = try mesh.client.get("/api/v1/messages/\(old)").read(as: .object(["data": Self.message]))
        #expect(parent["data"]?["text"]?.string == "Where is the spring?")
        // Only this status is remembered as "there is none".
        #expect(try mesh.client.get("/api/v1/messages/7").status == 404)
    }
}

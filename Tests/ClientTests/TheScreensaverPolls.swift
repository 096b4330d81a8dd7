import Foundation
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// A macOS screensaver that asks every four seconds, with the cache of its URL session.
@Suite struct TheScreensaverPolls {
    @Test(arguments: ["default", nil])
    func twice(source: String?) throws {
        let mesh = try Mesh()
        let uuid = try mesh.client.get("/api/v1/sources").strict["data"]?.rows.first?["id"]?.string
        let root = "/api/v1/sources/\(try #require(source ?? uuid))"
        let nodes =
            try mesh.client.get("\(root)/nodes?active=true&sinceDays=7").read(
                as: .rows(.object(["nodeId": .nodeID, "nodeNum": .unsigned32, "lastHeard": .seconds])))["data"]?.rows
            ?? []
        #expect(!nodes.isEmpty)
        let heard = nodes.compactMap { $0["lastHeard"]?.integer }
        #expect(heard == heard.sorted(by: >))
        let weekAgo = Int(Date().timeIntervalSince1970) - 7 * 86_400
        #expect(heard.allSatisfy { $0 >= weekAgo - 60 })

        let first = try mesh.client.get("\(root)/messages?limit=50")
        let form = Form.rows(
            .object(["id": .rowID, "fromNodeId": .nodeID, "toNodeId": .string, "createdAt": .milliseconds]))
        #expect(try first.read(as: form)["count"] == .number("0"))
        let tag = try #require(first.headers["etag"])
        #expect(try mesh.client.get("\(root)/messages?limit=50", ["If-None-Match: \(tag)"]).status == 304)

        mesh.radio.sendText(from: mesh.cast(0), "Traffic")
        let rows = try mesh.gateway.eventually("the text is shown") { () -> [StrictJSON]? in
            let answer = try mesh.client.get("\(root)/messages?limit=50", ["If-None-Match: \(tag)"])
            return answer.status == 304 ? nil : try answer.read(as: form)["data"]?.rows
        }
        #expect(rows.map { $0["text"]?.string } == ["Traffic"])
    }
}

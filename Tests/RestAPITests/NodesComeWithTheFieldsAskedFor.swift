import Foundation
import MeshModel
import Routes
import Testing

@testable import RestAPI

@Suite struct NodesComeWithTheFieldsAskedFor {
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { node in
            (node.longName, node.shortName, node.channel) = (#"Ri"dge, {"x":1}\"#, "R,d", 0)
            (node.latitude, node.longitude, node.positionChannel) = (46.2, 6.1, 2)
        }
        try test.update(NodeNumber(0x300)) { ($0.channel, $0.batteryLevel) = (1, 50) }
        return test
    }

    @Test func inTheOrderOfTheRow() throws {
        let test = try gateway()
        let whole = try test.get("/api/v1/nodes").rows
        for query in ["", "active=true&sinceDays=100000&"] {
            let answer = try test.get("/api/v1/nodes?\(query)fields=shortName,longName,%20nodeId,latitude,longName")
            let rows = try answer.rows
            #expect(rows.count == (query.isEmpty ? 2 : 0))
            for (row, all) in zip(rows, whole) {
                let keys = ["nodeId", "longName", "shortName", "latitude"]
                #expect(row == NSDictionary(objects: keys.map { all[$0]! }, forKeys: keys as [NSString]))
            }
        }
        let text = try test.get("/api/v1/nodes?fields=longName,nodeNum").text
        #expect(text.contains(##"{"nodeNum":2882400018,"longName":"Ri\"dge, {\"x\":1}\\"}"##), "\(text)")
        // Each key of a row can be asked for, and all of them are the row.
        #expect(Set(whole[0].allKeys.map { $0 as! String }).isSubset(of: SelectedNodeFields.known))
        let all = SelectedNodeFields.known.joined(separator: ",")
        #expect(try test.get("/api/v1/nodes?fields=\(all)").body == test.get("/api/v1/nodes").body)
        #expect(try test.get("/api/v1/nodes?fields=").body == test.get("/api/v1/nodes").body)
        let tag = try #require(try test.get("/api/v1/nodes?fields=nodeId").header("ETag"))
        #expect(
            try test.get("/api/v1/nodes?fields=nodeId", headers: [(name: "If-None-Match", value: tag)]).status == 304)
        #expect(tag != (try test.get("/api/v1/nodes")).header("ETag"))
    }

    @Test func withTheNameOfTheHardware() throws {
        let test = try gateway()
        try test.update(TestGateway.peer) { $0.hardwareModel = 43 }
        try test.update(NodeNumber(0x300)) { $0.hardwareModel = 4_000_000 }
        let rows = try test.get("/api/v1/nodes?fields=hwModelName,hwModel").rows
        #expect(Set(rows.map { $0["hwModelName"] as? String }) == ["HELTEC_V3", nil])
        let one = try test.get("/api/v1/nodes/!abcdef12?fields=nodeId,hwModelName")
        #expect(one.text.contains(#""data":{"nodeId":"!abcdef12","hwModelName":"HELTEC_V3"}"#), "\(one.text)")
        #expect(try test.get("/api/v1/nodes/!abcdef12?fields=none").status == 400)
        #expect(try test.get("/api/v1/nodes/!abcdef12").data["hwModelName"] == nil)
    }

    @Test func whatIsNoneIsRefused() throws {
        let test = try gateway()
        for fields in ["nodeID", "nodeId,,longName", ",", "nodeId,password", "%00"] {
            let answer = try test.get("/api/v1/nodes?fields=\(fields)")
            #expect(answer.status == 400, "\(fields)")
            if fields != "%00" { #expect(answer.message?.contains("There are: nodeNum, nodeId, longName") == true) }
        }
    }

    /// Where a node is is shown by the channel of its position, whatever is asked for.
    @Test func whatIsHiddenStaysSo() throws {
        let test = try gateway()
        let token = try test.token(["nodes:read", "channel_0:viewOnMap"])
        let rows = try test.ask("GET", "/api/v1/nodes?fields=nodeId,latitude,longitude", as: token).rows
        #expect(rows == [["nodeId": "!abcdef12"]])
    }
}

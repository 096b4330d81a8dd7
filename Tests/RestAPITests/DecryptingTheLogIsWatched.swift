import Dispatch
import Foundation
import MeshModel
import MeshProtocol
import Routes
import Store
import Testing

@testable import RestAPI

@Suite struct DecryptingTheLogIsWatched {
    private static let path = "/api/v1/channel-database"
    private static let hikers = #"{"name":"Hikers","psk":"EBESExQVFhcYGRobHB0eHw=="}"#

    /// A radio has a number, and has heard a text on a channel that it does not have.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        let cipher = try #require(ChannelCipher(name: "Hikers", psk: Array(0x10..<0x20)))
        let data = MeshData(port: .textMessage, payload: Array("at the hut".utf8), bitfield: 1)
        let packet = MeshPacket(
            from: TestGateway.peer, to: .broadcast, channel: UInt32(cipher.hash), id: 77,
            payload: .encrypted(cipher.encrypt(data, from: TestGateway.peer, id: 77)), rxRSSI: -90)
        let id = test.id
        try test.store.commit { writer in
            try writer.update(id) { $0.nodeNumber = TestGateway.own }
            try writer.logPacket(packet, direction: .rx, in: id, at: TestGateway.now)
        }
        return test
    }

    private func progress(_ test: TestGateway, _ token: APIToken) throws -> NSDictionary {
        try test.ask("GET", Self.path + "/retroactive-decrypt/progress", as: token).json
    }

    private func waitForEnd(_ test: TestGateway, _ token: APIToken) throws -> NSDictionary {
        for _ in 0..<1000 {
            try test.store.commit { _ in }
            let answer = try progress(test, token)
            if answer["isRunning"] as? Bool == false { return answer }
        }
        return try #require(nil as NSDictionary?, "it does not end")
    }

    @Test func aNewEntryOpensTheLog() throws {
        let test = try gateway()
        let admin = try test.token(["admin"])
        #expect(
            try test.ask("GET", Self.path + "/retroactive-decrypt/progress", as: admin).text
                == #"{"success":true,"isRunning":false,"progress":null}"#)
        let id = try #require(try test.ask("POST", Self.path, as: admin, Self.hikers).data["id"] as? Int)
        _ = try waitForEnd(test, admin)
        let answer = try test.ask("GET", Self.path + "/retroactive-decrypt/progress", as: admin)
        let shown = try #require(try answer.json["progress"] as? NSDictionary)
        let (start, end) = (try #require(shown["startedAt"] as? Int), try #require(shown["completedAt"] as? Int))
        #expect(
            answer.text == #"{"success":true,"isRunning":false,"progress":{"channelDatabaseId":\#(id),"#
                + #""channelName":"Hikers","total":1,"processed":1,"decrypted":1,"status":"completed","#
                + #""startedAt":\#(start),"completedAt":\#(end)}}"#)
        let rows = try test.ask("GET", "/api/v1/messages", as: admin).rows
        #expect(rows.map { $0["text"] as? String } == ["at the hut"])
        #expect(rows.map { $0["decryptedBy"] as? String } == ["server"])
        let entry = try test.ask("GET", "\(Self.path)/\(id)", as: admin).data
        #expect(entry["decryptedPacketCount"] as? Int == 1 && entry["lastDecryptedAt"] as? Int != nil)
    }

    @Test func itIsStartedOnceAtATime() throws {
        let test = try gateway()
        let admin = try test.token(["admin"])
        let id = try #require(try test.ask("POST", Self.path, as: admin, Self.hikers).data["id"] as? Int)
        _ = try waitForEnd(test, admin)
        let start = "\(Self.path)/\(id)/retroactive-decrypt"
        // While the store is held up, it cannot end.
        let gate = DispatchSemaphore(value: 0)
        test.store.enqueue(.grouped, { _ in gate.wait() })
        let first = try test.ask("POST", start, as: admin)
        let second = try test.ask("POST", start, as: admin)
        let watched = try progress(test, admin)
        gate.signal()
        #expect(first.status == 200 && first.message == "Retroactive decryption started for channel \(id)")
        #expect(try first.json["progress"] as? NSDictionary != nil)
        #expect(
            second.text == #"{"success":false,"error":"Conflict","#
                + #""message":"Retroactive decryption already in progress"}"#)
        #expect(watched["isRunning"] as? Bool == true)
        _ = try waitForEnd(test, admin)
    }

    @Test func whoMayNotReadMessagesDoesNotMakeAny() throws {
        let test = try gateway()
        let admin = try test.token(["admin"])
        let id = try #require(
            try test.ask(
                "POST", Self.path, as: admin, #"{"name":"Hikers","psk":"EBESExQVFhcYGRobHB0eHw==","isEnabled":false}"#
            ).data["id"] as? Int)
        let start = "\(Self.path)/\(id)/retroactive-decrypt"
        #expect(
            try test.ask("POST", start, as: admin).message
                == "Cannot run retroactive decryption for disabled channel")
        _ = try test.ask("PUT", "\(Self.path)/\(id)", as: admin, #"{"isEnabled":true}"#)
        let writer = try test.token(["channel_database:write"])
        let refused = try test.ask("POST", start, as: writer)
        #expect(refused.status == 403)
        #expect(
            refused.text
                == #"{"success":false,"error":"Forbidden","code":"FORBIDDEN_SOURCE_SCOPE","message":"You lack "#
                + #"messages:read on some sources containing encrypted packets","deniedSourceIds":["\#(test.uuid)"]}"#)
        #expect(try progress(test, admin)["progress"] is NSNull, "nothing has begun")
        // Who reads messages may; then nothing is left that anybody could learn.
        let reader = try test.token(["channel_database:write", "messages:read"])
        #expect(try test.ask("POST", start, as: reader).status == 200)
        _ = try waitForEnd(test, admin)
        #expect(try test.ask("POST", start, as: writer).status == 200)
        _ = try waitForEnd(test, admin)
    }
}

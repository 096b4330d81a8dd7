import Foundation
import MeshModel
import Routes
import Testing

@testable import RestAPI

@Suite struct TheChannelDatabaseIsEdited {
    private static let path = "/api/v1/channel-database"
    private static let key = "EBESExQVFhcYGRobHB0eHw=="

    private func gateway() throws -> (TestGateway, APIToken) {
        let test = try TestGateway()
        return (test, try test.token(["admin"]))
    }

    /// - Returns: the new entry's id.
    private func add(_ test: TestGateway, _ admin: APIToken, _ body: String) throws -> Int {
        let answer = try test.ask("POST", Self.path, as: admin, body)
        try #require(answer.status == 201, "\(answer.text)")
        return try #require(try answer.data["id"] as? Int)
    }

    private func hikers(_ test: TestGateway, _ admin: APIToken) throws -> Int {
        try add(test, admin, #"{"name":"Hikers","psk":"\#(Self.key)"}"#)
    }

    @Test func anEntryIsMade() throws {
        let (test, admin) = try gateway()
        let answer = try test.ask(
            "POST", Self.path, as: admin,
            #"{"name":" Hikers","psk":"\#(Self.key)","pskLength":16,"description":"the club","isEnabled":false,"#
                + #""enforceNameValidation":true}"#)
        #expect(answer.status == 201)
        let (data, id) = (try answer.data, try #require(try answer.data["id"] as? Int))
        let time = try #require(data["createdAt"] as? Int)
        let row =
            #"{"id":\#(id),"name":" Hikers","pskLength":16,"pskPreview":"\#(Self.key)","psk":"\#(Self.key)","#
            + #""description":"the club","isEnabled":false,"enforceNameValidation":true,"sortOrder":0,"#
            + #""decryptedPacketCount":0,"lastDecryptedAt":null,"createdBy":null,"createdAt":\#(time),"#
            + #""updatedAt":\#(time)}"#
        #expect(
            answer.text
                == #"{"success":true,"data":\#(row),"message":"Channel database entry created successfully"}"#)
        #expect(
            try test.ask("GET", "\(Self.path)/\(id)", as: admin).text == #"{"success":true,"data":\#(row)}"#)
        #expect(
            try test.ask("GET", Self.path, as: admin).text == #"{"success":true,"count":1,"data":[\#(row)]}"#)
    }

    @Test func whatIsNotSaidHasADefault() throws {
        let (test, admin) = try gateway()
        let id = try hikers(test, admin)
        let data = try test.ask("GET", "\(Self.path)/\(id)", as: admin).data
        #expect(data["isEnabled"] as? Bool == true && data["enforceNameValidation"] as? Bool == false)
        #expect(data["description"] is NSNull)
    }

    @Test func oneFieldIsChanged() throws {
        let (test, admin) = try gateway()
        let id = try add(test, admin, #"{"name":"Hikers","psk":"\#(Self.key)","description":"the club"}"#)
        for (body, key, value) in [
            (#"{"name":"Climbers"}"#, "name", "Climbers" as NSObject), (#"{"psk":"Ag=="}"#, "psk", "Ag==" as NSObject),
            (#"{"isEnabled":false}"#, "isEnabled", false as NSNumber),
            (#"{"sortOrder":7}"#, "sortOrder", 7 as NSNumber),
            (#"{"enforceNameValidation":true}"#, "enforceNameValidation", true as NSNumber),
            (#"{"description":"another"}"#, "description", "another" as NSObject),
            (#"{"description":null}"#, "description", NSNull()),
        ] {
            var before = try #require(
                try test.ask("GET", "\(Self.path)/\(id)", as: admin).data as? [String: NSObject])
            let answer = try test.ask("PUT", "\(Self.path)/\(id)", as: admin, body)
            #expect(answer.status == 200 && answer.message == "Channel database entry updated successfully")
            var after = try #require(try answer.data as? [String: NSObject])
            #expect(after[key] == value, "\(body)")
            for changed in [key, "updatedAt", "pskPreview", "pskLength"] where key == "psk" || changed != "pskLength" {
                before[changed] = nil
                after[changed] = nil
            }
            #expect(before == after, "nothing else but \(key)")
        }
    }

    @Test func theOrderIsChanged() throws {
        let (test, admin) = try gateway()
        let (first, second) = (try hikers(test, admin), try hikers(test, admin))
        let answer = try test.ask(
            "PUT", Self.path + "/reorder", as: admin,
            #"{"channels":[{"id":\#(first),"sortOrder":5},{"id":\#(second),"sortOrder":2},{"id":99,"sortOrder":1}]}"#)
        #expect(answer.text == #"{"success":true,"message":"Channel database order updated for 3 entries"}"#)
        let rows = try test.ask("GET", Self.path, as: admin).rows
        #expect(rows.map { $0["id"] as? Int } == [second, first])
        #expect(rows.map { $0["sortOrder"] as? Int } == [2, 5])
    }

    @Test func anEntryIsDeleted() throws {
        let (test, admin) = try gateway()
        let id = try hikers(test, admin)
        let answer = try test.ask("DELETE", "\(Self.path)/\(id)", as: admin)
        #expect(answer.text == #"{"success":true,"message":"Channel database entry \#(id) deleted successfully"}"#)
        #expect(try test.ask("GET", Self.path, as: admin).text == #"{"success":true,"count":0,"data":[]}"#)
        #expect(try test.ask("DELETE", "\(Self.path)/\(id)", as: admin).status == 404)
    }

    @Test func anUnknownEntryIsNotFound() throws {
        let (test, admin) = try gateway()
        for line in [
            "GET /7", "PUT /7", "DELETE /7", "POST /7/retroactive-decrypt", "GET /7/permissions",
            "PUT /7/permissions/1", "DELETE /7/permissions/1", "GET /7x",
        ] {
            let parts = line.split(separator: " ")
            let answer = try test.ask(String(parts[0]), Self.path + parts[1], as: admin, #"{"name":"x"}"#)
            #expect(
                answer.text
                    == #"{"success":false,"error":"Not Found","message":"Channel database entry 7 not found"}"#,
                "\(line)")
            let path = parts[1].replacingOccurrences(of: "7", with: "seven")
            let odd = try test.ask(String(parts[0]), Self.path + path, as: admin, #"{"name":"x"}"#)
            #expect(
                odd.text == #"{"success":false,"error":"Bad Request","message":"Invalid channel database ID"}"#,
                "\(line)")
        }
    }

    /// There are tokens and no users.
    @Test func nobodyHasAPermissionOfHisOwn() throws {
        let (test, admin) = try gateway()
        let id = try hikers(test, admin)
        #expect(
            try test.ask("GET", "\(Self.path)/\(id)/permissions", as: admin).text
                == #"{"success":true,"channelId":\#(id),"channelName":"Hikers","count":0,"data":[]}"#)
        for method in ["PUT", "DELETE"] {
            let path = "\(Self.path)/\(id)/permissions/"
            let body = #"{"canViewOnMap":true,"canRead":true}"#
            #expect(
                try test.ask(method, path + "3", as: admin, body).text
                    == #"{"success":false,"error":"Not Found","message":"User 3 not found"}"#)
            #expect(try test.ask(method, path + "x", as: admin, body).message == "Invalid user ID")
        }
    }
}

import Foundation
import HTTPServer
import JSON
import Routes
import Testing

@testable import RestAPI
@testable import Store

/// `POST /api/v1/push/register` and what follows from it.
@Suite struct ABrowserRegistersWithItsToken {
    private let pushes = MadeUpPushes()
    private let test: TestGateway
    private let token: APIToken

    private static let register = "/api/v1/push/register"
    private static let list = "/api/v1/push/registrations"

    init() throws {
        test = try TestGateway(pushes: pushes.door)
        token = try test.token(["notifications:read"])
    }

    private func register(_ body: String = MadeUpPushes.body(), as token: APIToken? = nil) throws -> Answer {
        try test.ask("POST", Self.register, as: token ?? self.token, body)
    }

    private func id(_ answer: Answer) throws -> Int64 {
        try #require(answer.status == 200, "\(answer.text)")
        return Int64(try #require(try answer.json["id"] as? Int))
    }

    private func rows(as token: APIToken? = nil) throws -> [NSDictionary] {
        let data = try test.ask("GET", Self.list, as: token ?? self.token).data
        return try #require(data["registrations"] as? [NSDictionary])
    }

    private func ids(as token: APIToken? = nil) throws -> [Int] { try rows(as: token).compactMap { $0["id"] as? Int } }

    private var stored: [PushRegistration] { get throws { try test.store.read { try $0.registrations() } } }

    // MARK: what works

    @Test func andIsListedAsFarAsItsHost() throws {
        let more = #","name":" Firefox on desk ","rules":["direct-message","direct-message"],"expirationTime":null"#
        let answer = try register(MadeUpPushes.body(more: more))
        #expect(answer.text == #"{"status":"ok","id":1,"state":"ready"}"#)
        #expect(pushes.changes.withLock { $0 } == 1)
        let list = try test.ask("GET", Self.list, as: token)
        for secret in ["secret", MadeUpPushes.p256dh, MadeUpPushes.auth] { #expect(!list.text.contains(secret)) }
        let row = try #require(try rows().first)
        #expect(row["kind"] as? String == "web" && row["name"] as? String == "Firefox on desk")
        #expect(row["address"] as? String == "https://push.example.org/…")
        #expect(row["rules"] as? [String] == ["direct-message"] && row["state"] as? String == "ready")
        #expect(row["toldAt"] is NSNull && row["error"] is NSNull && row["test"] is NSNull)
        #expect(
            (row["token"] as? NSDictionary)?["name"] as? String == (try test.store.read { try $0.tokens() }).last?.name)
        let rules = try #require(try test.ask("GET", Self.list, as: token).data["rules"] as? [NSDictionary])
        #expect(rules.map { $0["name"] as? String } == ["battery", "direct-message"])
        #expect(rules.map { $0["builtIn"] as? Bool } == [false, true])
    }

    @Test func theKeyIsThatOfTheGateway() throws {
        let answer = try test.ask("GET", "/api/v1/push/key", as: token)
        #expect(try answer.data["key"] as? String == MadeUpPushes.key && MadeUpPushes.key.count == 87)
    }

    @Test func againIsTheSameOneWithOtherKeysNamesAndRules() throws {
        let first = try id(register(MadeUpPushes.body(more: #","name":"one","rules":["battery"]"#)))
        let auth = "AAAAAAAAAAAAAAAAAAAAAA"
        #expect(try id(register(MadeUpPushes.body(auth: auth))) == first)
        let row = try #require(try stored.first)
        #expect(try stored.count == 1 && row.name == nil && row.rules == nil)
        guard case .web(_, _, auth) = row.address else {
            Issue.record("\(row)")
            return
        }
    }

    @Test func whoRegistersLastHasIt() throws {
        let other = try test.token(["notifications:read"])
        let (first, second) = (try id(register()), try id(register(as: other)))
        #expect(first != second)
        #expect(try ids() == [] && ids(as: other) == [Int(second)])
    }

    @Test func aNinthTakesThePlaceOfTheOldest() throws {
        let ids = try (1...9).map { try id(register(MadeUpPushes.body("https://push.example.org/\($0)"))) }
        #expect(try self.ids() == ids.dropFirst().map { Int($0) })
        #expect(try stored.count == 8)
    }

    @Test func aSixtyFifthIsToldToWait() throws {
        // The same host all the time: what is bounded is the number, not whom it calls.
        for _ in 1...8 {
            let token = try test.token(["notifications:read"])
            for _ in 1...8 {
                _ = try id(register(MadeUpPushes.body("https://push.example.org/\(UUID())"), as: token))
            }
        }
        let answer = try register()
        #expect(answer.status == 503 && answer.header("Retry-After") == "3600", "\(answer.text)")
        #expect(try stored.count == 64)
    }

    @Test func aPhoneOfApplesIsKeptAndToldToPoll() throws {
        let device = String(repeating: "AB", count: 32)
        #expect(try register(MadeUpPushes.apple(device)).text == #"{"status":"ok","id":1,"state":"no-apns"}"#)
        // In other letters it is the same one.
        let again = try register(MadeUpPushes.apple(device.lowercased(), more: #","sandbox":true"#))
        #expect(again.text == #"{"status":"ok","id":1,"state":"no-apns"}"#)
        #expect(try stored.map(\.address) == [.apple(deviceToken: device.lowercased(), isSandbox: true)])
        let row = try #require(try rows().first)
        #expect(row["kind"] as? String == "apple")
        #expect(row["address"] as? String == "https://api.sandbox.push.apple.com/…")
        let refused = try test.ask("POST", Self.list + "/1/test", as: token)
        #expect(refused.status == 409 && refused.text.contains("apns-key"))
        pushes.hasAPNs.withLock { $0 = true }
        #expect(try register(MadeUpPushes.apple(device)).json["state"] as? String == "ready")
    }

    @Test func oneOfTheHouseIsAsGood() throws {
        #expect(try id(register(MadeUpPushes.body("https://ntfy.lan:8443/upSECRET?up=1"))) == 1)
        #expect(try rows().first?["address"] as? String == "https://ntfy.lan:8443/…")
    }

    // MARK: bad input

    private static let badInput: [(what: String, body: String, says: String)] = [
        ("nothing", "", "endpoint"), ("a list", "[]", "object"),
        ("no keys", #"{"endpoint":"https://a.example/x"}"#, "keys"),
        ("keys in a text", #"{"endpoint":"https://a.example/x","keys":"x"}"#, "keys"),
        (
            "a point of another curve",
            MadeUpPushes.body(
                p256dh: "BHm-Zn753LusVaBilc6HCwcCm_zbLc4o2VnygVsW-BeYSDradyajxGVdpPv8DhEIqP0XtEimhVQZnEfQj_sQ1Lg"),
            "p256dh"
        ),
        ("no point", MadeUpPushes.body(p256dh: "B" + String(repeating: "A", count: 86)), "p256dh"),
        ("64 bytes", MadeUpPushes.body(p256dh: String(repeating: "A", count: 86)), "p256dh"),
        ("p256dh that is no base64", MadeUpPushes.body(p256dh: "!!!"), "p256dh"),
        ("auth of 15 bytes", MadeUpPushes.body(auth: String(repeating: "A", count: 20)), "auth"),
        ("auth of 17 bytes", MadeUpPushes.body(auth: String(repeating: "A", count: 23)), "auth"),
        (
            "an endpoint of 10 kB", MadeUpPushes.body("https://a.example/" + String(repeating: "x", count: 10_000)),
            "1000"
        ),
        ("a user and a password", MadeUpPushes.body("https://me:secret@push.example.org/x"), "user"),
        ("no TLS", MadeUpPushes.body("http://push.example.org/x"), "push-hosts"),
        ("another port", MadeUpPushes.body("https://push.example.org:8443/x"), "push-hosts"),
        ("another port of one that is named", MadeUpPushes.body("https://ntfy.lan:9443/x"), "push-hosts"),
        ("this computer", MadeUpPushes.body("https://127.0.0.1/x"), "127.0.0.1"),
        ("this computer in IPv6", MadeUpPushes.body("https://[::1]/x"), "::1"),
        ("this computer as IPv4 in IPv6", MadeUpPushes.body("https://[::ffff:7f00:1]/x"), "7f00"),
        ("the router", MadeUpPushes.body("https://192.168.1.1/x"), "192.168.1.1"),
        ("a file", MadeUpPushes.body("file:///etc/passwd"), "endpoint"),
        ("no address", MadeUpPushes.body("push.example.org"), "endpoint"),
        ("an address with a line feed", MadeUpPushes.body(#"https://push.example.org/\n"#), "endpoint"),
        ("an empty address", MadeUpPushes.body(""), "endpoint"),
        ("Android", #"{"platform":"android","push_token":"abc"}"#, "UnifiedPush"),
        ("another platform", #"{"platform":"windows","push_token":"abc"}"#, "ios"),
        ("a platform that is a number", #"{"platform":1}"#, "ios"),
        ("a device token of 63 digits", MadeUpPushes.apple(String(repeating: "a", count: 63)), "64"),
        ("a device token of 62 digits", MadeUpPushes.apple(String(repeating: "a", count: 62)), "64"),
        ("a device token of 202 digits", MadeUpPushes.apple(String(repeating: "a", count: 202)), "200"),
        ("a device token that is no hex", MadeUpPushes.apple(String(repeating: "g", count: 64)), "hex"),
        (
            "a sandbox in words", MadeUpPushes.apple(String(repeating: "a", count: 64), more: #","sandbox":"yes""#),
            "sandbox"
        ),
        ("a name that is a number", MadeUpPushes.body(more: #","name":7"#), "name"),
        ("an empty name", MadeUpPushes.body(more: #","name":" ""#), "name"),
        ("a long name", MadeUpPushes.body(more: #","name":"\#(String(repeating: "x", count: 65))""#), "name"),
        ("a name that moves the cursor", MadeUpPushes.body(more: #","name":"a\u001b[2J""#), "name"),
        ("rules in a text", MadeUpPushes.body(more: #","rules":"direct-message""#), "rules"),
        ("no rules", MadeUpPushes.body(more: #","rules":[]"#), "rules"),
        ("a rule that no file can be called", MadeUpPushes.body(more: #","rules":["../x"]"#), "rules"),
        ("too many rules", MadeUpPushes.body(more: #","rules":\#((1...65).map { "a\($0)" })"#), "rules"),
    ]

    @Test(arguments: badInput)
    func whatIsWrongIsSaid(_ what: String, _ body: String, _ says: String) throws {
        let answer = try register(body)
        #expect(answer.status == 400, "\(what): \(answer.text)")
        #expect(answer.message?.contains(says) == true, "\(what): \(answer.text)")
        #expect(answer.text.utf8.count < 1_000 && !answer.text.contains("secret"), "\(what): \(answer.text)")
        #expect(try stored.isEmpty && pushes.changes.withLock { $0 } == 0, "\(what)")
    }

    @Test func aFullDiskKeepsNothingAndSaysSo() throws {
        let full = try TestGateway(pushes: pushes.door)
        try full.store.commit { writer in
            let pages = try writer.connection.integer("PRAGMA page_count") ?? 0
            try writer.connection.execute("PRAGMA max_page_count = \(pages)")
        }
        let body = MadeUpPushes.body("https://push.example.org/" + String(repeating: "x", count: 900))
        let answers = try (1...8).map { number in
            try full.ask(
                "POST", Self.register, headers: [full.bearer],
                body: Array(body.replacing("xx", with: "\(number)y").utf8))
        }
        let refused = answers.filter { $0.status != 200 }
        #expect(!refused.isEmpty && refused.allSatisfy { $0.status == 500 })
        #expect(refused.allSatisfy { $0.text.contains("could not be stored") && !$0.text.contains("example.org") })
        #expect(try full.store.read { try $0.registrations() }.count == answers.count - refused.count)
    }

    // MARK: whose it is

    @Test func noCookieAndNoUserOfThisMachineRegisters() throws {
        let set = try #require(try test.get("/api/v1/nodes").header("Set-Cookie"))
        let cookie = (name: "Cookie", value: String(set.prefix { $0 != ";" }))
        let csrf = try test.ask("GET", "/api/csrf-token", headers: [cookie]).json["csrfToken"] as? String
        let headers = [
            cookie, (name: "X-CSRF-Token", value: try #require(csrf)),
            (name: "Content-Type", value: "application/json"),
        ]
        let body = Array(MadeUpPushes.body().utf8)
        #expect(try test.ask("POST", Self.register, headers: headers, body: body).status == 401)
        let local = try test.ask(
            "POST", Self.register, headers: [headers[2]], body: body, peer: LocalPathsExistOnlyOnTheLocalSocket.me)
        #expect(local.status == 403 && local.message?.contains("token") == true)
        #expect(try stored.isEmpty)
    }

    @Test func noPageOfAnotherOriginRegisters() throws {
        let bearer = (name: "Authorization", value: "Bearer " + token.text)
        let origin = (name: "Origin", value: "https://evil.example")
        for type in ["application/json", "text/plain", "application/x-www-form-urlencoded"] {
            let headers = [bearer, origin, (name: "Content-Type", value: type)]
            let answer = try test.ask("POST", Self.register, headers: headers, body: Array(MadeUpPushes.body().utf8))
            #expect(answer.status == 500 && answer.header("Access-Control-Allow-Origin") == nil)
        }
        #expect(try test.ask("OPTIONS", Self.register, headers: [origin]).status == 500)
        #expect(try stored.isEmpty)
    }

    @Test func oneWithoutTheRightToTheFeedDoesNothing() throws {
        let id = try id(register())
        let other = try test.token(["messages:read", "info:read", "configuration:write"])
        for (method, path) in [
            ("GET", "/api/v1/push/key"), ("POST", Self.register), ("GET", Self.list), ("DELETE", "\(Self.list)/\(id)"),
            ("POST", "\(Self.list)/\(id)/test"),
        ] {
            let answer = try test.ask(method, path, as: other, MadeUpPushes.body())
            #expect(answer.status == 403)
            #expect(
                try answer.json["required"] as? [String: String] == ["resource": "notifications", "action": "read"])
        }
        #expect(try stored.count == 1)
    }

    @Test func anotherTokensIsNotThere() throws {
        let id = try id(register())
        let other = try test.token(["read", "send", "configuration:write"])
        #expect(try ids(as: other) == [])
        for path in ["\(Self.list)/\(id)", "\(Self.list)/99", "\(Self.list)/x"] {
            let (gone, tried) = (
                try test.ask("DELETE", path, as: other), try test.ask("POST", path + "/test", as: other)
            )
            #expect(gone.status == 404 && tried.status == 404)
            #expect(gone.text == tried.text, "nothing tells it from none")
        }
        #expect(try stored.count == 1 && pushes.tested.withLock { $0.isEmpty })
    }

    @Test func whoMayEverythingSeesAllAndWhose() throws {
        let other = try test.token(["notifications:read"])
        let ids = [try id(register()), try id(register(MadeUpPushes.body("https://b.example/x"), as: other))]
        let admin = try test.token(["admin"])
        #expect(try self.ids(as: admin) == ids.map { Int($0) })
        let names = try rows(as: admin).map { ($0["token"] as? NSDictionary)?["name"] as? String }
        #expect(Set(names).count == 2 && !names.contains(nil))
        #expect(try test.ask("DELETE", "\(Self.list)/\(ids[1])", as: admin).text == #"{"success":true}"#)
        #expect(try self.ids(as: other) == [] && pushes.changes.withLock { $0 } == 3)
    }

    @Test func itEndsWithItsToken() throws {
        _ = try id(register())
        let name = try #require(try test.store.read { try $0.tokens() }.last?.name)
        let path = "/local/tokens/\(name.replacing(" ", with: "%20"))"
        let revoked = try test.ask("DELETE", path, peer: LocalPathsExistOnlyOnTheLocalSocket.me)
        #expect(revoked.status == 200)
        #expect(try stored.isEmpty && register().status == 401 && pushes.changes.withLock { $0 } == 2)
    }

    /// Many programs write null for what they leave out.
    @Test func nullIsWhatIsLeftOut() throws {
        _ = try id(register(MadeUpPushes.body(more: #","platform":null,"rules":null,"name":null"#)))
        _ = try id(
            register(MadeUpPushes.apple(String(repeating: "ab", count: 32), more: #","sandbox":null,"name":null"#)))
        #expect(try stored.count == 2)
    }

    // MARK: tests

    @Test func itIsTriedOnceInTenSeconds() throws {
        let ids = [
            try id(register()), try id(register(MadeUpPushes.body("https://b.example/x", more: #","name":"b""#))),
        ]
        let first = try test.ask("POST", "\(Self.list)/\(ids[0])/test", as: token)
        #expect(first.status == 200)
        let shown = try #require(try first.data["registrations"] as? [NSDictionary])
        #expect(shown.count == 1 && (shown[0]["test"] as? NSDictionary)?["state"] as? String == "underway")
        let again = try test.ask("POST", "\(Self.list)/\(ids[0])/test", as: token)
        let seconds = Int(again.header("Retry-After") ?? "") ?? 0
        #expect(again.status == 429 && (1...10).contains(seconds), "\(again.text)")
        // The limit holds for a token with all rights, for another registration of this token, and for a new one.
        #expect(try test.ask("POST", "\(Self.list)/\(ids[0])/test", as: try test.token(["admin"])).status == 429)
        #expect(try test.ask("POST", "\(Self.list)/\(ids[1])/test", as: token).status == 429)
        #expect(try test.ask("DELETE", "\(Self.list)/\(ids[1])", as: token).status == 200)
        let anew = try id(register(MadeUpPushes.body("https://b.example/x")))
        #expect(try test.ask("POST", "\(Self.list)/\(anew)/test", as: token).status == 429)
        let other = try test.token(["notifications:read"])
        let others = try id(register(MadeUpPushes.body("https://c.example/x"), as: other))
        #expect(try test.ask("POST", "\(Self.list)/\(others)/test", as: other).status == 200)
        #expect(pushes.tested.withLock { $0 } == [ids[0], others])
        // A user of this machine may as often as he likes.
        let local = try test.ask(
            "POST", "/local/push/registrations/\(ids[0])/test", peer: LocalPathsExistOnlyOnTheLocalSocket.me)
        #expect(local.status == 200)
    }

    @Test func whatIsWrongIsShown() throws {
        let id = try id(register())
        pushes.progress.withLock { all in
            var progress = PushDoor.Progress()
            (progress.toldAt, progress.waiting, progress.failingSince) = (1_000, 3, 2_000)
            (progress.error, progress.test) = ("push.example.org refuses it", .init(at: 3_000, error: "it says no"))
            all[id] = progress
        }
        let row = try #require(try rows().first)
        #expect(row["toldAt"] as? String == "1970-01-01T00:00:01.000Z" && row["waiting"] as? Int == 3)
        #expect(row["failingSince"] as? String == "1970-01-01T00:00:02.000Z")
        #expect(row["error"] as? String == "push.example.org refuses it")
        let test = try #require(row["test"] as? NSDictionary)
        #expect(test["state"] as? String == "failed" && test["error"] as? String == "it says no")
    }
}

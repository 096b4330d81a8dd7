import Foundation
import HTTPServer
import Log
import Platform
import QRCodes
import Routes
import Synchronization
import Testing

@testable import RestAPI
@testable import Store

/// `POST /api/v1/tokens {name}`: with everything, and a link that signs the phone in.
@Suite struct ATokenMakesOneForAPhone {
    private func make(_ test: TestGateway, _ body: String, as token: APIToken) throws -> Answer {
        try test.ask("POST", "/api/v1/tokens", as: token, body)
    }

    private func names(_ test: TestGateway) throws -> [String] { try test.store.read { try $0.tokens() }.map(\.name) }

    private func url(_ answer: Answer) throws -> String {
        let link = try #require(try answer.data["signIn"] as? [String: Any], "\(answer.text)")
        return try #require(link["url"] as? String)
    }

    @Test func itIsShownThisOnce() throws {
        let test = try TestGateway()
        let setup = try TokenRegister(store: test.store).create(name: "setup", scopes: .admin)
        let answer = try make(test, #"{"name":" my phone "}"#, as: setup)
        #expect(answer.status == 201)
        #expect(answer.header("Cache-Control") == "no-store" && answer.header("ETag") == nil)
        let data = try answer.data
        #expect(data["name"] as? String == "my phone" && data["madeBy"] as? String == "setup")
        let token = try #require(data["token"] as? String)
        #expect(APIToken(token)?.prefix == data["prefix"] as? String)
        #expect(try url(answer) == "http://box:8080/#token=\(token)")
        let svg = (data["signIn"] as? [String: Any])?["svg"] as? String
        let link = try url(answer)
        #expect(svg != nil && svg == QRCode(link)?.svg)
        let phone = try #require(APIToken(token))
        #expect(try test.ask("GET", "/api/v1/me", as: phone).status == 200)
        let tokens = try test.store.read { try $0.tokens() }
        #expect(tokens.first { $0.name == "my phone" }?.madeBy == tokens.first { $0.name == "setup" }?.id)
    }

    /// Where the page is, as far as the settings, a proxy, the browser and the server say it.
    @Test func theLinkLeadsToWhereThePageIs() throws {
        var policy = ClientPolicy()
        policy.basePath = "/mesh"
        policy.trustedProxies = [IPNetwork(try #require(IPAddress("10.0.0.1")), prefixLength: 128)]
        let test = try TestGateway(policy: policy)
        let admin = try test.token(["admin"])
        let plain = test.api
        let secure = RestAPI(
            Endpoints.served, gateway: test.gateway, version: "1", policy: policy,
            listeners: { ["https://[::]:8443"] })
        let far = Peer.tcp(address: "10.0.0.1")
        let rows: [(API, [String: String], Peer?, String)] = [
            (plain, ["Host": "box:8080"], nil, "http://box:8080/mesh/"),
            (plain, ["Host": "[fd00::1]:8080"], nil, "http://[fd00::1]:8080/mesh/"),
            (secure, ["Host": "box:8443"], nil, "https://box:8443/mesh/"),
            (plain, ["Host": "Box", "Origin": "https://box"], nil, "https://Box/mesh/"),
            (secure, ["Host": "box:80", "Origin": "http://box"], nil, "http://box:80/mesh/"),
            (plain, ["Host": "127.0.0.1:8080", "X-Forwarded-Host": "mesh.example"], far, "http://mesh.example/mesh/"),
            (plain, ["Host": "box", "X-Forwarded-Host": "mesh.example"], nil, "http://box/mesh/"),
            // A page of another site that is allowed to ask says nothing of ours.
            (secure, ["Host": "box", "Origin": "http://localhost:3001"], nil, "https://box/mesh/"),
            (secure, ["Host": "box"], Peer.unix, "http://box/mesh/"),
        ]
        for (number, (api, headers, peer, page)) in rows.enumerated() {
            let request = Request(
                method: "POST", target: "/mesh/api/v1/tokens",
                headers: headers.map { (name: $0.key, value: $0.value) }
                    + [(name: "Authorization", value: "Bearer \(admin.text)")],
                body: Array(#"{"name":"phone \#(number)"}"#.utf8), peer: peer ?? .tcp(address: "127.0.0.1"))
            let answer = try Answer(api.respond(request))
            #expect(try url(answer).hasPrefix(page + "#token=mm_v1_"), "\(headers): \(answer.text)")
        }
        policy.publicURL = "https://mesh.example.org/hut/"
        test.api.apply(policy)
        let other = try test.token(["admin"])
        let answer = try test.ask("POST", "/mesh/api/v1/tokens", as: other, #"{"name":"last"}"#)
        #expect(try url(answer).hasPrefix("https://mesh.example.org/hut/#token="))
    }

    @Test(arguments: ["", "a b", "box/evil", "evil.example#", "box@evil.example", "box?x", "b\u{F6}x", "a,b"])
    func noTokenIsMadeForALinkThatLeadsElsewhere(_ host: String) throws {
        let test = try TestGateway()
        let admin = try test.token(["admin"])
        let before = try names(test)
        let answer = try test.ask(
            "POST", "/api/v1/tokens",
            headers: [(name: "Authorization", value: "Bearer \(admin.text)"), (name: "Host", value: host)],
            body: Array(#"{"name":"phone"}"#.utf8))
        #expect(answer.status == 400)
        #expect(try names(test) == before)
    }

    @Test(arguments: [
        "", "{}", "[]", #"["phone"]"#, #""phone""#, #"{"name":5}"#, #"{"name":null}"#, #"{"name":""}"#,
        #"{"name":"  "}"#, #"{"name":"a\nb"}"#, #"{"name":"a\tb"}"#, #"{"name":"a\u0007"}"#, #"{"name":"a\u009b"}"#,
        #"{"name":"12345678901234567890123456789012345678901234567890123456789012345"}"#,
        #"{"name":"x","scopes":["admin"]}"#, #"{"name":"x","scopes":null}"#, #"{"name":"x","expiresAt":4102444800000}"#,
        #"{"name":"x","token":"mm_v1_0123456789abcdef0123456789abcdef"}"#, #"{"name":"x","madeBy":"y"}"#,
        #"{"Name":"x"}"#,
    ])
    func nothingElseCanBeAskedFor(_ body: String) throws {
        let test = try TestGateway()
        let admin = try test.token(["admin"])
        let before = try names(test)
        #expect(try make(test, body, as: admin).status == 400)
        #expect(try names(test) == before)
    }

    @Test func everyRightIsNeeded() throws {
        let test = try TestGateway()
        for scopes in [
            ["read", "send", "nodes:write"], ["configuration:write"], Permission.all.dropLast().map(\.description),
        ] {
            let answer = try make(test, #"{"name":"phone"}"#, as: try test.token(scopes))
            #expect(answer.status == 403)
            #expect(try answer.json["required"] as? [String: String] == ["resource": "admin"])
        }
        #expect(try !names(test).contains("phone"))
    }

    /// A cookie is sent by browsers without anybody's wish; a command has a way of its own.
    @Test func theTokenIsInTheHeader() throws {
        let test = try TestGateway()
        let admin = try test.token(["admin"])
        let before = try names(test)
        let given = try test.ask("GET", "/api/v1/me", as: admin).header("Set-Cookie")
        let cookie = (name: "Cookie", value: String(try #require(given).prefix { $0 != ";" }))
        let page = try test.ask("GET", "/api/csrf-token", headers: [cookie])
        let csrf = (name: "X-CSRF-Token", value: try #require(try page.json["csrfToken"] as? String))
        let body = Array(#"{"name":"phone"}"#.utf8)
        let host = (name: "Host", value: "box:8080")
        #expect(try test.ask("POST", "/api/v1/tokens", headers: [cookie, csrf, host], body: body).status == 401)
        let bearer = (name: "Authorization", value: "Bearer \(admin.text)")
        let elsewhere = (name: "Origin", value: "https://evil.example")
        #expect(try test.ask("POST", "/api/v1/tokens", headers: [bearer, host, elsewhere], body: body).status == 500)
        let local = try test.ask(
            "POST", "/api/v1/tokens", headers: [host], body: body, peer: LocalPathsExistOnlyOnTheLocalSocket.me)
        #expect(local.status == 403)
        #expect(local.message?.contains("mesh-gateway token create NAME") == true)
        #expect(try names(test) == before)
    }

    @Test func aNameIsOneTokens() throws {
        let test = try TestGateway()
        let (one, other) = (try test.token(["admin"]), try test.token(["admin"]))
        #expect(try make(test, #"{"name":"phone"}"#, as: one).status == 201)
        for maker in [one, other] {
            let answer = try make(test, #"{"name":" phone"}"#, as: maker)
            #expect(answer.status == 409)
            #expect(answer.message == "There is already a token called phone")
        }
        #expect(try TokenRegister(store: test.store).revoke(name: "phone") != nil)
        #expect(try make(test, #"{"name":"phone"}"#, as: other).status == 201)
    }

    @Test func aThousandRequestsMakeNine() throws {
        let test = try TestGateway()
        let admin = try test.token(["admin"])
        let before = try names(test).count
        var statuses: [Int: Int] = [:]
        for number in 0..<1000 {
            statuses[try make(test, #"{"name":"t\#(number)"}"#, as: admin).status, default: 0] += 1
        }
        #expect(statuses == [201: 9, 409: 991])
        #expect(try names(test).count == before + 9)
    }

    /// The revocation is before it in the queue of the disk, and nobody has been told of it yet.
    @Test func aMakerThatIsRevokedMeanwhileMakesNothing() throws {
        let test = try TestGateway()
        let register = TokenRegister(store: test.store)
        let setup = try register.create(name: "setup", scopes: .admin)
        let gate = DispatchSemaphore(value: 0)
        test.store.enqueue(.immediate) { writer in
            gate.wait()
            _ = try writer.revokeToken(name: "setup", at: WallClock.milliseconds())
        }
        let request = Request(
            method: "POST", target: "/api/v1/tokens",
            headers: [(name: "Authorization", value: "Bearer \(setup.text)"), (name: "Host", value: "box")],
            body: Array(#"{"name":"phone"}"#.utf8))
        let response = test.api.respond(request)
        guard case .later = response.body else {
            gate.signal()
            Issue.record("it does not wait for the disk")
            return
        }
        gate.signal()
        #expect(try Answer(response).status == 401)
        #expect(try names(test) == ["test", "setup"])
    }

    @Test func theLogHasBothNamesAndNoToken() throws {
        let test = try TestGateway()
        let said = Mutex<[String]>([])
        let logger = Logger(LogThreshold(.trace)) { entry in said.withLock { $0.append(entry.text) } }
        let api = RestAPI(Endpoints.served, gateway: test.gateway, version: "1", logger: logger)
        let setup = try TokenRegister(store: test.store).create(name: "setup", scopes: .admin)
        let request = Request(
            method: "POST", target: "/api/v1/tokens",
            headers: [(name: "Authorization", value: "Bearer \(setup.text)"), (name: "Host", value: "box")],
            body: Array(#"{"name":"phone"}"#.utf8))
        let answer = try Answer(api.respond(request))
        let token = try #require(try answer.data["token"] as? String)
        #expect(said.withLock { $0 } == [#"the token "setup" has made the token "phone""#])
        #expect(!said.withLock { $0 }.joined().contains(token.suffix(20)))
    }
}

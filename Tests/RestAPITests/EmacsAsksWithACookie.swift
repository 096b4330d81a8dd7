import Foundation
import HTTPServer
import MeshModel
import Platform
import Routes
import Store
import Testing

@testable import RestAPI

/// Its `t` and `p` keys send a cookie and a CSRF token, and no bearer token.
@Suite struct EmacsAsksWithACookie {
    private typealias Header = (name: String, value: String)
    private static let body = #"{"destination":"!abcdef12"}"#

    /// The cookie that a bearer token is answered with, as a client sends it back.
    private func cookie(_ test: TestGateway, _ token: APIToken? = nil) throws -> String {
        let answer = try test.ask("GET", "/api/v1/nodes", as: token ?? test.token)
        let header = try #require(answer.header("Set-Cookie"))
        #expect(header.hasSuffix("; Path=/api; HttpOnly; SameSite=Strict"))
        #expect(!header.contains((token ?? test.token).text.dropFirst(6)))
        return String(header.prefix { $0 != ";" })
    }

    private func csrf(_ test: TestGateway, _ cookie: String) throws -> String {
        let answer = try test.ask("GET", "/api/csrf-token", headers: [(name: "Cookie", value: cookie)])
        #expect(answer.status == 200)
        #expect(JSONText(answer.body).keys == ["csrfToken"])
        return try #require(try answer.json["csrfToken"] as? String)
    }

    private func post(_ test: TestGateway, _ path: String, _ headers: [Header]) throws -> Answer {
        let type = (name: "Content-Type", value: "application/json")
        return try test.ask("POST", path, headers: [type] + headers, body: Array(Self.body.utf8))
    }

    /// 503: it would go out if there were a radio.
    @Test(arguments: ["/api/traceroute", "/api/position/request"])
    func twoRequestsTakeIt(_ path: String) throws {
        let test = try TestGateway()
        let cookie = try cookie(test)
        let token = try csrf(test, cookie)
        let other = try csrf(test, try self.cookie(test, try test.token([])))
        let sent: Header = (name: "Cookie", value: "theme=dark; \(cookie); x=y")
        #expect(try post(test, path, [sent, (name: "X-CSRF-Token", value: token)]).status == 503)
        for wrong in ["", "nonsense", other, try csrf(test, "x=y")] {
            let answer = try post(test, path, [sent, (name: "X-CSRF-Token", value: wrong)])
            #expect(answer.status == 403)
            #expect(try answer.json["code"] as? String == "INVALID_CSRF_TOKEN")
        }
        #expect(try post(test, path, [sent]).status == 403)
        // A bearer token needs neither.
        #expect(try post(test, path, [test.bearer]).status == 503)
        // And a wrong one is not saved by a cookie.
        let nonsense: Header = (name: "Authorization", value: "Bearer nonsense")
        #expect(try post(test, path, [nonsense, sent, (name: "X-CSRF-Token", value: token)]).status == 401)
    }

    private func signIn(_ test: TestGateway, _ password: String) throws -> Answer {
        let type = (name: "Content-Type", value: "application/json")
        let body = #"{"username":"somebody","password":"\#(password)"}"#
        return try test.ask("POST", "/api/auth/login", headers: [type], body: Array(body.utf8))
    }

    /// A person who is asked for name and password has a token: it is the password.
    @Test func aTokenIsThePassword() throws {
        let test = try TestGateway()
        let answer = try signIn(test, test.token.text)
        #expect(answer.status == 200 && answer.text == #"{"success":true,"user":{"username":"test"}}"#)
        #expect(answer.header("Cache-Control") == "no-store")
        let cookie = String(try #require(answer.header("Set-Cookie")).prefix { $0 != ";" })
        let sent: [Header] = [
            (name: "Cookie", value: cookie), (name: "X-CSRF-Token", value: try csrf(test, cookie)),
        ]
        for path in ["/api/traceroute", "/api/position/request"] { #expect(try post(test, path, sent).status == 503) }
        // It opens nothing else.
        #expect(try test.ask("GET", "/api/v1/nodes", headers: sent).status == 401)
    }

    @Test func aTokenThatMaySendNothingIsToldSo() throws {
        let test = try TestGateway()
        let answer = try signIn(test, try test.token(["nodes:read"]).text)
        #expect(answer.status == 403 && answer.header("Set-Cookie") == nil)
        #expect(try answer.json["code"] as? String == "FORBIDDEN")
    }

    /// Guessing passwords is guessing tokens.
    @Test func aWrongPasswordCountsAsAWrongToken() throws {
        let test = try TestGateway()
        let answers = try (0..<40).map { _ in try signIn(test, "mm_v1_00000000000000000000000000000000") }
        #expect(answers.prefix(10).allSatisfy { $0.status == 401 && $0.header("Set-Cookie") == nil })
        #expect(answers.contains { $0.status == 429 })
        let wrong = (name: "Authorization", value: "Bearer mm_v1_00000000000000000000000000000000")
        #expect(try test.ask("GET", "/api/v1/nodes", headers: [wrong]).status == 429)
        #expect(try signIn(test, test.token.text).status == 200)
        #expect(try signIn(test, "").status == 400)
    }

    @Test func nothingElseDoes() throws {
        let test = try TestGateway()
        let cookie = try cookie(test)
        let headers: [Header] = [
            (name: "Cookie", value: cookie), (name: "X-CSRF-Token", value: try csrf(test, cookie)),
        ]
        for endpoint in Endpoints.all {
            switch endpoint.access {
            case .token, .everything, .session:
                let path = endpoint.path.split(separator: "/").map { $0.hasPrefix("{") ? "default" : String($0) }
                let target = "/" + path.joined(separator: "/")
                #expect(try test.ask(endpoint.method.rawValue, target, headers: headers).status == 401, "\(target)")
            case .cookie, .open, .local: break
            }
        }
    }

    /// A changed number, expiry or seal; another server's; the token's end.
    @Test func aForgedOneIsNone() throws {
        let test = try TestGateway()
        let cookie = try cookie(test)
        let parts = cookie.split(separator: "=")[1].split(separator: ".").map(String.init)
        #expect(parts.count == 3)
        let forged = [
            "\(parts[0])1.\(parts[1]).\(parts[2])", "\(parts[0]).9\(parts[1]).\(parts[2])",
            "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))", "\(parts[0]).\(parts[1]).",
            "\(parts[0]).\(parts[1])", "", try self.cookie(TestGateway()).split(separator: "=").last.map(String.init)!,
        ]
        for text in forged {
            let sent: Header = (name: "Cookie", value: "meshmonitor.sid=\(text)")
            let token: Header = (name: "X-CSRF-Token", value: try csrf(test, "meshmonitor.sid=\(text)"))
            let answer = try post(test, "/api/traceroute", [sent, token])
            #expect(answer.status == 401)
            #expect(answer.header("WWW-Authenticate") == "Bearer")
        }
    }

    @Test func itEndsWithItsToken() throws {
        let test = try TestGateway()
        let (register, name) = (TokenRegister(store: test.store), "phone")
        let token = try register.create(name: name, scopes: .standard)
        let cookie = try cookie(test, token)
        let headers: [Header] = [
            (name: "Cookie", value: cookie), (name: "X-CSRF-Token", value: try csrf(test, cookie)),
        ]
        #expect(try post(test, "/api/traceroute", headers).status == 503)
        #expect(try register.revoke(name: name) != nil)
        #expect(try post(test, "/api/traceroute", headers).status == 401)
    }

    @Test func itLastsADayAndNoLongerThanItsToken() throws {
        let test = try TestGateway()
        let now = WallClock.milliseconds()
        let token = APIToken.random()
        let (hash, prefix) = (token.hash.bytes, token.prefix)
        let number = try test.store.commit { writer in
            try writer.insertToken(
                name: "guest", hash: hash, prefix: prefix, scopes: "", expiresAt: now + 3_600_000, at: now)
        }
        let request = Request(target: "/api/csrf-token", headers: [(name: "Cookie", value: try cookie(test, token))])
        let (hour, day): (Int64, Int64) = (3_600_000, 86_400_000)
        #expect(test.api.cookies.session(of: request, now: now)?.token == number)
        #expect(test.api.cookies.session(of: request, now: now + day - hour)?.token == number)
        #expect(test.api.cookies.session(of: request, now: now + day + hour) == nil)
        #expect(try test.api.tokens.caller(id: number, now: now)?.scopes == .standard)
        #expect(try test.api.tokens.caller(id: number, now: now + hour) == nil)
        // In its second half it is replaced.
        let caller = Caller(token: number, scopes: .standard)
        #expect(test.api.cookies.setCookie(for: caller, request, now: now + day / 2 - hour) == nil)
        #expect(test.api.cookies.setCookie(for: caller, request, now: now + day / 2 + hour) != nil)
    }

    /// What the token may not do, its cookie does not open; and one that could ask for nothing gets none.
    @Test func itMayNoMoreThanItsToken() throws {
        let test = try TestGateway()
        let token = try test.token(["nodes:read", "channels:viewOnMap", "traceroute:write"])
        let cookie = try cookie(test, token)
        let headers: [Header] = [
            (name: "Cookie", value: cookie), (name: "X-CSRF-Token", value: try csrf(test, cookie)),
        ]
        #expect(try post(test, "/api/traceroute", headers).status == 503)
        #expect(try post(test, "/api/position/request", headers).status == 403)
        let reader = try test.token(["read"])
        #expect(try test.ask("GET", "/api/v1/nodes", as: reader).header("Set-Cookie") == nil)
    }

    @Test func itIsSentOnce() throws {
        let test = try TestGateway()
        let cookie: Header = (name: "Cookie", value: try cookie(test))
        #expect(try test.get("/api/v1/nodes", headers: [cookie]).header("Set-Cookie") == nil)
        #expect(try test.get("/api/v1/messages", headers: [cookie]).header("Set-Cookie") == nil)
        // Somebody else's, or an old key's, is replaced.
        let other: Header = (name: "Cookie", value: "meshmonitor.sid=1.2.3")
        #expect(try test.get("/api/v1/nodes", headers: [other]).header("Set-Cookie") != nil)
        #expect(try test.ask("GET", "/api/v1/nodes", headers: [cookie]).header("Set-Cookie") == nil)
        #expect(try test.ask("GET", "/api/status", headers: [test.bearer]).header("Set-Cookie") == nil)
        #expect(try test.ask("GET", "/api/health").header("Set-Cookie") == nil)
    }
}

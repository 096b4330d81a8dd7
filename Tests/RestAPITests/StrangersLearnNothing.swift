import Routes
import Testing

@testable import RestAPI

@Suite struct StrangersLearnNothing {
    static let missing =
        #"{"error":"Unauthorized","message":"API token required. Use Authorization: Bearer <token>"}"#
    static let invalid = #"{"error":"Unauthorized","message":"Invalid or expired API token"}"#

    @Test(arguments: [
        "/api/v1", "/api/v1/", "/api/v1/sources", "/api/v1/nodes", "/api/v1/sources/default/messages",
        "/api/v1/sources/nobody/nodes", "/api/v1/nothing", "/api/v1/messages/1", "/API/V1/Status/",
        "/api/v1/docs/nothing",
    ])
    func withoutAToken(_ path: String) throws {
        let test = try TestGateway()
        for method in ["GET", "HEAD", "POST", "PUT", "DELETE"] {
            let answer = try test.ask(method, path)
            #expect(answer.status == 401)
            #expect(answer.text == Self.missing)
            // Without it Emacs asks for a user name.
            #expect(answer.header("WWW-Authenticate") == "Bearer")
        }
    }

    /// Outside v1 a path that leads nowhere is 404 for everybody; what there is says nothing without a token.
    @Test(arguments: [
        "/api/nodes", "/api/nodes?sourceId=nobody", "/api/sources", "/api/sources/default", "/api/sources/nobody",
        "/api/sources/default/nodes", "/api/sources/nobody/nodes", "/api/sources/default/status",
        "/api/sources/default/neighbor-info", "/api/automations", "/api/analysis/solar-nodes",
        "/api/analysis/solar-forecast",
    ])
    func withoutATokenOutsideV1(_ path: String) throws {
        let test = try TestGateway()
        for method in ["GET", "HEAD"] {
            let answer = try test.ask(method, path)
            #expect(answer.status == 401)
            #expect(answer.text == #"{"error":"Authentication required","code":"UNAUTHORIZED"}"#)
            #expect(answer.header("WWW-Authenticate") == "Bearer")
        }
    }

    /// Authorization -> which of the two bodies (Contract 7.4)
    @Test(arguments: [
        ("bearer TOKEN", missing), ("BEARER TOKEN", missing), ("Basic dXNlcjpwYXNz", missing), ("TOKEN", missing),
        ("Bearer", missing), ("", missing), ("Bearer\tTOKEN", missing), ("Bearer ", missing),
        (" Bearer\t ", missing),
        ("Bearer  TOKEN", invalid),
        ("Bearer TOKENx", invalid),
        ("Bearer mm_v1_00000000000000000000000000000000", invalid),
        ("Bearer changeme", invalid),
    ])
    func withSomethingElse(_ header: String, _ body: String) throws {
        let test = try TestGateway()
        let value = header.split(separator: "TOKEN", omittingEmptySubsequences: false).joined(
            separator: test.token.text)
        let answer = try test.ask("GET", "/api/v1/nodes", headers: [(name: "Authorization", value: value)])
        #expect(answer.status == 401)
        #expect(answer.text == body)
        #expect(answer.header("WWW-Authenticate") == "Bearer")
    }

    /// Blanks around a field's value are no part of it (RFC 9110, 5.5): a shell's variable or a pasted line brings some.
    @Test(arguments: [" ", "  ", "\t", " \t "]) func butBlanksBehindATokenDoNotMatter(_ blanks: String) throws {
        let test = try TestGateway()
        let header = (name: "Authorization", value: blanks + "Bearer " + test.token.text + blanks)
        #expect(try test.ask("GET", "/api/v1/nodes", headers: [header]).status == 200)
    }

    @Test func aTokenInTheQueryIsNone() throws {
        let test = try TestGateway()
        #expect(
            try test.ask("GET", "/api/v1/nodes?token=\(test.token.text)&access_token=\(test.token.text)").status == 401)
    }

    @Test func anExpiredTokenIsInvalid() throws {
        let test = try TestGateway()
        let token = APIToken.random()
        let (hash, prefix) = (token.hash.bytes, token.prefix)
        _ = try test.store.commit {
            try $0.insertToken(name: "old", hash: hash, prefix: prefix, scopes: "", expiresAt: 1000, at: 0)
        }
        let answer = try test.ask("GET", "/api/v1/", headers: [(name: "Authorization", value: "Bearer " + token.text)])
        #expect(answer.text == Self.invalid)
    }
}

import HTTPServer
import Routes
import Testing

@testable import RestAPI

@Test func aTokenEndsAtItsTime() throws {
    let test = try TestGateway()
    let check = TokenCheck(store: test.store)
    let end = TestGateway.now + 60_000
    let token = try TokenRegister(store: test.store).create(name: "guest", expiresAt: end)
    let authorization = "Bearer " + token.text
    let id = try #require(try check.check(authorization: authorization, now: end - 1).token)
    #expect(check.isValid(authorization: authorization, now: end - 1))
    #expect(try check.caller(id: id, now: end - 1) != nil)
    #expect(throws: APIError.tokenInvalid) { try check.check(authorization: authorization, now: end) }
    #expect(!check.isValid(authorization: authorization, now: end))
    // Nor through what was shown with it before.
    #expect(try check.caller(id: id, now: end) == nil)
    #expect(try check.caller(id: id + 1, now: end - 1) == nil)
}

import Glibc
import HTTPServer
import JSON
import Nettle
import Platform
import Synchronization

// Emacs asks for traceroutes and positions as a browser would: with a session cookie and a CSRF token, and without its
// bearer token. So a client that shows a bearer token that may do this, or signs in with it as the password,
// gets a cookie in return, which is good for these two requests and nothing else.
//
//     meshmonitor.sid = <token's number>.<expiry, seconds since 1970>.<HMAC-SHA256 of both>
//
// Nothing is stored: the key is made at each start, after which clients get a new cookie with their next request. A
// cookie ends with its token, and says nothing of the token but its number.

/// Gives out and checks session cookies, and the CSRF tokens that belong to them.
public final class SessionCookies: Sendable {
    public static let name = "meshmonitor.sid"
    /// Seconds. A cookie in its second half is replaced.
    private static let lifetime: Int64 = 86_400

    private let key: [UInt8]

    /// The last one of each token: clients that keep no cookies are given it with every answer, for an hour the same.
    private struct Given { var expiry: Int64, cookie: String }
    private let given = Mutex<[Int64: Given]>([:])
    private static let capacity = 1000

    public init() {
        var key = [UInt8](repeating: 0, count: 32)
        precondition(getentropy(&key, key.count) == 0, "getentropy(3) must work")
        self.key = key
    }

    /// A cookie that was found good.
    public struct Session {
        /// ``Token/id``.
        public let token: Int64
        /// Seconds since 1970.
        fileprivate let expiry: Int64
        fileprivate let text: String
    }

    /// The `Set-Cookie` for a caller; nil when his is good for a while, or of no use to him.
    ///
    /// - Parameters:
    ///   - base: what stands before `/api` for this client.
    ///   - now: host milliseconds.
    public func setCookie(for caller: Caller, _ request: Request, base: String = "", now: Int64) -> String? {
        guard let token = caller.token, caller.maySendByCookie else { return nil }
        let now = now / 1000
        if let known = session(of: request, now: now * 1000), known.token == token,
            known.expiry - now > Self.lifetime / 2
        {
            return nil
        }
        let cookie = given.withLock { given in
            if let last = given[token], (Self.lifetime - 3600...Self.lifetime).contains(last.expiry - now) {
                return last.cookie
            }
            let expiry = now + Self.lifetime
            let content = "\(token).\(expiry)"
            let cookie = "\(Self.name)=\(content).\(seal(content))"
            if given.count >= Self.capacity { given.removeAll() }
            given[token] = Given(expiry: expiry, cookie: cookie)
            return cookie
        }
        return "\(cookie); Path=\(base)/api; HttpOnly; SameSite=Strict"
    }

    /// The good cookie among those that a request carries.
    public func session(of request: Request, now: Int64) -> Session? {
        guard let header = request.header("Cookie") else { return nil }
        return header.split(separator: ";").prefix(50).lazy.compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, String(parts[0]).trimmed == Self.name else { return nil }
            return self.session(String(parts[1]).trimmed, now: now)
        }.first
    }

    private func session(_ text: String, now: Int64) -> Session? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let token = Int64(parts[0]), let expiry = Int64(parts[1]),
            isEqual(String(parts[2]), seal("\(token).\(expiry)")), now < expiry * 1000
        else { return nil }
        return Session(token: token, expiry: expiry, text: text)
    }

    /// Belongs to one cookie; a stranger's belongs to none.
    public func csrfToken(of session: Session?) -> String { seal("csrf \(session?.text ?? "")") }

    public func isValid(csrf token: String?, of session: Session) -> Bool {
        token.map { isEqual($0, csrfToken(of: session)) } ?? false
    }

    /// HMAC-SHA256 in hexadecimal.
    private func seal(_ text: String) -> String { hexadecimal(hmacSHA256(Array(text.utf8), key: key)) }

    /// In a time that tells nothing about where they differ.
    private func isEqual(_ given: String, _ expected: String) -> Bool {
        isEqualInConstantTime(Array(given.utf8), Array(expected.utf8))
    }
}

extension API {
    public static let sessionEndpoints: [Endpoint] = [
        .open("/api/csrf-token", API.csrfToken), .open(.post, "/api/auth/login", API.signIn),
    ]

    /// `/api/auth/login`: the cookie for a token that is given as the password; the user's name does not matter. A wrong one
    /// counts as a wrong token.
    public func signIn(_ call: Call) throws(APIError) -> Response {
        guard let password = call.body?["password"]?.string, !password.isEmpty else {
            throw .uncoded(400, "The password is missing: it is an API token")
        }
        let caller = try tokenCaller(call.request, authorization: "Bearer \(password)")
        guard caller.maySendByCookie else { throw .insufficientForSession(Permission(.traceroute, .write)) }
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.key("user")
            json.object { $0.member("username", caller.tokenName) }
        }
        var response = Response.json(.bytes(json.bytes))
        response.headers.append(Header.noStore)
        let (base, now) = (base(of: call.request), WallClock.milliseconds())
        if let cookie = cookies.setCookie(for: caller, call.request, base: base, now: now) {
            response.headers.append((name: "Set-Cookie", value: cookie))
        }
        return response
    }

    public func csrfToken(_ call: Call) throws(APIError) -> Response {
        let session = cookies.session(of: call.request, now: WallClock.milliseconds())
        var json = JSONWriter()
        json.object { $0.member("csrfToken", cookies.csrfToken(of: session)) }
        var response = Response.json(.bytes(json.bytes))
        response.headers.append(Header.noStore)
        return response
    }

    /// Who asks with a cookie and its CSRF token in place of a bearer token.
    public func cookieCaller(_ request: Request) throws(APIError) -> Caller {
        let now = WallClock.milliseconds()
        guard let session = cookies.session(of: request, now: now),
            let caller = try tokens.caller(id: session.token, now: tokenTime)
        else { throw .authenticationRequired }
        guard cookies.isValid(csrf: request.header("X-CSRF-Token"), of: session) else {
            throw .coded(403, "Invalid CSRF token", code: "INVALID_CSRF_TOKEN")
        }
        return caller
    }
}

extension Caller {
    /// What the cookie is good for.
    fileprivate var maySendByCookie: Bool { may(.write, .traceroute) || may(.write, .messages) }
}

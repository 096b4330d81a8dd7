import Folders
import Foundation
import Nettle
import Testing

@testable import Notifications
@testable import ServedProgram

/// Judged by the libraries that others use (`browsers.py`): a record opens for its browser and for nobody else.
@Suite struct ABrowserOpensWhatItIsSent {
    /// Of a browser that `cryptography` plays.
    private struct Browser: Decodable {
        let `private`: String
        let p256dh: String
        let auth: String

        func keys() throws -> BrowserKeys { try BrowserKeys(p256dh: p256dh, auth: auth) }
    }

    private static func browsers(_ count: Int) throws -> [Browser] {
        try answers("keys", to: [String](repeating: "", count: count)).map {
            try JSONDecoder().decode(Browser.self, from: Data($0.utf8))
        }
    }

    /// What each of these is opened to.
    private static func opened(_ pushes: [(browser: Browser, body: [UInt8])]) throws -> [String] {
        try answers(
            "open",
            to: pushes.map {
                #"{"private":"\#($0.browser.private)","auth":"\#($0.browser.auth)","body":"\#(Base64.encoded($0.body))"}"#
            })
    }

    /// RFC 8291, section 5 and appendix A, byte for byte.
    @Test func theStandardsExampleComesOut() throws {
        let keys = try BrowserKeys(
            p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            auth: "BTBZMqHH6r4Tts7J_aSIgg")
        let body = SealedRecord.bytes(
            Array("When I grow up, I want to be a watermelon".utf8), for: keys,
            from: Base64.decodedLeniently("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")!,
            salt: Base64.decodedLeniently("DGv6ra1nlYgDCS1FRnbzlw")!)
        #expect(
            body.map(Base64.linkEncoded)
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w"
                + "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
    }

    /// Every fourth length and all those at both ends: a thousand and some.
    @Test func everyLengthIsOpened() throws {
        let browsers = try Self.browsers(20)
        let longest = SealedRecord.longestText
        #expect(longest == 3_993)
        let lengths = (0...longest).filter { $0 % 4 == 0 || $0 < 40 || $0 > longest - 40 }
        #expect(lengths.count > 1_000)
        var random = SystemRandomNumberGenerator()
        let noise = (0..<longest + 100).map { _ in UInt8.random(in: 0...255, using: &random) }
        let texts = lengths.map { length in Array(noise[(length % 97)...].prefix(length)) }
        let pushes = try texts.enumerated().map { number, text in
            let browser = browsers[number % browsers.count]
            return (browser, try #require(sealed(text, for: browser.keys())))
        }
        #expect(zip(pushes, lengths).allSatisfy { $0.1.count == $1 + 103 })
        #expect(try Self.opened(pushes) == texts.map { Base64.encoded($0) })
        #expect(sealed([UInt8](repeating: 0, count: longest + 1), for: try browsers[0].keys()) == nil)
    }

    @Test func nobodyElseOpensIt() throws {
        let browsers = try Self.browsers(2)
        let body = try #require(sealed(Array("for one".utf8), for: browsers[0].keys()))
        var pushes = [(browsers[1], body)]
        // In the salt, the sender's key, the text and the tag.
        for place in [0, 15, 30, 86, 90, body.count - 1] {
            var changed = body
            changed[place] ^= 1
            pushes.append((browsers[0], changed))
        }
        #expect(try Self.opened(pushes) == [String](repeating: "refused", count: 7))
    }

    /// Not even that the same was sent twice: salt, sender's key and text differ.
    @Test func theSameTextNeverLooksTheSame() throws {
        let keys = try Self.browsers(1)[0].keys()
        let bodies = (0..<100).compactMap { _ in sealed(Array("Hello".utf8), for: keys) }
        for part in [0..<16, 21..<86, 86..<108] { #expect(Set(bodies.map { Array($0[part]) }).count == 100) }
    }

    /// Services check who sends.
    @Test func everyHeaderIsGood() throws {
        let tokens = PushTokens()
        let now: Int64 = 1_800_000_000_000
        let cases: [(address: String, origin: String, subject: String?)] = [
            ("https://fcm.googleapis.com/fcm/send/abc:def", "https://fcm.googleapis.com", "mailto:admin@example.org"),
            ("https://web.push.apple.com/QaBC", "https://web.push.apple.com", "https://mesh.example.org/gateway"),
            ("https://Push.Example.org:8443/x?y=z", "https://push.example.org:8443", nil),
            ("http://192.0.2.7/up", "http://192.0.2.7", "mailto:\"a b\"@example.org"),
            ("https://[2001:db8::7]:443/up", "https://[2001:db8::7]", nil),
        ]
        var headers: [String] = []
        var claims: [String] = []
        for _ in 0..<20 {
            let key = try #require(PushKey.make())
            #expect(PushKey(scalar: key.scalar) == key && key.shown.count == 87)
            for (address, origin, subject) in cases {
                let header = try #require(
                    tokens.authorization(for: WebAddress(address), key: key, subject: subject, at: now))
                #expect(header.hasPrefix("vapid t=") && header.hasSuffix(",k=\(key.shown)"))
                headers.append(header)
                let sub = subject.map { #","sub":"\#($0.replacing("\"", with: "\\\""))""# } ?? ""
                claims.append(#"{"aud":"\#(origin)","exp":1800064800\#(sub)}"#)
            }
        }
        #expect(Set(headers).count == headers.count)
        #expect(try answers("headers", to: headers) == claims)
        // Under another key, and with other claims.
        let keys = headers.map { $0.components(separatedBy: ",k=") }
        let mixed = [keys[0][0] + ",k=" + keys[5][1], headers[0].replacing(".eyJ", with: ".eyK")]
        #expect(try answers("headers", to: mixed) == ["refused", "refused"])
    }

    /// A token is signed once in twelve hours for each origin, and not given away while this computer's clock says it is not yet good.
    @Test func aTokenIsUsedForTwelveHours() throws {
        let (tokens, start) = (PushTokens(), Int64(1_800_000_000_000))
        let key = try #require(PushKey.make())
        func header(_ address: String, _ hours: Double, _ subject: String? = nil) throws -> String? {
            tokens.authorization(
                for: try WebAddress(address), key: key, subject: subject, at: start + Int64(hours * 3_600_000))
        }
        let first = try header("https://push.example.org/one", 0)
        #expect(try header("https://push.example.org/other", 11.9) == first)
        #expect(try header("https://push.example.org:8443/one", 0) != first)
        #expect(try header("https://push.example.org/one", 0, "mailto:a@example.org") != first)
        let second = try header("https://push.example.org/one", 12.1)
        #expect(second != first)
        #expect(try header("https://push.example.org/one", 24) == second)
        // The clock was wrong, and has been set back.
        #expect(try header("https://push.example.org/one", 1) != second)
        // More origins than there are registrations.
        for number in 0..<200 { #expect(try header("https://\(number).example.org/", 1) != nil) }
    }

    @Test func keysThatAreNoneAreRefused() throws {
        let good = try Self.browsers(1)[0]
        let point = try #require(Base64.decodedLeniently(good.p256dh))
        let auth = try #require(Base64.decodedLeniently(good.auth))
        // As the browser gives it, and as others write base64.
        #expect(try BrowserKeys(p256dh: Base64.encoded(point), auth: Base64.encoded(auth)) == good.keys())
        var elsewhere = point
        elsewhere[40] ^= 1
        // The base of P-384.
        let foreign =
            "BKqHyiK-iwU3jrHHHvMgrXRuHTtii6ebmFn3QeCCVCo4VQLyXb9VKWw6VF44cnYKtzYX3kqWJixvXZ6Yv5KS3Cn49B29KJoUfOna"
            + "MRO18LjACmCxzh1-gZ16Qx18kOoOXw"
        let cases: [(p256dh: String, auth: String, words: String)] = [
            ("", good.auth, "keys.p256dh has 0 bytes in place of 65"),
            ("BCVx sr7N", good.auth, "keys.p256dh is not base64url"),
            (String(repeating: "A", count: 10_000), good.auth, "keys.p256dh is not base64url"),
            (Base64.linkEncoded(Array(point.prefix(64))), good.auth, "keys.p256dh has 64 bytes in place of 65"),
            (Base64.linkEncoded(point + [0]), good.auth, "keys.p256dh has 66 bytes in place of 65"),
            (foreign, good.auth, "keys.p256dh has 97 bytes in place of 65"),
            (String(foreign.prefix(87)), good.auth, "keys.p256dh is not base64url"),
            (
                Base64.linkEncoded(Array(Base64.decodedLeniently(foreign)!.prefix(65))), good.auth,
                "is no point on the curve"
            ),
            (Base64.linkEncoded([2] + point[1..<33]), good.auth, "keys.p256dh has 33 bytes in place of 65"),
            (Base64.linkEncoded(elsewhere), good.auth, "keys.p256dh is no point on the curve P-256"),
            (Base64.linkEncoded([2] + point.dropFirst()), good.auth, "keys.p256dh is no point on the curve P-256"),
            (Base64.linkEncoded([4] + [UInt8](repeating: 0, count: 64)), good.auth, "is no point on the curve P-256"),
            (good.p256dh, Base64.linkEncoded(Array(auth.prefix(15))), "keys.auth has 15 bytes in place of 16"),
            (good.p256dh, "", "keys.auth has 0 bytes in place of 16"),
            (good.p256dh, "ü", "keys.auth is not base64url"),
        ]
        for (p256dh, auth, words) in cases {
            let error = #expect(throws: BadValue.self) { try BrowserKeys(p256dh: p256dh, auth: auth) }
            let text = try #require(error).text
            #expect(text.contains(words) && text.hasSuffix("; send it as the browser gives it"), "\(text)")
        }
    }
}

/// What `browsers.py` answers, a line each.
private func answers(_ what: String, to lines: [String]) throws -> [String] {
    let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"
    let script = (#filePath as NSString).deletingLastPathComponent + "/browsers.py"
    let library = try Program(
        [python, script, what], in: Folders(), input: lines.map { $0 + "\n" }.joined(), executable: "/usr/bin/env")
    #expect(try library.exitCode() == 0, "set MESH_GATEWAY_TEST_PYTHON as deploy/test does: \(library.errors.text)")
    let words = library.output.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    try #require(words.count == lines.count)
    return words
}

import Foundation
import Testing

@testable import Notifications

@Suite struct ATargetThatCannotBeSaysWhatToWrite {
    @Test(
        arguments: [
            ("", nil, "kind = webhook"), ("kind = pigeon\nurl = https://x/y", 1, "webhook, ntfy, apprise, alive"),
            ("kind = ntfy", nil, "https://ntfy.sh/TOPIC"), ("kind = ntfy\nurl = ntfy.sh/topic", 2, "https://"),
            ("kind = ntfy\nurl = https://ntfy.sh/", 2, "topic"), ("kind = ntfy\nurl = https://ntfy.sh/a/b", 2, "topic"),
            ("kind = ntfy\nurl = https://exa mple/t", 2, "%20"), ("kind = ntfy\nurl = https://x:99999/t", 2, "65535"),
            ("kind = ntfy\nurl = https:///t", 2, "host"), ("kind = ntfy\nurl = ftp://x/t", 2, "https://"),
            ("kind = ntfy\nurl = https://x/t#frag", 2, "#"),
            ("kind = apprise\nurl = http://box:8000/", 2, "/notify"),
            ("kind = apprise\nurl = http://box:8000/notify", 2, "urls-file"),
            ("kind = webhook\nurl = https://x/y", 2, "secret-file"),
            ("kind = ntfy\nurl = https://x/t\nevery = 5m", 3, "alive only"),
            ("kind = alive\nurl = https://x/t\nevery = 5", 3, "such as 5m"),
            ("kind = alive\nurl = https://x/t\nevery = 1s", 3, "30s to 1d"),
            ("kind = alive\nurl = https://x/t\nfallback = y", 3, "only"),
            ("kind = ntfy\nurl = https://x/t\nheader = Host: y", 3, "gateway's own"),
            ("kind = ntfy\nurl = https://x/t\nheader = @/etc/passwd", 3, "NAME: VALUE"),
            ("kind = ntfy\nurl = https://x/t\nallow-local = maybe", 3, "yes or no"),
            ("kind = ntfy\nurl = https://x/t\nurll = a", 3, "\"url\""),
            ("kind = ntfy\nurl = https://x/t\nurl = https://x/t", 3, "line 2"),
            ("kind = ntfy\nurl = https://x/t\nfallback = phone", 3, "another"),
            ("kind = ntfy\nurl = https://x/t\nca = /nonexistent/ca.pem", 3, "cannot be read"),
            ("kind = ntfy\nurl = https://x/t\nproxy = x:80", 3, "socks5h"),
            ("kind = ntfy\nurl = https://x/t\nretry-for = 100w", 3, "30d"),
            (
                "kind = webhook\nurl = https://x/y\nsecret-file = none.secret", 3,
                "the file of secret-file cannot be read"
            ),
            ("kind", 1, "KEY = VALUE"), ("kind = ntfy\nurl =", 2, "no value"),
        ] as [(String, Int?, String)])
    func isNamed(text: String, line: Int?, words: String) throws {
        let file = TargetFile(text, name: "phone", path: "/nonexistent/phone.conf")
        #expect(file.target == nil)
        let found = file.mistakes.contains { $0.line == line && $0.text.contains(words) }
        #expect(found, "\(file.mistakes)")
    }

    /// What a mistake says goes into logs and problem reports.
    @Test func noMistakeRepeatsASecret() {
        for text in [
            "kind = ntfy\nurl = https://ntfy.sh/geheim/geheim",
            "kind = ntfy\nurl = https://anna:geheim@ntfy.sh/geheim x",
            "kind = apprise\nurl = https://x/geheim", "kind = ntfy\nurl = https://x/t\nheader = geheim",
            "kind = ntfy\nurl = https://x/t\nproxy = geheim", "kind = geheim\nurl = x", "geheim = x\ngeheim",
            "kind = webhook\nurl = https://x/t\nsecret-file = whsec_geheim",
            "kind = apprise\nurl = https://x/notify\nurls-file = mailto://anna:geheim@example.org",
        ] {
            for mistake in TargetFile(text, name: "phone", path: "p.conf").mistakes {
                #expect(!"\(mistake)".contains("geheim"), "\(mistake)")
            }
        }
    }

    @Test func anAddressIsShownAsFarAsItsHost() throws {
        for (url, shown) in [
            ("https://ntfy.sh/topic", "https://ntfy.sh/..."),
            ("https://anna:pw@NTFY.sh:8443/x?y", "https://ntfy.sh:8443/..."),
            ("http://[2001:db8::7]:8000/notify", "http://[2001:db8::7]:8000/..."), ("https://a.b", "https://a.b/"),
            ("https://token@a.b", "https://a.b/..."),
        ] {
            #expect(try WebAddress(url).shown == shown)
        }
    }

    @Test func fallbacksThatMakeARingAreMistakes() throws {
        func file(_ name: String, _ fallback: String?) -> TargetFile {
            TargetFile(
                "kind = ntfy\nurl = https://x/t" + (fallback.map { "\nfallback = \($0)" } ?? ""), name: name,
                path: "\(name).conf")
        }
        let files = TargetFile.checked(
            [
                file("a", "b"), file("b", "c"), file("c", "a"), file("d", "e"), file("e", nil), file("f", "nobody"),
                file("g", "a"),
            ], kept: [:])
        let inForce = files.filter { $0.target != nil }.map(\.name)
        #expect(inForce == ["d", "e", "g"])
        #expect(files[0].mistakes.first?.text.contains("a -> b -> c -> a") == true, "\(files[0].mistakes)")
        #expect(files[5].mistakes.first?.text.contains("nobody") == true)
    }

    @Test func aSecretThatOthersCanReadIsWarnedOf() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("secret-\(UUID().uuidString)").path
        try "whsec_x\n".write(toFile: path, atomically: true, encoding: .utf8)
        defer { unlink(path) }
        chmod(path, 0o644)
        #expect(SecretFile.warning(path)?.contains("chmod o-r") == true)
        #expect(!SecretFile.advice(path).contains("a+r"))
    }
}

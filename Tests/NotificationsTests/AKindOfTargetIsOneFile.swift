import Folders
import Testing

@testable import Notifications

/// A kind that nobody has but this test: what every kind gets, and what is its own.
private struct Pigeon: FileReceiver {
    static let word = "pigeon"
    static let example = "https://LOFT/RING"
    static let keys = ["ring", "seed-file"]
    static let allowance = Allowance(perHour: 1, perDay: 2)

    let ring: String

    static func check(_ address: WebAddress) throws(BadValue) {
        guard address.path.count > 1 else { throw BadValue("url: it ends with a ring") }
    }

    init(_ file: inout TargetFile.Reading) throws(BadValue) {
        guard let setting = file["ring"] else { throw BadValue("it has no ring") }
        ring = setting.value
        if ring == "none" { file.refuse("a pigeon has a ring", setting) }
    }

    func tell(_ told: Outgoing, by request: inout HTTPRequest, at now: Int64) {
        request.headers.append(("X-Ring", ring))
        request.body = Array(told.title.utf8)
    }

    func meaning(of answer: HTTPAnswer) -> AnswerMeaning? {
        switch answer.status {
        case 200: .refused("the pigeon came back")
        case 404: .explained("no loft")
        case 207: .partly("one of two")
        default: nil
        }
    }
}

@Suite struct AKindOfTargetIsOneFile {
    private let kinds = Target.Kind.all + [Pigeon.self]

    private func read(_ text: String) -> TargetFile {
        TargetFile(text, name: "loft", path: "/nonexistent/loft.conf", kinds: kinds)
    }

    @Test func itsKeysAreRead() throws {
        let file = read("kind = pigeon\nurl = https://x/r\nring = 7\nretry-for = 1h\nheader = X-One: 1")
        let target = try #require(file.target, "\(file.mistakes)")
        #expect(target.kind == Target.Kind(Pigeon(ring: "7")) && target.kind != Target.Kind(Pigeon(ring: "8")))
        #expect(target.kind.word == "pigeon" && target.retryFor == 3_600_000)
        #expect(target.allowance == Allowance(perHour: 1, perDay: 2))
        let request = target.request(for: .test(of: "loft", at: 0, link: nil), at: 0)
        #expect(request.headers.map(\.name) == ["X-One", "X-Ring"] && request.body?.isEmpty == false)
    }

    @Test(
        arguments: [
            ("kind = pigeon", nil, "https://LOFT/RING"), ("kind = pigeon\nurl = https://x/", 2, "ends with a ring"),
            ("kind = pigeon\nurl = https://x/r", 2, "has no ring"),
            ("kind = pigeon\nurl = https://x/r\nring = none", 3, "a pigeon has a ring"),
            ("kind = pigeon\nurl = https://x/r\nring = 7\nevery = 5m", 4, "alive only"),
            ("kind = ntfy\nurl = https://x/t\nring = 7", 3, "pigeon only"),
            ("kind = alive\nurl = https://x/t\nper-day = 3", 3, "webhook and ntfy and apprise and pigeon only"),
            ("kind = pigeon\nurl = https://x/r\nrimg = 7", 3, "did you mean \"ring\"?"),
            ("kind = pidgin\nurl = https://x/r", 1, "alive, pigeon"),
        ] as [(String, Int?, String)])
    func itsMistakesAreNamed(text: String, line: Int?, words: String) {
        let file = read(text)
        #expect(file.target == nil)
        #expect(file.mistakes.contains { $0.line == line && $0.text.contains(words) }, "\(file.mistakes)")
    }

    @Test func itsSecretIsKnown() {
        let file = read("kind = pigeon\nurl = https://x/r\nring = 7\nseed-file = seed.secret")
        #expect(file.secrets == ["/nonexistent/seed.secret"])
    }

    @Test(arguments: [(200, "refused"), (204, "arrived"), (207, "partly"), (404, "refused"), (500, "failed")])
    func itsAnswersMeanWhatItSays(status: Int, meaning: String) throws {
        let target = Target("loft", Target.Kind(Pigeon(ring: "7")), try WebAddress("https://x/r"))
        let verdict = "\(SendQueue.Verdict(.answered(status: status, retryAfter: nil), of: target, at: 0))"
        #expect(verdict.hasPrefix(meaning))
        #expect(status != 404 || verdict.contains("x answered 404 (no loft)"))
    }
}

extension Pigeon {
    init(ring: String) { self.ring = ring }
}

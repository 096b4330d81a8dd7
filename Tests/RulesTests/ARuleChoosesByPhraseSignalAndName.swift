import MeshModel
import Search
import Testing

@testable import Rules

/// `phrase`, `snr` and `named` are conditions of any rule.
@Suite struct ARuleChoosesByPhraseSignalAndName {
    private func conditions(_ text: String) throws -> Conditions {
        let file = RuleFile(text, name: "rule", path: "")
        return try #require(file.rule, "\(file.mistakes)").conditions
    }

    private let mesh = FakeMesh()

    @Test func aPhraseIsTheWholeText() throws {
        try mesh.use(["rule": "when = message\nphrase = weather {city}\nphrase = zip {z:[0-9]{5}}"])
        try mesh.start()
        for (id, text) in ["WEATHER Bern", "the weather Bern", "zip 12345", "zip 1"].enumerated() {
            try mesh.write(text, id: PacketID(id + 1))
        }
        #expect(mesh.firings.map(\.row.body) == ["WEATHER Bern", "zip 12345"])
        let rule = try #require(mesh.engine.active.first).rule
        #expect(Set(mesh.near.all(of: rule).map(\.condition)) == ["none of its phrases"])
    }

    @Test func theFirstThatFitsCounts() throws {
        let phrases = try conditions("when = message\nphrase = w {city}\nphrase = w {place} {day}\nphrase = {any}")
            .phrases
        #expect(phrases.names == ["city", "place", "day", "any"])
        #expect(phrases.found(in: PatternText("w New York")) == ["city": "New York"])
        #expect(phrases.found(in: PatternText("hello")) == ["any": "hello"])
        #expect(phrases.found(in: PatternText(" ")) == nil)
    }

    @Test func muteConversationsAreHeard() throws {
        #expect(try conditions("when = message\nphrase = sos").hearsMuted)
        #expect(try !conditions("when = message\nsnr = above 1").hearsMuted)
    }

    @Test func howWellItWasReceived() throws {
        try mesh.use(["good": "when = message\nsnr = above -10", "weak": "when = message\nsnr = below -10 dB"])
        try mesh.start()
        for (id, snr) in [-9.5, -10, -10.25, nil].enumerated() {
            try mesh.write("\(id)", id: PacketID(id + 1)) { $0.rxSNR = snr }
        }
        #expect(mesh.firings.map { "\($0.row.rule ?? ""): \($0.row.body)" } == ["good: 0", "weak: 2"])
        let rule = try #require(mesh.engine.active.first { $0.rule.name == "good" }).rule
        let near = mesh.near.all(of: rule).map(\.condition)
        #expect(near == ["SNR unknown, wanted above -10", "SNR -10.25, wanted above -10", "SNR -10, wanted above -10"])
    }

    @Test func whoHasToldAName() throws {
        try mesh.use(["rule": "when = message\nnamed = yes"])
        try mesh.start()
        let stranger = NodeNumber(0x77)
        try mesh.write("a", from: stranger, id: 1)
        try mesh.write("b", from: anna, id: 2)
        try mesh.hear(stranger) { $0.shortName = "ST" }
        try mesh.write("c", from: stranger, id: 3)
        #expect(mesh.firings.map(\.row.body) == ["b", "c"])
        let rule = try #require(mesh.engine.active.first).rule
        #expect(mesh.near.all(of: rule).map(\.condition) == ["it has told no name"])
    }
}

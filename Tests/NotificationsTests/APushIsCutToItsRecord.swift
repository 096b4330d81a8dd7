import JSON
import MeshModel
import Testing

@testable import Notifications

@Suite struct APushIsCutToItsRecord {
    private func told(_ title: String, _ body: String) -> Outgoing {
        Outgoing(id: "3e1c8a52-0000-4000-8000-0123456789ab", at: 0, type: "direct-message", title: title, body: body)
    }

    /// Of every length around the longest, and of characters of one to many bytes.
    @Test(arguments: ["x", "ä", "€", "😀", "👩‍👩‍👧‍👦", "\"", "\\", "\n", "\u{1}", "\u{2028}", "e\u{301}"])
    func itsTextIsCutBehindACharacter(character: String) throws {
        var lengths: Set<Int> = []
        for count in Array(0..<40) + Array(3_600..<4_200) where count * character.utf8.count < 30_000 {
            let text = String(repeating: character, count: count)
            let bytes = PushBody.bytes(of: told("Direct message from Anna", text))
            #expect(bytes.count <= 3_993)
            lengths.insert(bytes.count)
            let body = try #require(JSONValue(bytes)?["body"]?.string)
            guard body != text else { continue }
            #expect(body.last == "…" && text.hasPrefix(body.dropLast()), "\(count)")
            #expect(bytes.count > 3_993 - 6 * 40, "\(bytes.count)")
        }
        if character == "x" { #expect(lengths.max() == 3_993) }
    }

    @Test func aLongTitleIsCut() throws {
        let json = try #require(JSONValue(PushBody.bytes(of: told(String(repeating: "ü", count: 3_000), "text"))))
        #expect(json["title"]?.string.map { $0.utf8.count <= 400 && $0.last == "…" } == true)
        #expect(json["body"]?.string == "text")
    }

    /// One character that is longer than a record.
    @Test func aCharacterThatFillsIt() throws {
        let text = "a" + String(repeating: "\u{301}", count: 5_000)
        let bytes = PushBody.bytes(of: told("Anna", text))
        #expect(bytes.count <= 3_993 && JSONValue(bytes)?["body"]?.string == "…")
    }

    @Test(arguments: [
        ("direct-message", "Direct message from Anna", "A message from Anna"),
        ("message", "Anna on Hikers", "Anna on Hikers"),
        ("battery", "Hut: battery 5 %", "Hut: battery 5 %"),
    ]) func inAFewWords(type: String, title: String, short: String) throws {
        var told = told(title, "a long text")
        (told.type, told.isShort) = (type, true)
        let json = try #require(JSONValue(PushBody.bytes(of: told)))
        #expect(json["title"]?.string == short && json["body"]?.string == "")
    }

    @Test func whatIsUrgent() {
        var one = told("a", "b")
        #expect(one.isUrgent)
        one.type = "battery"
        #expect(!one.isUrgent)
        one.priority = .high
        #expect(one.isUrgent)
    }
}

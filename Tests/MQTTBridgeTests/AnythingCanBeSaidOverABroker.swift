import Foundation
import Testing

@testable import MQTTBridge

/// Payloads of others, and what is made of them.
@Suite struct AnythingCanBeSaidOverABroker {
    private func heard(_ payload: [UInt8], _ properties: [UserProperty] = []) -> HeardText? {
        var message = IncomingMessage("club/talk", payload)
        message.properties = properties
        return HeardText(message)
    }

    private func heard(_ text: String, _ properties: [UserProperty] = []) -> HeardText? {
        heard(Array(text.utf8), properties)
    }

    @Test func aRawTextIsWrittenByItsTopic() {
        let text = heard("Servus\n\tbeinander")
        #expect(text?.text == "Servus\n\tbeinander" && text?.writer == "club/talk" && text?.id == nil)
    }

    @Test func anObjectSaysWhoAndWhich() {
        let text = heard(#" {"text":"Servus","from":"Ann","id":"a-1","more":[1]}"#)
        #expect(text?.text == "Servus" && text?.writer == "Ann" && text?.id == "a-1")
        // What is beside the payload counts more.
        let other = heard(#"{"text":"Servus","from":"Ann","id":"a-1"}"#, [.init("id", "b-2"), .init("from", "Bert")])
        #expect(other?.writer == "Bert" && other?.id == "b-2")
    }

    @Test(arguments: [
        #"{"text":5,"from":"Ann"}"#, #"{"msg":"Servus"}"#, #"["text"]"#, #"{"text":"x""#, "{",
        String(repeating: "[", count: 20_000), #"{"text":"#.appending(String(repeating: "[", count: 20_000)),
    ])
    func whatIsNoSuchObjectIsATextAsItCame(payload: String) {
        #expect(heard(payload)?.text == String(payload.prefix(16_384)) + (payload.utf8.count > 16_384 ? "…" : ""))
        #expect(heard(payload)?.writer == "club/talk")
    }

    @Test func controlCharactersGo() {
        #expect(heard("a\u{0}b\u{7}c\u{1B}[31md\u{85}e\r\nf\tg\u{7F}")?.text == "abc[31mde\nf\tg")
        #expect(heard("x", [.init("from", "\u{7}A\nnn")])?.writer == "A\nnn")
    }

    @Test(arguments: ["", " \n\t ", "\u{0}\u{1}", #"{"text":""}"#, #"{"text":" "}"#])
    func nothingIsNoText(payload: String) { #expect(heard(payload) == nil) }

    @Test func bytesThatAreNoTextAreCounted() {
        #expect(heard([0xFF, 0xFE, 0x00])?.text == "[3 bytes]")
        // A surrogate, an overlong slash.
        #expect(heard([0xED, 0xA0, 0x80])?.text == "[3 bytes]")
        #expect(heard([0xC0, 0xAF])?.text == "[2 bytes]")
    }

    @Test func aLongTextIsCutBetweenCharacters() {
        #expect(heard(String(repeating: "a", count: 16_384))?.text.count == 16_384)
        let cut = heard("x" + String(repeating: "ü", count: 200_000))
        #expect(cut?.text == "x" + String(repeating: "ü", count: 8_191) + "…")
        #expect(heard(String(repeating: "👨‍👩‍👧‍👦", count: 5_000))?.text.hasSuffix("👨‍👩‍👧‍👦…") == true)
        // One character, of 250 kB.
        let marks = heard("a" + String(repeating: "\u{301}", count: 125_000))
        #expect(marks?.text == "a" + String(repeating: "\u{301}", count: 8_191) + "…")
    }

    @Test(arguments: [
        String(repeating: "i", count: 129), String(repeating: "i", count: 5_000), "", "a b", "ü", "a\nb", "\u{202E}x",
    ])
    func anIDThatIsNoneIsNone(id: String) {
        #expect(heard("x", [.init("id", id)])?.id == nil)
        #expect(heard("x", [.init("id", id)])?.text == "x")
    }

    @Test func aWritersNameIsCut() {
        #expect(
            heard("x", [.init("from", String(repeating: "n", count: 5_000))])?.writer
                == String(repeating: "n", count: 64))
        #expect(heard("x", [.init("from", "  ")])?.writer == "club/talk")
        let marks = heard("x", [.init("from", "a" + String(repeating: "\u{301}", count: 100_000))])
        #expect(marks?.writer == "a" + String(repeating: "\u{301}", count: 127) + "…")
    }

    @Test func aTopicIsCut() {
        let text = HeardText(IncomingMessage("club/\u{1B}" + String(repeating: "t", count: 60_000), Array("x".utf8)))
        #expect(text?.topic == "club/" + String(repeating: "t", count: 1_019) + "…")
        #expect(text?.writer == text?.topic)
    }

    @Test func anAllowanceFillsUpAgain() {
        var allowance = BrokerAllowance.ofOne
        #expect((1...3_000).count { _ in allowance.take(at: 1_000) } == 2_000)
        // Ten a minute.
        #expect((1...100).count { _ in allowance.take(at: 61_000) } == 10)
        #expect((1...3_000).count { _ in allowance.take(at: 86_400_000) } == 2_000)
    }
}

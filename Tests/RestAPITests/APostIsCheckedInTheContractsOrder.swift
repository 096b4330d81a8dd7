import JSON
import MeshModel
import Routes
import Testing

@testable import RestAPI

@Suite struct APostIsCheckedInTheContractsOrder {
    private func posted(_ text: String) throws -> PostedMessage {
        try PostedMessage(try JSONParser.parse(Array(text.utf8)))
    }

    static let noText = "Message text is required"
    static let both = "Provide either channel OR toNodeId, not both"
    static let neither = "Either channel or toNodeId is required"
    static let channel = "Channel must be a number between 0 and 7"
    static let node = "toNodeId must be a hex string starting with ! (e.g., !a1b2c3d4)"
    static let hex = "Invalid node ID format"
    static let reply = "replyId must be a number"
    static let noReply = "emoji needs the replyId of a message"

    /// body -> message of the 400
    @Test(arguments: [
        // 1 the text comes first, whatever else is wrong
        ("{}", noText), ("[]", noText), (#"{"text":5,"channel":99}"#, noText), (#"{"text":" \n","channel":0}"#, noText),
        (#"{"text":null,"channel":0}"#, noText), (#"{"text":"\u0000\u0007","channel":0}"#, noText),
        // 2, 3 both or neither; a null is absent
        (#"{"text":"a","channel":99,"toNodeId":5}"#, both), (#"{"text":"a"}"#, neither),
        (#"{"text":"a","channel":null,"toNodeId":null}"#, neither),
        // 4
        (#"{"text":"a","channel":8}"#, channel), (#"{"text":"a","channel":-1}"#, channel),
        (#"{"text":"a","channel":""}"#, channel), (#"{"text":"a","channel":true}"#, channel),
        (#"{"text":"a","channel":1e999}"#, channel), (#"{"text":"a","channel":"x"}"#, channel),
        (#"{"text":"a","channel":9,"replyId":"x"}"#, channel), (#"{"text":"a","channel":{}}"#, channel),
        (#"{"text":"a","channel":"0x"}"#, channel), (#"{"text":"a","channel":"0x8"}"#, channel),
        (#"{"text":"a","channel":"0x-1"}"#, channel), (#"{"text":"a","channel":"0x1g"}"#, channel),
        (#"{"text":"a","channel":"3x"}"#, channel),
        (#"{"text":"a","channel":" 3"}"#, channel), (#"{"text":"a","channel":"+3"}"#, channel),
        // 5, 6
        (#"{"text":"a","toNodeId":"abcdef12"}"#, node), (#"{"text":"a","toNodeId":2882400018}"#, node),
        (#"{"text":"a","toNodeId":""}"#, node), (#"{"text":"a","toNodeId":"!"}"#, hex),
        (#"{"text":"a","toNodeId":"!zz"}"#, hex), (#"{"text":"a","toNodeId":"!123456789"}"#, hex),
        (#"{"text":"a","toNodeId":"!00000000"}"#, hex),
        // 7
        (#"{"text":"a","channel":0,"replyId":"5"}"#, reply), (#"{"text":"a","channel":0,"replyId":true}"#, reply),
        (#"{"text":"a","channel":0,"replyId":-1}"#, reply), (#"{"text":"a","channel":0,"replyId":4294967296}"#, reply),
        (#"{"text":"a","channel":0,"replyId":0.5}"#, reply),
        // 8 a reaction to nothing
        (#"{"text":"👍","channel":0,"emoji":1}"#, noReply), (#"{"text":"👍","channel":0,"emoji":true}"#, noReply),
        (#"{"text":"👍","channel":0,"emoji":1,"replyId":null}"#, noReply),
        (#"{"text":"👍","channel":0,"emoji":1,"replyId":0}"#, noReply),
    ])
    func refused(_ body: String, _ message: String) {
        #expect(throws: APIError.badRequest(message)) { try posted(body) }
    }

    /// body -> destination
    @Test(
        arguments: [
            (#"{"text":"a","channel":0}"#, .channel(0)), (#"{"text":"a","channel":"3"}"#, .channel(3)),
            // Never on channel 0, where everybody reads it.
            (#"{"text":"a","channel":"0x1"}"#, .channel(1)), (#"{"text":"a","channel":"0X07"}"#, .channel(7)),

            (#"{"text":"a","channel":3.9}"#, .channel(3)), (#"{"text":"a","channel":7,"toNodeId":null}"#, .channel(7)),
            (#"{"text":"a","toNodeId":"!ABCDEF12","replyId":null}"#, .node(NodeNumber(0xABCD_EF12))),
            (#"{"text":"a","toNodeId":"!12zz"}"#, .node(NodeNumber(0x12))),
            (#"{"text":"a","toNodeId":"!000000000012"}"#, .node(NodeNumber(0x12))),
            // everybody is not somebody: it is the primary channel, and shown as that
            (#"{"text":"a","toNodeId":"!ffffffff"}"#, .channel(0)),
        ] as [(String, PostedMessage.Destination)])
    func accepted(_ body: String, _ destination: PostedMessage.Destination) throws {
        #expect(try posted(body).destination == destination)
    }

    @Test func theTextIsTrimmedAndFreedOfControlCharacters() throws {
        #expect(try posted(#"{"text":" a\r\nb\rc\t\u0000\u001bd\u0085 ","channel":0}"#).text == "a\nb\nc\td")
        #expect(try posted(#"{"text":"👨‍👩‍👧 é","channel":0}"#).text == "👨‍👩‍👧 é")
    }

    /// Without `emoji` it is guessed.
    @Test(arguments: [("👍", true), ("ok", false)]) func withoutAWord(_ text: String, _ isTapback: Bool) throws {
        #expect(try posted(#"{"text":"\#(text)","channel":0,"replyId":7}"#).isTapback == isTapback)
    }

    /// text, replyId, emoji -> a tapback?
    @Test(arguments: [
        ("👍", "7", "null", true), ("👍🏽", "7", "null", true), ("❤️", "7", "null", true), ("❤", "7", "null", true),
        ("👨‍👩‍👧‍👦", "7", "null", true), ("🇨🇭", "7", "null", true), ("1️⃣", "7", "null", true),
        ("👍", "null", "null", false), ("👍", "0", "0", false), ("👍", "null", "false", false),
        // said to be none
        ("👍", "7", "0", false), ("👍", "7", "false", false), ("❤️", "7", "0", false),
        ("👍👍", "7", "null", false), ("1", "7", "null", false),
        ("#", "7", "null", false), ("©", "7", "null", false), ("ok", "7", "null", false), ("é", "7", "null", false),
        ("☎\u{FE0E}", "7", "null", false), ("ok", "7", "1", true), ("ok", "7", "true", true), ("ok", "7", "0", false),
    ])
    func tapbacks(_ text: String, _ replyID: String, _ emoji: String, _ isTapback: Bool) throws {
        let message = try posted(#"{"text":"\#(text)","channel":0,"replyId":\#(replyID),"emoji":\#(emoji)}"#)
        #expect(message.isTapback == isTapback)
    }
}

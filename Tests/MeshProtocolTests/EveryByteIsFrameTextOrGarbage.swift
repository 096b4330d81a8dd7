import MeshProtocol
import Testing

/// The framer's rules, one row an example.
///
/// Legend: R is a whole frame (`rebooted`), C another (`config_complete_id`); `H n` a header that declares n bytes.
/// Each row is fed at once, byte by byte and in random chunks, and must sound the same each time.
@Suite struct EveryByteIsFrameTextOrGarbage {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var heard: [Heard]

        init(_ name: String, _ parts: [[UInt8]], _ heard: [Heard]) {
            (testDescription, bytes, self.heard) = (name, Array(parts.joined()), heard)
        }
    }

    static let r: [UInt8] = bytes("94 c3 00 02 40 01")
    static let c: [UInt8] = bytes("94 c3 00 04 38 ac 9e 04")
    static let rebooted = Heard.frame(bytes("40 01"))
    static let complete = Heard.frame(bytes("38 ac 9e 04"))
    static func header(_ length: Int) -> [UInt8] { [0x94, 0xC3, UInt8(length >> 8), UInt8(length & 255)] }
    static func text(_ text: String) -> [UInt8] { Array(text.utf8) }
    static let red = "\u{1B}[31m"

    /// A frame whose payload holds 94 C3 and looks like a header: text of a packet.
    static let payloadWithMagic: [UInt8] = bytes("12 12 22 10 08 01 12 0c 94 c3 00 02 40 01 94 c3 94 c3 ff ff")

    static let rows: [Row] = [
        Row("nothing", [], []),
        Row("R", [r], [rebooted]),
        Row("R R C", [r, r, c], [rebooted, rebooted, complete]),
        Row("an empty frame is a frame", [header(0), r], [.frame([]), rebooted]),
        Row("94 before a frame", [[0x94], r], [.garbage(1), rebooted]),
        Row("94 94 94 before a frame", [[0x94, 0x94, 0x94], r], [.garbage(3), rebooted]),
        Row("94 C3 before a frame", [[0x94, 0xC3], r], [.garbage(2), rebooted]),
        Row("half a header before a frame", [[0x94, 0xC3, 0x00], r], [.garbage(3), rebooted]),
        Row("length 513", [header(513), r], [.garbage(4), rebooted]),
        Row("length 65535", [header(65535), r], [.garbage(4), rebooted]),
        Row("length 512, and it is one", [header(512), largest], [.frame(largest)]),
        Row("magic inside a payload", [header(20), payloadWithMagic, r], [.frame(payloadWithMagic), rebooted]),
        Row("a frame inside a damaged frame", [header(12), r, r, c], [.garbage(4), rebooted, rebooted, complete]),
        Row(
            "a frame that begins inside a damaged frame and ends behind it", [header(3), r, c],
            [.garbage(4), rebooted, complete]),
        Row(
            "cut off, then whole ones", [header(40), bytes("12 26 0d"), c, c, c, c, c, r],
            [.garbage(7), complete, complete, complete, complete, complete, rebooted]),
        Row(
            "a plain line behind a frame inside a damaged frame", [header(10), r, text("boot\n"), r],
            [.garbage(4), rebooted, .text("boot"), rebooted]),
        Row(
            "what lacks its 94 behind a frame inside a damaged frame", [header(12), r, [0x41], r.dropFirst() + [], r],
            [.garbage(4), rebooted, .garbage(6), rebooted]),
        Row(
            "text that breaks off before a damaged frame", [text("boot"), header(513), r],
            [.text("boot"), .garbage(4), rebooted]),
        Row("a cut frame at the end", [r, header(40), bytes("12 26 0d")], [rebooted, .garbage(7)]),
        Row(
            "text around a frame", [text("INFO  | up\r\n"), r, text("more\n")],
            [.text("INFO  | up"), rebooted, .text("more")]),
        Row(
            "a line that a frame cuts", [text("INFO  | u"), r, text("p\r\n")],
            [.text("INFO  | u"), rebooted, .text("p")]),
        Row("colours", [text("\(red)ERROR \u{1B}[0m| no\r\n")], [.text("ERROR | no")]),
        Row("what could move a cursor", [text("a\u{1B}c\tb\rc\n")], [.text("a\\x1bc\\x09b\\x0dc")]),
        Row("an unfinished line", [text("rst:0x1 (POWERON)")], [.text("rst:0x1 (POWERON)")]),
        Row(
            "a line without end", [Array(repeating: 97, count: 1030)],
            [.text(String(repeating: "a", count: 512)), .text(String(repeating: "a", count: 512)), .text("aaaaaa")]),
        Row("binary outside a frame", [text("x"), [0, 1, 2, 0x80], text("y\n"), r], [.garbage(7), rebooted]),
        Row(
            "coloured text inside a frame",
            [header(12), bytes("2a 0a 3a 08"), text("\(red)DEBUG | a\r\n"), bytes("08 01 18 01 20 40 28 01"), r],
            [.garbage(8), .text("DEBUG | a"), .garbage(8), rebooted]),
        Row(
            "a whole plain line inside a frame, after its first line end",
            [header(9), bytes("2a 0a 3a"), text("rst:0x1\r\nboot\r\n"), r],
            [.garbage(16), .text("boot"), rebooted]),
        Row(
            "power lost in a frame: the next boot lies in its body",
            [header(8), r, text("\(red)INFO  | boot\r\n"), r], [.garbage(4), rebooted, .text("INFO  | boot"), rebooted]),
    ]

    /// A log record of exactly 512 bytes.
    static let largest: [UInt8] = {
        let message = FromRadio.logRecord(
            .init(message: String(repeating: "x", count: 506), time: 0, source: "", level: 0))
        return message.encoded()
    }()

    @Test(arguments: rows) func row(_ row: Row) {
        var random = Seeded(1)
        #expect(listen(to: row.bytes) { row.bytes.count }.heard == row.heard, "at once")
        #expect(listen(to: row.bytes) { 1 }.heard == row.heard, "byte by byte")
        for _ in 0..<50 {
            let heard = listen(to: row.bytes) { Int.random(in: 1...9, using: &random) }.heard
            #expect(heard == row.heard, "in random chunks")
        }
    }

    @Test func counters() {
        let bytes = Array([Self.header(600), Self.r, Self.header(3), Self.c, Self.header(9), [1]].joined())
        let counters = listen(to: bytes) { 7 }.decoder.counters
        #expect(counters.frames == 2)
        #expect(counters.oversize == 1)
        #expect(counters.undecodable == 1)
        #expect(counters.timeouts == 1)
        #expect(counters.garbageBytes == 4 + 4 + 5)
        #expect(counters.textBytes == 0)
    }

    /// 512 bytes are waited for, 513 are not.
    @Test func theLongestFrame() {
        #expect(StreamFrame.encode(Self.largest) == Self.header(512) + Self.largest)
        var listener = Listener()
        listener.feed(Self.header(512))
        #expect(listener.decoder.counters.oversize == 0)
        listener.feed(Self.largest)
        listener.feed(Self.header(513))
        #expect(listener.decoder.counters.oversize == 1)
        listener.end()
        #expect(listener.heard == [.frame(Self.largest), .garbage(4)])
        #expect(listener.decoder.counters.timeouts == 0)
    }

    /// The radio would take the rest of it for debug text, or for another frame.
    @Test func aLongerOneIsAMistakeOfThisProgram() async {
        await #expect(processExitsWith: .failure) { _ = StreamFrame.encode([UInt8](repeating: 0, count: 513)) }
    }
}

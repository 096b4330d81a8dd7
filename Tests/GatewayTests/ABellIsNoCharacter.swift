import MeshModel
import MeshProtocol
import Store
import Testing

/// Apps and sensors put a BEL into a text that is to ring. Clients would show it as a box with a question mark.
@Suite struct ABellIsNoCharacter {
    /// payload, port, text, rings
    static let rows: [(payload: String, port: PortNumber, text: String, isAlert: Bool)] = [
        ("fire\u{7}", .textMessage, "fire", true), ("\u{7}fi\u{7}re", .textMessage, "fire", true),
        ("\u{7}", .textMessage, "\u{1F514}", true), ("fire", .textMessage, "fire", false),
        ("fire\u{7}", .alert, "fire", true), ("fire", .alert, "fire", true),
        ("door\u{7}", .detectionSensor, "door", true), ("a\u{8}b", .textMessage, "a\u{FFFD}b", false),
    ]

    @Test(arguments: rows.indices) func itIsLeftOutAndSaid(_ place: Int) throws {
        let row = Self.rows[place]
        let test = try TestGateway()
        try test.hear(.text(row.payload, from: bob, id: 7) { _, data in data.port = row.port })
        let source = try test.source
        for message in [
            try #require(try test.store.read { try $0.message(packetID: 7, from: bob, in: source) }),
            try #require(try test.messages().first),
        ] {
            #expect(message.text == row.text && message.isAlert == row.isAlert && message.port == row.port)
        }
    }

    /// It is the same text, by whatever way it comes again.
    @Test func aRepetitionIsTheSameMessage() throws {
        let test = try TestGateway()
        for _ in 0..<2 { try test.hear(.text("fire\u{7}", from: bob, id: 7)) }
        #expect(try test.messages().map(\.text) == ["fire"])
    }
}

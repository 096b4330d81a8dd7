import Foundation
import MeshModel
import Testing

@testable import RestAPI
@testable import Store

/// A client that shows chats as SimpleX does: the newest page, then what is before a message, after it, or around it. It
/// reads 100,000 messages, and what it has put together is the plain list.
@Suite struct AClientPagesThroughAConversation {
    /// Every tenth is a direct one, in turn from the peer and to it. Three came at each moment.
    private static let count = 100_000
    private static let friend = NodeNumber(0x0000_0777)

    private static func filled() throws -> TestGateway {
        let test = try TestGateway()
        let (id, now) = (test.id, TestGateway.now)
        try test.store.commit { writer in
            try writer.connection.execute(
                """
                WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(Self.count))
                INSERT INTO messages (source, from_node, packet_id, occurrence, to_node, channel, text, port, is_own,
                    timestamp, is_tapback, via_store_forward, pki_encrypted, spoof_suspected, created_at, updated_at)
                SELECT \(id.rawValue), iif(n % 20 = 10, \(TestGateway.own.rawValue), \(TestGateway.peer.rawValue)), n, 0,
                    iif(n % 20 = 10, \(TestGateway.peer.rawValue),
                        iif(n % 20 = 0, \(TestGateway.own.rawValue), 4294967295)),
                    iif(n % 10 = 0, -1, 0), 'text ' || n, 1, n % 20 = 10, \(now) + n / 3, 0, 0, 0, 0,
                    \(now) + n / 3, \(now) + n / 3
                FROM numbers
                """)
        }
        return test
    }

    /// Newest first.
    private static func packets(_ isIn: (Int) -> Bool = { _ in true }) -> [Int] {
        (1...count).reversed().filter(isIn)
    }

    private struct Page {
        var packets: [Int]
        var first: String?
        var last: String?
        var hasBefore: Bool
        var hasAfter: Bool
    }

    private static func page(_ test: TestGateway, _ query: String) throws -> Page {
        let answer = try test.get("/api/v1/messages?" + query)
        try #require(answer.status == 200, "\(answer.text.prefix(300))")
        // Without a parser: it would take longer than all else here.
        let parts = answer.text.components(separatedBy: #","data":["#)
        let head = try #require(
            try JSONSerialization.jsonObject(with: Data((parts[0] + "}").utf8)) as? [String: Any])
        let packets = parts[1].components(separatedBy: #"{"id":""#).dropFirst().map { row in
            row.utf8.split(separator: UInt8(ascii: "\""), maxSplits: 1)[0].split(separator: UInt8(ascii: "_")).last!
        }.map { Int(String($0)!)! }
        return Page(
            packets: packets, first: head["first"] as? String, last: head["last"] as? String,
            hasBefore: head["hasBefore"] as! Bool, hasAfter: head["hasAfter"] as! Bool)
    }

    @Test func backwardsForwardsAndFromTheMiddle() throws {
        let test = try Self.filled()

        // From the newest page back to the first message, over all conversations.
        var seen: [Int] = []
        var page = try Self.page(test, "limit=5000&around=\(test.uuid)_\(TestGateway.peer.rawValue)_\(Self.count - 1)")
        #expect(!page.hasAfter)
        while true {
            seen += page.packets
            guard page.hasBefore, let last = page.last else { break }
            page = try Self.page(test, "limit=5000&before=\(last)")
            #expect(page.hasAfter)
        }
        #expect(seen == Self.packets())

        // One conversation, from its oldest message on.
        let chat = Self.packets { $0 % 10 == 0 }
        let direct = "conversation=direct:\(TestGateway.peer.id)"
        func id(_ packet: Int) -> String {
            "\(test.uuid)_\((packet % 20 == 10 ? TestGateway.own : TestGateway.peer).rawValue)_\(packet)"
        }
        let newest = try Self.page(test, direct + "&limit=7")
        #expect(newest.packets == Array(chat.prefix(7)))
        #expect((newest.hasBefore, newest.hasAfter) == (true, false))
        var forwards = [chat.last!]
        while true {
            let page = try Self.page(test, direct + "&limit=999&after=\(id(forwards[0]))")
            forwards = page.packets + forwards
            #expect(page.hasBefore)
            if !page.hasAfter { break }
        }
        #expect(forwards == chat)

        // Around a message at any depth it is in the middle.
        for depth in stride(from: 20, to: chat.count - 20, by: 499) {
            let page = try Self.page(test, direct + "&limit=21&around=\(id(chat[depth]))")
            #expect(page.packets == Array(chat[(depth - 10)...(depth + 10)]))
            #expect((page.first, page.last) == (id(chat[depth - 10]), id(chat[depth + 10])))
            #expect(page.hasBefore && page.hasAfter)
        }
    }

    /// Somebody deletes while a client pages: no request fails, and no message that stays is missed or comes twice.
    @Test func whileMessagesAreDeleted() throws {
        let test = try TestGateway()
        let id = test.id
        for packet in 1...600 as ClosedRange<PacketID> {
            try test.insert("text", packetID: packet, at: TestGateway.now + Int64(packet / 3))
        }
        let store = test.store
        let deleting = Thread {
            for packet in stride(from: 600, to: 0, by: -3) {
                try? store.commit { _ = try $0.deleteMessage(id: "\(packet)", in: id) }
            }
        }
        deleting.start()
        var seen: [Int] = []
        var query = "limit=20&conversation=channel:0"
        while true {
            let answer = try test.get("/api/v1/messages?" + query)
            if answer.status == 404 {
                // The message it went on from is gone: it goes on from the one that it has seen before.
                #expect(answer.message?.contains("is gone") == true, "\(answer.text)")
                #expect(seen.popLast() != nil)
            } else {
                #expect(answer.status == 200, "\(answer.text)")
                seen += try answer.rows.map { try #require($0["id"] as? String) }.map { id in
                    Int(id.split(separator: "_").last!)!
                }
                if try answer.json["hasBefore"] as? Bool == false { break }
            }
            query = "limit=20&conversation=channel:0"
            if let last = seen.last { query += "&before=\(test.uuid)_\(TestGateway.peer.rawValue)_\(last)" }
        }
        #expect(Set(seen).isSuperset(of: (1...600).filter { $0 % 3 != 0 }))
        #expect(seen == Array(Set(seen)).sorted(by: >))
        while !deleting.isFinished { usleep(1000) }
    }
}

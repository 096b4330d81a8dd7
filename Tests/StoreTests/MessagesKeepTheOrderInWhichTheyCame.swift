import MeshModel
import Testing

@testable import Store

@Suite struct MessagesKeepTheOrderInWhichTheyCame {
    private let folder = Folder()
    private let store: Store
    private let source: SourceID

    init() throws { (store, source) = try Store.withSource(folder) }

    /// A message comes when the clock says so.
    private func receive(_ text: String, id: PacketID, at now: Int64) throws {
        let source = source
        try store.commit { writer in
            var message = Message.received(text, id: id, at: now)
            message.createdAt = try writer.receiptTime(now, in: source)
            try writer.insertMessage(message, in: source)
        }
    }

    private func messages() throws -> [Message] {
        try store.read { try $0.messages(MessageQuery(source: source, order: .oldestFirst)) }
    }

    @Test func whateverTheClockIsSetTo() throws {
        let times = [noon, noon + hour, noon - 2 * hour, noon - 2 * hour, 5000, noon + hour, noon + 2 * hour]
        for (place, time) in times.enumerated() { try receive("\(place)", id: PacketID(place + 1), at: time) }
        let messages = try messages()
        #expect(messages.map(\.text) == times.indices.map { "\($0)" })
        #expect(messages.map(\.timestamp) == times)
        // Whoever asks for what came since the newest one gets the next one.
        for (earlier, later) in zip(messages, messages.dropFirst()) { #expect(earlier.createdAt < later.createdAt) }
        #expect(messages.last?.createdAt == noon + 2 * hour)
    }

    @Test func aTickIsNewsAlsoWhenTheClockWasSetBack() throws {
        let source = source
        try store.commit { try $0.insertMessage(.own("hello", to: bob, id: 9), in: source) }
        let newest = try #require(try messages().last?.createdAt)
        try store.commit { writer in
            try writer.updateMessage(packetID: 9, in: source, at: newest - 3 * hour) {
                $0.delivery = Delivery(state: .confirmed)
            }
        }
        let news = try store.read { try $0.messages(MessageQuery(source: source, since: newest)) }
        #expect(news.map(\.packetID) == [9])
    }

    /// When the clock has been right for a day, nothing is left that seems to come from the future.
    @Test func whatAClockThatWasAheadHasStoredIsBroughtBack() throws {
        let source = source
        try receive("first", id: 1, at: noon)
        for place in 0..<10 { try receive("ahead \(place)", id: PacketID(10 + place), at: noon + 4000 * day) }
        try receive("right again", id: 2, at: noon + hour)
        try store.commit { writer in
            for number in 0..<100 as Range<UInt32> {
                try writer.updateNode(NodeNumber(1000 + number), in: source, at: noon) {
                    $0.lastHeard = (noon + 4000 * day) / 1000
                }
            }
        }
        let before = try messages().map(\.text)
        let now = noon + 2 * day
        try store.commit { try $0.pruneOld(now: now) }
        let messages = try messages()
        #expect(messages.map(\.text) == before)
        #expect(messages.allSatisfy { $0.createdAt <= now && $0.timestamp <= now && $0.updatedAt <= now })
        #expect(messages.first?.createdAt == noon)
        let heard = try store.read { try $0.node(NodeNumber(1099), in: source) }?.lastHeard
        #expect(heard == now / 1000)
        try receive("next", id: 3, at: now + 1000)
        #expect(try self.messages().last?.createdAt == now + 1000)
    }
}

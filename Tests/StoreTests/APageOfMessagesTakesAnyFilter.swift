import MeshModel
import Testing

@testable import Store

private let own = NodeNumber(1)

/// 600 messages over five days: three channels and direct ones, three senders, three recipients.
private func filled(_ folder: Folder) throws -> (Store, SourceID, [Message]) {
    let (store, source) = try Store.withSource(folder)
    let messages = (1...600 as ClosedRange<PacketID>).map { id in
        let isDirect = id % 4 == 0
        let time = noon + Int64(id) * 720_000
        return Message(
            id: "\(Source.example.uuid)_\(id % 3 + 1)_\(id)", from: NodeNumber(id % 3 + 1),
            to: isDirect ? NodeNumber(id % 5 + 2) : .broadcast, text: "text \(id)",
            channel: isDirect ? -1 : Int(id % 3), packetID: id, isOwn: id % 3 == 0,
            timestamp: time, delivery: id % 3 == 0 ? Delivery() : nil, createdAt: time, updatedAt: time)
    }
    try store.commit { writer in
        for message in messages { _ = try writer.insertMessage(message, in: source) }
    }
    return (store, source, messages)
}

@Test func aPageOfMessagesTakesAnyFilter() throws {
    let folder = Folder()
    let (store, source, messages) = try filled(folder)
    let sinces: [Int64?] = [nil, -5, 0, noon + 100 * 720_000, noon + 595 * 720_000, noon + day * 30, .min, .max]
    for channel in [nil, 0, 2, -1, 7] as [Int?] {
        for from in [nil, own, NodeNumber(2), NodeNumber(99)] as [NodeNumber?] {
            for to in [nil, .broadcast, NodeNumber(4), NodeNumber(99)] as [NodeNumber?] {
                for since in sinces {
                    let matching = messages.filter { message in
                        (channel == nil || message.channel == channel) && (from == nil || message.from == from)
                            && (to == nil || message.to == to) && (since == nil || message.createdAt > since!)
                    }
                    var query = MessageQuery(
                        source: source, channel: channel, from: from, to: to, since: since, limit: 20)
                    #expect(try store.read { try $0.messages(query) } == matching.reversed().prefix(20).map { $0 })
                    query.order = .oldestFirst
                    #expect(try store.read { try $0.messages(query) } == Array(matching.prefix(20)))
                }
            }
        }
    }
}

@Test func aPageCanEndBeforeATime() throws {
    let folder = Folder()
    let (store, source, messages) = try filled(folder)
    let end = messages[300].createdAt
    for since in [nil, messages[100].createdAt] {
        for channel in [nil, 0] as [Int?] {
            let matching = messages.filter {
                $0.createdAt < end && (since == nil || $0.createdAt > since!)
                    && (channel == nil || $0.channel == channel)
            }
            let query = MessageQuery(source: source, channel: channel, since: since, before: end, limit: 50)
            #expect(try store.read { try $0.messages(query) } == matching.reversed().prefix(50).map { $0 })
        }
    }
}

/// A token that may read some channels gets a page of these as if there were no others.
@Test func aPageOfSeveralChannelsIsOneList() throws {
    let folder = Folder()
    let (store, source, messages) = try filled(folder)
    for channels in [[], [1], [0, 2], [-1, 2, 0, 7], [-1, 0, 1, 2, 3]] {
        for channel in [nil, 0, 1] as [Int?] {
            for from in [nil, NodeNumber(2)] as [NodeNumber?] {
                for since in [nil, noon + 100 * 720_000] as [Int64?] {
                    let matching = messages.filter { message in
                        channels.contains(message.channel) && (channel == nil || message.channel == channel)
                            && (from == nil || message.from == from) && (since == nil || message.createdAt > since!)
                    }
                    var query = MessageQuery(
                        source: source, channel: channel, channels: channels, from: from, since: since, limit: 20)
                    #expect(try store.read { try $0.messages(query) } == matching.reversed().prefix(20).map { $0 })
                    query.order = .oldestFirst
                    #expect(try store.read { try $0.messages(query) } == Array(matching.prefix(20)))
                }
            }
        }
    }
}

@Test func limitsAtTheEdgeAreTaken() throws {
    let folder = Folder()
    let (store, source, _) = try filled(folder)
    for (limit, count) in [(0, 0), (-1, 0), (1, 1), (600, 600), (10_000, 600)] {
        #expect(try store.read { try $0.messages(.init(source: source, limit: limit)).count } == count)
    }
    let other = SourceID(rawValue: source.rawValue + 1)
    #expect(try store.read { try $0.messages(.init(source: other)) }.isEmpty)
}

/// A client that polls must see the delivery ticks of messages it has already seen, whenever they come.
@Test func sinceBringsMessagesWhoseDeliveryChanged() throws {
    let folder = Folder()
    let (store, source, messages) = try filled(folder)
    let since = messages.last!.createdAt + hour
    let changed: [PacketID] = [3, 300, 600]
    for id in changed {
        _ = try store.commit { writer in
            try writer.updateMessage(packetID: id, in: source, at: since + 1) { $0.delivery?.state = .confirmed }
        }
    }
    var query = MessageQuery(source: source, since: since)
    #expect(try store.read { try $0.messages(query) }.map(\.packetID) == [600, 300, 3])
    query.order = .oldestFirst
    #expect(try store.read { try $0.messages(query) }.map(\.packetID) == [3, 300, 600])
    query.limit = 2
    #expect(try store.read { try $0.messages(query) }.map(\.packetID) == [3, 300])
    query.order = .newestFirst
    #expect(try store.read { try $0.messages(query) }.map(\.packetID) == [600, 300])
    // Filters hold for these too: 300 and 600 are direct.
    query.channel = -1
    #expect(try store.read { try $0.messages(query) }.map(\.packetID) == [600, 300])
    query.since = since + 1
    #expect(try store.read { try $0.messages(query) }.isEmpty)
}

/// Both sides of the ten minutes after which a delivery counts as late, each found once.
@Test func aDeliveryIsFoundHoweverLongItTook() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let limit = Int64(MessageQuery.lateAfter)
    for (id, delay) in [(1, limit - 1), (2, limit), (3, limit + 1), (4, 1), (5, 30 * day)] as [(PacketID, Int64)] {
        try store.commit { writer in
            _ = try writer.insertMessage(.own("text", id: id), in: source)
            _ = try writer.updateMessage(packetID: id, in: source, at: noon + delay) { $0.delivery?.state = .relayed }
        }
        let ids = { (since: Int64) in
            try store.read { try $0.messages(.init(source: source, since: since)) }.map(\.packetID)
        }
        #expect(try ids(noon + delay - 1).filter { $0 == id } == [id])
        #expect(try !ids(noon + delay).contains(id))
    }
}

/// The page is walked in an index, whatever the filter: no sorting, no scan of the table.
@Test func everyFilterWalksAnIndex() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.read { reader throws in
        for channel in [nil, 0] as [Int?] {
            for from in [nil, alice] as [NodeNumber?] {
                for to in [nil, bob, .broadcast] as [NodeNumber?] {
                    for since in [nil, noon] as [Int64?] {
                        for order in [MessageQuery.Order.newestFirst, .oldestFirst] {
                            let query = MessageQuery(
                                source: source, channel: channel, from: from, to: to, since: since, order: order)
                            let plan = try reader.plan(query.sql())
                            #expect(plan.count == 1 && plan[0].hasPrefix("SEARCH messages USING INDEX"), "\(plan)")
                            #expect(since == nil || plan[0].contains("created_at>?"), "\(plan)")
                        }
                    }
                }
            }
        }
        let late = try reader.plan(MessageQuery(source: source, since: noon).lateSQL())
        #expect(late.first?.contains("messages_late (source=? AND updated_at>?)") == true, "\(late)")
    }
}

extension Reader {
    func plan(_ sql: String) throws -> [String] {
        try connection.once("EXPLAIN QUERY PLAN " + sql).rows { row in
            _ = (row.integer(), row.integer(), row.integer())
            return row.text()
        }
    }
}

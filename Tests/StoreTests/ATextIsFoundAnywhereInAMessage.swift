import MeshModel
import Platform
import Testing

@testable import Store

private let texts = [
    "Good morning mesh", "good night", "Der Bär ÄRGERT sich", "100% \"quoted\" OR NOT", "a", "ok", "東京タワー",
    "emoji 🙂🙂🙂 here",
    "aaaa", "line one\nline two",
]

@Test(arguments: [true, false]) func aTextIsFoundAnywhereInAMessage(isIndexed: Bool) throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    for (place, text) in texts.enumerated() {
        try store.commit { _ = try $0.insertMessage(.received(text, id: PacketID(place + 1)), in: source) }
    }
    // Without the index messages are found one by one; both ways give the same.
    if isIndexed { try store.commit { try $0.indexMessages() } }

    // what to look for, case sensitive, which texts have it (newest first)
    let table: [(String, Bool, [Int])] = [
        ("good", false, [1, 0]), ("good", true, [1]), ("GOOD", true, []), ("ärgert", false, [2]),
        ("ärgert", true, []), ("d n", false, [1]), ("\"quoted\"", false, [3]), ("OR NOT", true, [3]),
        ("100%", false, [3]), ("ok", false, [5]), ("東京タ", false, [6]), ("京", false, [6]), ("🙂🙂🙂", false, [7]),
        ("🙂🙂🙂🙂", false, []), ("aaa", false, [8]), ("aaaaa", false, []), ("one\nline", false, [9]),
        ("*", false, []), ("text:", false, []), ("", false, []), ("morning meshes", false, []),
    ]
    for (text, isCaseSensitive, places) in table {
        let query = SearchQuery(source: source, text: text, isCaseSensitive: isCaseSensitive)
        let found = try store.read { try $0.searchMessages(query) }
        #expect(found.rows.map(\.text) == places.map { texts[$0] }, "\(text)")
        #expect(found.total == places.count, "\(text)")
    }
}

@Test func aSearchTakesFiltersAndPages() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.commit { writer in
        for id in 1...90 as ClosedRange<PacketID> {
            let to = id % 3 == 0 ? bob : .broadcast
            var message = Message.received(
                "needle \(id)", to: to, channel: id % 3 == 0 ? -1 : Int(id % 3), id: id, at: noon + Int64(id))
            if id <= 10 { message.rxTime = noon - hour }
            _ = try writer.insertMessage(message, in: source)
        }
        try writer.indexMessages()
    }
    func found(_ change: (inout SearchQuery) -> Void) throws -> (Int, [PacketID]) {
        var query = SearchQuery(source: source, text: "Needle", limit: 3)
        change(&query)
        let result = try store.read { try $0.searchMessages(query) }
        return (result.total, result.rows.map(\.packetID))
    }
    #expect(try found { _ in } == (90, [90, 89, 88]))
    #expect(try found { $0.offset = 88 } == (90, [2, 1]))
    #expect(try found { $0.scope = .directMessages } == (30, [90, 87, 84]))
    #expect(try found { $0.scope = .channels } == (60, [89, 88, 86]))
    #expect(try found { $0.channels = [1] } == (30, [88, 85, 82]))
    #expect(try found { $0.channels = [] } == (0, []))
    #expect(try found { $0.from = bob } == (0, []))
    #expect(try found { $0.start = noon + 89 } == (2, [90, 89]))
    #expect(try found { $0.end = noon } == (10, [10, 9, 8]))
    #expect(try found { $0.peer = alice } == (30, [90, 87, 84]))
    #expect(try found { $0.peer = bob } == (0, []))
    // Without a text by who, where and when; then the host's time counts.
    #expect(try found { $0.text = "" } == (0, []))
    #expect(try found { ($0.text, $0.channels) = ("", [1]) } == (0, []))
    #expect(try found { ($0.text, $0.from) = ("", alice) } == (90, [90, 89, 88]))
    #expect(try found { ($0.text, $0.from, $0.offset) = ("", alice, 88) } == (90, [2, 1]))
    #expect(try found { ($0.text, $0.from, $0.channels) = ("", alice, [1]) } == (30, [88, 85, 82]))
    #expect(try found { ($0.text, $0.from) = ("", bob) } == (0, []))
    #expect(try found { ($0.text, $0.peer) = ("", alice) } == (30, [90, 87, 84]))
    #expect(try found { ($0.text, $0.start, $0.end) = ("", noon + 5, noon + 7) } == (3, [7, 6, 5]))
    #expect(try found { ($0.text, $0.end, $0.scope) = ("", noon + 7, .directMessages) } == (2, [6, 3]))
    #expect(try found { $0.source = SourceID(rawValue: 99) } == (0, []))
}

/// The index is kept in groups: a message costs one wait for the disk, and its entry comes later.
@Test(.timeLimit(.minutes(10))) func theIndexFollowsWithoutWaitingForTheDisk() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let other = try secondConnection(store)
    try store.commit { _ = try $0.insertMessage(.received("hello", id: 1), in: source) }
    #expect(try other.integer("SELECT indexed FROM search_state") == 0)
    let synced = store.health.syncedCommits
    // The next group takes it along.
    for _ in 0..<64 { store.enqueue(.grouped, { _ in }) }
    let queue = MonotonicClock.nanoseconds() + 30_000_000_000
    while try other.integer("SELECT indexed FROM search_state") == 0, MonotonicClock.nanoseconds() < queue {
        _ = try store.read { try $0.sources() }
    }
    #expect(try other.integer("SELECT indexed FROM search_state") == 1)
    #expect(store.health.syncedCommits == synced)
}

/// Whatever is filtered by, a search takes messages in the order in which they were stored: nothing is sorted first.
@Test func aSearchSortsNothing() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.read { reader throws in
        for from in [nil, alice] as [NodeNumber?] {
            for channels in [nil, [0, 2]] as [[Int]?] {
                let query = SearchQuery(source: source, text: "x", channels: channels, from: from)
                let scan = try reader.plan(query.scanSQL)
                #expect(scan == ["SEARCH m USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"])
                let index = try reader.plan(query.indexSQL)
                #expect(index.count == 2 && index[0].contains("VIRTUAL TABLE INDEX"), "\(index)")
                #expect(index.last == "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)")
            }
        }
    }
}

@Test func aSearchStopsCountingAtItsLimit() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let limit = Reader.searchTotalLimit
    try store.commit { writer in
        for id in 1...PacketID(limit + 100) {
            _ = try writer.insertMessage(.received("needle \(id)", id: id, at: noon + Int64(id)), in: source)
        }
        for _ in 0...limit / Writer.indexBatch { try writer.indexMessages() }
    }
    let query = SearchQuery(source: source, text: "needle", limit: 2, offset: limit - 1)
    let found = try store.read { try $0.searchMessages(query) }
    #expect(found.total == limit)
    #expect(found.rows.map(\.packetID) == [101])
}

@Test func aDamagedIndexStopsNothingElse() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.commit { try $0.connection.execute("DROP TABLE message_search") }
    try store.commit { _ = try $0.insertMessage(.received("hello", id: 1), in: source) }
    for _ in 0..<64 { store.enqueue(.grouped, { try $0.updateNode(alice, in: source, at: noon) { _ in } }) }
    try store.commit { _ in }
    #expect(try store.read { try $0.node(alice, in: source) } != nil)
    #expect(store.health.failingSince == nil)
    #expect(store.health.lastError != nil)
}

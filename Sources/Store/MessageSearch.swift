import MeshModel
import Platform

// Finding a text anywhere in a million messages.
//
// 1. An FTS5 index of trigrams narrows it down; what it names is then compared byte by byte. The index holds no positions
//    (they are most of its size) and no text.
// 2. The index is kept in groups: messages that it does not have yet are looked at one by one. So are the newest ones
//    when a text is too short for a trigram.
// 3. Texts are folded to lower case before they are indexed, by the same function that folds the question.
// 4. One client must not keep the others waiting. A phrase of nothing but common words makes the index walk through most
//    of itself. So the search goes back in time in steps, and takes no further one after nine milliseconds of
//    processor time: the first step of either kind is always taken, and waiting for a slow disk does not count. What is
//    older is then not found.

extension Reader {
    /// Searching ends after so many hits: ``searchMessages(_:)`` then gives this as the total.
    public static let searchTotalLimit = 2_000

    /// How many of the newest messages are looked through one by one at most, and how many in a step.
    static let searchScanLimit: Int64 = 20_000
    static let searchScanStep: Int64 = 1_000

    /// How many messages the index is asked for in its first step.
    static let searchIndexStep: Int64 = 10_000

    /// Nanoseconds of processor time.
    static let searchTime: UInt64 = 9_000_000

    /// Messages that contain a text, newest first.
    ///
    /// A text shorter than three characters is looked for in the newest 20,000 messages only; without a text the newest
    /// 20,000 of the sender, the other node and the dates are looked through.
    ///
    /// - Returns: how many there are, up to ``searchTotalLimit``, and the page that was asked for.
    public func searchMessages(_ query: SearchQuery) throws -> (total: Int, rows: [Message]) {
        var search = RunningSearch(query)
        if query.text.isEmpty {
            if query.isNarrowed { try search.look(at: query.bind(to: connection.once(query.listSQL))) }
            return try found(search, query)
        }
        let trigrams = Self.trigrams(of: query.text.lowercased())
        let newest = try connection.prepare("SELECT ifnull(max(id), 0) FROM messages").first { $0.integer() } ?? 0
        let indexed = try connection.prepare("SELECT indexed FROM search_state").first { $0.integer() } ?? 0
        try scan(for: &search, query, from: newest, downTo: trigrams.isEmpty ? 0 : indexed)
        if !trigrams.isEmpty { try ask(for: &search, query, trigrams, from: min(indexed, newest)) }
        return try found(search, query)
    }

    private func found(_ search: RunningSearch, _ query: SearchQuery) throws -> (total: Int, rows: [Message]) {
        let uuid = try MessageRow.uuid(of: query.source, on: connection)
        let statement = try connection.prepare(
            composed: "SELECT \(MessageRow.columns) FROM messages WHERE id = ?")
        let rows = try search.page.compactMap { id in
            try statement.reset().bind(id).first { MessageRow.read($0, uuid: uuid) }
        }
        return (search.total, rows)
    }

    /// Looks at messages one by one.
    private func scan(
        for search: inout RunningSearch, _ query: SearchQuery, from newest: Int64, downTo last: Int64
    ) throws {
        let last = max(last, newest - Self.searchScanLimit, 0)
        var upper = newest
        guard upper > last else { return }
        let statement = try connection.once(query.scanSQL)
        repeat {
            let lower = max(upper - Self.searchScanStep, last)
            try search.look(at: query.bind(to: statement.reset().bind(lower).bind(upper)))
            upper = lower
        } while upper > last && search.goesOn
    }

    /// Looks at the messages that the index names.
    private func ask(
        for search: inout RunningSearch, _ query: SearchQuery, _ trigrams: [String], from newest: Int64
    ) throws {
        var (upper, step) = (newest, Self.searchIndexStep)
        guard upper > 0 else { return }
        let question = trigrams.map { "\"" + $0 + "\"" }.joined(separator: " AND ")
        let statement = try connection.once(query.indexSQL)
        repeat {
            let (lower, began) = (max(upper - step, 0), search.timeSpent)
            try search.look(at: query.bind(to: statement.reset().bind(question).bind(lower).bind(upper)))
            upper = lower
            // What is rare is found in a few large steps.
            if search.timeSpent - began < Self.searchTime / 10 { step *= 2 }
        } while upper > 0 && search.goesOn
    }

    /// Three characters each, side by side, and the last three. Sixteen narrow it down enough; the rest is compared
    /// anyway.
    static func trigrams(of text: String) -> [String] {
        let scalars = Array(text.unicodeScalars)
        guard scalars.count >= 3 else { return [] }
        let last = scalars.count - 3
        return (Array(stride(from: 0, to: last, by: 3).prefix(15)) + [last]).map { start in
            var trigram = String.UnicodeScalarView()
            for scalar in scalars[start..<(start + 3)] {
                trigram.append(scalar)
                // FTS5 writes a quotation mark inside quotation marks twice.
                if scalar == "\"" { trigram.append(scalar) }
            }
            return String(trigram)
        }
    }
}

extension SearchQuery {
    /// The table in its own order: by an index of the filters' columns, all that such an index names would be sorted.
    var scanSQL: String {
        "SELECT m.id, m.text FROM messages m NOT INDEXED WHERE m.id > ? AND m.id <= ?\(filter) ORDER BY m.id DESC"
    }

    var indexSQL: String {
        """
        SELECT m.id, m.text FROM message_search s CROSS JOIN messages m NOT INDEXED ON m.id = s.rowid
        WHERE message_search MATCH ? AND s.rowid > ? AND s.rowid <= ?\(filter) ORDER BY s.rowid DESC
        """
    }

    /// Something that an index can be asked for.
    var isNarrowed: Bool { from ?? peer != nil || start ?? end != nil }

    /// Without a text: the newest first, as an index has them, and of those no more than ``Reader/searchScanLimit``.
    var listSQL: String {
        var inner = "source = ?"
        if from != nil { inner += " AND from_node = ?" }
        if peer != nil { inner += Self.peerTerm }
        if start != nil { inner += " AND created_at >= ?" }
        if end != nil { inner += " AND created_at <= ?" }
        let index = from != nil ? "messages_from" : peer != nil ? "messages_direct" : "messages_all"
        return """
            SELECT m.id, m.text FROM (
                SELECT id, text, channel FROM messages INDEXED BY \(index) WHERE \(inner)
                ORDER BY created_at DESC, id DESC LIMIT \(Reader.searchScanLimit)
            ) m WHERE 1\(place)
            """
    }

    private static let peerTerm = " AND channel = -1 AND \(MessageQuery.peerColumn) = ?"

    /// What else a message `m` must be, in SQL.
    private var filter: String {
        var sql = " AND m.source = ?"
        if from != nil { sql += " AND m.from_node = ?" }
        if peer != nil { sql += Self.peerTerm }
        if start != nil { sql += " AND ifnull(m.rx_time, m.timestamp) >= ?" }
        if end != nil { sql += " AND ifnull(m.rx_time, m.timestamp) <= ?" }
        return sql + place
    }

    /// Where it must have been said, in SQL.
    private var place: String {
        var sql = ""
        switch scope {
        case .all: break
        case .channels: sql += " AND m.channel <> -1"
        case .directMessages: sql += " AND m.channel = -1"
        }
        if let channels {
            sql += " AND m.channel IN (" + channels.map { "\($0)" }.joined(separator: ", ") + ")"
        }
        return sql
    }

    fileprivate func bind(to statement: Statement) -> Statement {
        statement.bind(source.rawValue)
        if let from { statement.bind(from.rawValue) }
        if let peer { statement.bind(peer.rawValue) }
        if let start { statement.bind(start) }
        if let end { statement.bind(end) }
        return statement
    }
}

/// What a search has found so far.
private struct RunningSearch {
    private(set) var total = 0
    /// Rows of the page that was asked for.
    private(set) var page: [Int64] = []
    private let query: SearchQuery
    private let needle: [UInt8]
    private let began = ThreadProcessorClock.nanoseconds()

    init(_ query: SearchQuery) {
        self.query = query
        needle = Array((query.isCaseSensitive ? query.text : query.text.lowercased()).utf8)
    }

    /// Nanoseconds of this thread on a processor.
    var timeSpent: UInt64 { ThreadProcessorClock.nanoseconds() - began }

    var goesOn: Bool { total < Reader.searchTotalLimit && timeSpent < Reader.searchTime }

    /// Looks at the rows of a step, id and text each.
    mutating func look(at rows: Statement) throws {
        defer { rows.reset() }
        while total < Reader.searchTotalLimit, try rows.step() {
            let id = rows.integer()
            guard rows.withText(contains) else { continue }
            if total >= query.offset, page.count < query.limit { page.append(id) }
            total += 1
        }
    }

    private func contains(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        if query.isCaseSensitive { return text.contains(needle) { $0 } }
        // Lower case by Unicode's rules costs microseconds; most texts are ASCII.
        if text.contains(where: { $0 >= 0x80 }) {
            var folded = String(decoding: text, as: UTF8.self).lowercased()
            return folded.withUTF8 { $0.contains(needle) { $0 } }
        }
        return text.contains(needle) { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// True when `needle` is somewhere in here.
    ///
    /// - Parameter fold: changes a byte of this text before it is compared.
    @inline(__always)
    fileprivate func contains(_ needle: [UInt8], fold: (UInt8) -> UInt8) -> Bool {
        guard let first = needle.first else { return true }
        guard count >= needle.count else { return false }
        for start in 0...(count - needle.count) where fold(self[start]) == first {
            var place = 1
            while place < needle.count, fold(self[start + place]) == needle[place] { place += 1 }
            if place == needle.count { return true }
        }
        return false
    }
}

extension Writer {
    /// How many messages are taken into the search index in one go.
    static let indexBatch = 500

    /// Takes messages into the search index that are not there yet, the oldest first, at most ``indexBatch``.
    func indexMessages() throws {
        let indexed = try connection.prepare("SELECT indexed FROM search_state").first { $0.integer() } ?? 0
        let messages = try connection.prepare("SELECT id, text FROM messages WHERE id > ? ORDER BY id LIMIT ?")
            .bind(indexed).bind(Self.indexBatch).rows { row in (id: row.integer(), text: row.text()) }
        for message in messages {
            try connection.prepare("INSERT INTO message_search (rowid, text) VALUES (?, ?)")
                .bind(message.id).bind(message.text.lowercased()).run()
        }
        if let last = messages.last {
            try connection.prepare("UPDATE search_state SET indexed = ?").bind(last.id).run()
        }
        hasUnindexedMessages = messages.count == Self.indexBatch
    }
}

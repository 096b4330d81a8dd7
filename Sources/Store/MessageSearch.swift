import MeshModel

// Finding a text anywhere in a million messages. An FTS5 index of trigrams narrows it down; what it names is then
// compared byte by byte. The index holds no positions (they are most of its size) and no text, and it is kept in groups:
// messages that it does not have yet are looked at one by one.
//
// Texts are folded to lower case before they are indexed, by the same function that folds the question.

extension Reader {
    /// Searching ends after so many hits: ``searchMessages(_:)`` then gives this as the total.
    public static let searchTotalLimit = 10_000

    /// How many of the newest messages are looked through at most.
    static let searchScanLimit: Int64 = 100_000

    /// Messages that contain a text, newest first.
    ///
    /// A text shorter than three characters is looked for in the newest 100,000 messages only.
    ///
    /// - Returns: how many there are, up to ``searchTotalLimit``, and the page that was asked for.
    public func searchMessages(_ query: SearchQuery) throws -> (total: Int, rows: [Message]) {
        guard !query.text.isEmpty else { return (0, []) }
        var search = RunningSearch(query)
        let folded = query.text.lowercased()
        let newest = try connection.prepare("SELECT ifnull(max(id), 0) FROM messages").first { $0.integer() } ?? 0
        let trigrams = Self.trigrams(of: folded)
        let indexed =
            trigrams.isEmpty
            ? newest - Self.searchScanLimit
            : try connection.prepare("SELECT indexed FROM search_state").first { $0.integer() } ?? 0
        try look(for: &search, "FROM messages m WHERE m.id > ?", query) { $0.bind(indexed) }
        if !trigrams.isEmpty {
            let from = "FROM message_search s CROSS JOIN messages m ON m.id = s.rowid WHERE message_search MATCH ?"
            let question = trigrams.map { "\"" + $0 + "\"" }.joined(separator: " AND ")
            try look(for: &search, from, query) { $0.bind(question) }
        }
        let uuid = try MessageRow.uuid(of: query.source, on: connection)
        let statement = try connection.prepare(
            composed: "SELECT \(MessageRow.columns) FROM messages WHERE id = ?")
        let rows = try search.page.compactMap { id in
            try statement.reset().bind(id).first { MessageRow.read($0, uuid: uuid) }
        }
        return (search.total, rows)
    }

    private func look(
        for search: inout RunningSearch, _ from: String, _ query: SearchQuery, bind: (Statement) -> Void
    ) throws {
        var sql = "SELECT m.id, m.text \(from) AND m.source = ?"
        switch query.scope {
        case .all: break
        case .channels: sql += " AND m.channel <> -1"
        case .directMessages: sql += " AND m.channel = -1"
        }
        if let channels = query.channels {
            sql += " AND m.channel IN (" + channels.map { "\($0)" }.joined(separator: ", ") + ")"
        }
        if query.from != nil { sql += " AND m.from_node = ?" }
        if query.start != nil { sql += " AND ifnull(m.rx_time, m.timestamp) >= ?" }
        if query.end != nil { sql += " AND ifnull(m.rx_time, m.timestamp) <= ?" }
        let order = from.contains("MATCH") ? "s.rowid" : "m.id"
        let statement = try connection.once("\(sql) ORDER BY \(order) DESC")
        bind(statement)
        statement.bind(query.source.rawValue)
        if let from = query.from { statement.bind(from.rawValue) }
        if let start = query.start { statement.bind(start) }
        if let end = query.end { statement.bind(end) }
        while search.goesOn, try statement.step() { search.consider(statement.integer(), statement.text()) }
    }

    /// Three characters each, overlapping. Sixteen narrow it down enough; the rest is compared anyway.
    static func trigrams(of text: String) -> [String] {
        let scalars = Array(text.unicodeScalars)
        guard scalars.count >= 3 else { return [] }
        return (0...(scalars.count - 3)).prefix(16).map { start in
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

/// What a search has found so far.
private struct RunningSearch {
    private(set) var total = 0
    /// Rows of the page that was asked for.
    private(set) var page: [Int64] = []
    private var examined: Int64 = 0
    private let query: SearchQuery
    private let needle: [UInt8]

    init(_ query: SearchQuery) {
        self.query = query
        needle = Array((query.isCaseSensitive ? query.text : query.text.lowercased()).utf8)
    }

    var goesOn: Bool { total < Reader.searchTotalLimit && examined < Reader.searchScanLimit }

    mutating func consider(_ id: Int64, _ text: String) {
        examined += 1
        guard text.hasBytes(needle, foldingCase: !query.isCaseSensitive) else { return }
        if total >= query.offset, page.count < query.limit { page.append(id) }
        total += 1
    }
}

extension String {
    /// True when the UTF-8 of `needle` is somewhere in here.
    ///
    /// - Parameter foldingCase: compares this text in lower case; `needle` already is.
    fileprivate func hasBytes(_ needle: [UInt8], foldingCase: Bool = false) -> Bool {
        // Lower case by Unicode's rules costs microseconds; most texts are ASCII.
        if foldingCase, utf8.contains(where: { $0 >= 0x80 }) { return lowercased().hasBytes(needle) }
        var text = self
        return text.withUTF8 { bytes in
            guard bytes.count >= needle.count else { return false }
            return (0...(bytes.count - needle.count)).contains { start in
                var place = 0
                while place < needle.count {
                    let byte = bytes[start + place]
                    let isUpperCase = foldingCase && byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
                    guard (isUpperCase ? byte | 0x20 : byte) == needle[place] else { break }
                    place += 1
                }
                return place == needle.count
            }
        }
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

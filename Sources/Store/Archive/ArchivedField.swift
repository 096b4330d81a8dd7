/// A key of an archive's lines, and the column of this version's schema in which its value is kept.
///
/// The keys and their meaning stay when the schema changes (Archive.md). JSON is written and read by SQLite's own
/// functions; here is only SQL.
struct ArchivedField: Hashable, Sendable {
    let key: String
    /// Nil: it is there for readers, and put together from others.
    let column: String?
    /// An expression over a row.
    let read: String
    /// An expression over `?1`, the line.
    let write: String
    /// It is only in an archive with secrets.
    var isSecret = false

    var secret: ArchivedField {
        var field = self
        field.isSecret = true
        return field
    }

    private init(_ key: String, _ column: String?, read: String, write: String) {
        (self.key, self.column, self.read, self.write) = (key, column, read, write)
    }

    private static func value(_ key: String) -> String { "json_extract(?1, '$.\(key)')" }

    /// An integer or a text, as it is.
    static func plain(_ key: String, _ column: String) -> Self {
        Self(key, column, read: column, write: value(key))
    }

    /// A text, empty when it is not there.
    static func text(_ key: String, _ column: String) -> Self {
        Self(key, column, read: column, write: "ifnull(\(value(key)), '')")
    }

    /// An integer, 0 when it is not there.
    static func number(_ key: String, _ column: String) -> Self {
        Self(key, column, read: column, write: "ifnull(\(value(key)), 0)")
    }

    /// The number of a row; the largest there is when it is not there, which is behind all rows.
    static func lastRow(_ key: String, _ column: String) -> Self {
        Self(key, column, read: "nullif(\(column), \(Int64.max))", write: "ifnull(\(value(key)), \(Int64.max))")
    }

    /// `true` or `false`, the latter when it is not there.
    static func flag(_ key: String, _ column: String) -> Self {
        Self(key, column, read: truth(column), write: "ifnull(\(value(key)), 0)")
    }

    /// `true`, `false`, or null: nobody knows.
    static func maybe(_ key: String, _ column: String) -> Self {
        Self(key, column, read: truth(column), write: value(key))
    }

    private static func truth(_ column: String) -> String {
        "json(CASE WHEN \(column) THEN 'true' WHEN \(column) IS NULL THEN 'null' ELSE 'false' END)"
    }

    /// With as many digits as it takes to read the same again: SQLite's JSON writes 15.
    static func real(_ key: String, _ column: String) -> Self {
        Self(key, column, read: "json(exact_text(\(column)))", write: "exact_real(?1 -> '$.\(key)')")
    }

    /// Bytes in base64.
    static func bytes(_ key: String, _ column: String) -> Self {
        Self(key, column, read: "base64_text(\(column))", write: "base64_bytes(\(value(key)))")
    }

    /// Bytes in base64, none when it is not there.
    static func bytesOrNone(_ key: String, _ column: String) -> Self {
        Self(
            key, column, read: "base64_text(\(column))", write: "ifnull(base64_bytes(\(value(key))), zeroblob(0))")
    }

    /// An object or a list.
    static func json(_ key: String, _ column: String) -> Self {
        Self(key, column, read: "json(\(column))", write: "nullif(?1 -> '$.\(key)', 'null')")
    }

    /// A word for each of the numbers from `first` on. Others stay numbers.
    static func words(_ key: String, _ column: String, from first: Int = 0, _ words: [String]) -> Self {
        let numbered = words.enumerated().map { (number: first + $0.offset, word: $0.element) }
        let reading = numbered.map { " WHEN \($0.number) THEN '\($0.word)'" }.joined()
        let writing = numbered.map { " WHEN '\($0.word)' THEN \($0.number)" }.joined()
        return Self(
            key, column, read: "CASE \(column)\(reading) ELSE \(column) END",
            write: "CASE \(value(key))\(writing) ELSE \(value(key)) END")
    }

    /// What others say as well, for readers.
    static func shown(_ key: String, _ read: String) -> Self { Self(key, nil, read: read, write: "") }

    // MARK: Whose it is

    private static let uuid = "(SELECT uuid FROM sources WHERE sources.id = "
    private static let number = "(SELECT id FROM sources WHERE uuid = json_extract(?1, '$.sourceId'))"

    /// The UUID of the source.
    static let source = Self("sourceId", "source", read: uuid + "source)", write: number)

    /// Of a message, whose source is negative when it was deleted.
    static let messageSource = Self(
        "sourceId", "source", read: uuid + "abs(source))",
        write: "\(number) * iif(json_extract(?1, '$.deleted'), -1, 1)")

    /// The key of a node is its source and its number: ``Schema``, 1. In SQL all of these operators bind alike.
    static let node = [
        Self("sourceId", nil, read: uuid + "node >> 32)", write: ""),
        Self(
            "nodeNum", "node", read: "node & 4294967295",
            write: "(\(number) << 32) | (json_extract(?1, '$.nodeNum') & 4294967295)"),
    ]
}

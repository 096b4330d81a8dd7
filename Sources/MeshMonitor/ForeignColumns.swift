import Store

// MeshMonitor's columns are spelt `nodeNum` in one table and `from_node` in another, and change between versions. So they
// are looked up in each file by what they mean.

/// The columns of one of MeshMonitor's tables. The raw value is the usual spelling; case and underscores do not count.
protocol ForeignColumn: CaseIterable, Hashable, RawRepresentable<String> {
    /// Further spellings, as of other versions.
    var others: [String] { get }
}

extension ForeignColumn {
    var others: [String] { [] }
}

/// `from_node` and `fromNode` are one.
func plainSpelling(_ name: String) -> String {
    String(
        decoding: name.utf8.filter { $0 != UInt8(ascii: "_") }.map { $0 | ((65...90).contains($0) ? 32 : 0) },
        as: UTF8.self)
}

/// Where a table of this file has which column.
struct ForeignColumns<Column: ForeignColumn> {
    let table: ForeignDatabase.Table
    /// The place of each column among ``names``.
    private let places: [Column: Int]
    /// As the file spells them.
    let names: [String]

    init(_ table: ForeignDatabase.Table) {
        self.table = table
        let spelt = Dictionary(table.columns.map { (plainSpelling($0), $0) }, uniquingKeysWith: { first, _ in first })
        var (places, names): ([Column: Int], [String]) = ([:], [])
        for column in Column.allCases {
            let found = ([column.rawValue] + column.others).lazy.compactMap { spelt[plainSpelling($0)] }.first
            guard let found else { continue }
            places[column] = names.count
            names.append(found)
        }
        (self.places, self.names) = (places, names)
    }

    func has(_ column: Column) -> Bool { places[column] != nil }

    func name(_ column: Column) -> String? { places[column].map { names[$0] } }

    /// Columns that nothing here takes.
    var unused: [String] { table.columns.filter { !names.contains($0) } }

    /// Reads every row.
    ///
    /// - Parameter order: columns to sort by; those that the file does not have do not count.
    func forEachRow(
        in database: ForeignDatabase, orderedBy order: [Column] = [], _ body: (Values<Column>) throws -> Void
    ) throws {
        try database.forEachRow(of: table, columns: names, orderedBy: order.compactMap(name)) { row in
            try body(Values(row: row, places: places))
        }
    }
}

/// One row.
struct Values<Column: ForeignColumn> {
    fileprivate let row: ForeignRow
    fileprivate let places: [Column: Int]

    /// NULL also for a column that the file does not have.
    subscript(column: Column) -> ForeignValue { places[column].map { row[$0] } ?? .null }
}

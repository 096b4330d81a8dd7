/// The table under the heading "The rooms" in Sources/README.md: `| room | what | may import |`. It is the rule, not a
/// picture of it.
struct TableOfRooms {
    /// A room and what it may import. `all` stands for every room, `nothing` and an empty cell for none.
    var mayImport: [String: Set<String>] = [:]

    struct Malformed: Error, CustomStringConvertible {
        var description: String
    }

    init(page: String) throws {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        guard let heading = lines.firstIndex(where: { $0.hasPrefix("#") && $0.hasSuffix("The rooms") }) else {
            throw Malformed(description: "Sources/README.md: there is no heading \"The rooms\"")
        }
        let table = lines[heading...].dropFirst().drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        for row in table.dropFirst(2) {
            let cells = row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().map {
                $0.split(whereSeparator: { $0 == " " || $0 == "`" || $0 == "," }).map(String.init)
            }
            guard cells.count >= 3, !cells[0].isEmpty else {
                throw Malformed(
                    description: "Sources/README.md: this row names no room or has no third column: \(row)")
            }
            for room in cells[0] {
                guard mayImport.updateValue(Set(cells[2]).subtracting(["nothing"]), forKey: room) == nil else {
                    throw Malformed(description: "Sources/README.md: \(room) has two rows")
                }
            }
        }
        guard !mayImport.isEmpty else { throw Malformed(description: "Sources/README.md: no table of rooms") }
    }

    func allows(_ room: String, toImport module: String) -> Bool {
        guard let allowed = mayImport[room] else { return false }
        return allowed.contains(module) || (allowed.contains("all") && mayImport[module] != nil)
    }
}

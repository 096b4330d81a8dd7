import MeshModel

// A row of the feed that counts others: what came faster than a rule's pace, or while the gateway was away.
//
// What it counts is in the rule's log: the firings before it that were not told alone, as far back as the log goes. So a reader who
// may see only some of them gets a count and titles of these.

extension FeedRow {
    /// The type of such a row.
    public static let countingType = "more"
    /// How many titles it lists.
    public static let mostListed = 5

    /// - Parameters:
    ///   - rows: what it counts, oldest first; the last ones are enough.
    ///   - since: when the first one came, in words; nil if it was while the gateway was away.
    ///   - episode: the same for rows that count the same and more.
    public init(
        counting rows: [FeedRow], count: Int, since: String? = nil, of rule: String, at time: Int64,
        priority: Priority?, needs: Set<Need>, episode: String? = nil
    ) {
        let title =
            since.map { "\(rule): and \(count) more since \($0)" }
            ?? "\(rule): \(count) times while the gateway was away"
        self.init(
            at: time, in: nil, type: Self.countingType, title: title, body: "", needs: needs, priority: priority,
            rule: rule, episode: episode)
        list(rows.suffix(Self.mostListed).map(\.title), isAll: count <= Self.mostListed)
    }

    /// Lists other titles, oldest first.
    public mutating func list(_ titles: [String]) { list(titles, isAll: !body.hasSuffix("\n...")) }

    /// The newest first, a line each.
    private mutating func list(_ titles: [String], isAll: Bool) {
        body = titles.reversed().joined(separator: "\n") + (isAll ? "" : "\n...")
    }

    /// The same row for a reader who may see only these of what it counts, newest first.
    public func counting(only seen: [RuleFiring]) -> FeedRow {
        var row = self
        // The only number that stands alone: a rule's name has a colon behind it, a time has one inside.
        var words = title.split(separator: " ").map(String.init)
        if let place = words.firstIndex(where: { Int($0) != nil }) { words[place] = "\(seen.count)" }
        row.title = words.joined(separator: " ")
        row.list(
            seen.prefix(Self.mostListed).reversed().map(\.row.title), isAll: seen.count <= Self.mostListed)
        return row
    }
}

extension Reader {
    /// All that is kept of what a rule has noticed, newest first.
    public func firings(of rule: String) throws -> [RuleFiring] { try firings(of: rule, limit: Writer.firingsOfRule) }
}

extension FeedRow {
    /// What this row counts, newest first, as far as the log goes.
    ///
    /// - Parameter log: its rule's, newest first.
    public func counted(in log: [RuleFiring]) -> [RuleFiring] {
        guard type == FeedRow.countingType else { return [] }
        guard let place = log.firstIndex(where: { $0.row.uuid == uuid }) else { return [] }
        var found: [RuleFiring] = []
        for firing in log[(place + 1)...] where firing.fate != .old && !firing.isAct {
            if firing.fate == .counted {
                found.append(firing)
            } else if episode == nil || firing.row.episode != episode {
                break
            }
        }
        return found
    }
}

// What another reading of a folder of rules, targets or brokers has changed.

public struct FolderChanges: Hashable, Sendable {
    /// Names, in their order.
    public private(set) var added: [String] = []
    public private(set) var changed: [String] = []
    public private(set) var gone: [String] = []

    /// - Parameters:
    ///   - before: what was in force, by name.
    ///   - after: what is now.
    ///   - isFirst: the folder was read for the first time, which changes nothing.
    public init<Thing: Equatable>(from before: [(String, Thing)], to after: [(String, Thing)], isFirst: Bool = false) {
        guard !isFirst else { return }
        let (old, new) = (Dictionary(before) { $1 }, Dictionary(after) { $1 })
        added = new.keys.filter { old[$0] == nil }.sorted()
        gone = old.keys.filter { new[$0] == nil }.sorted()
        changed = new.keys.filter { name in old[name].map { $0 != new[name] } ?? false }.sorted()
    }

    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && gone.isEmpty }
}

extension FolderChanges: CustomStringConvertible {
    /// How many names are listed of each kind.
    private static let listed = 10

    /// Such as "new: hut, phone; changed: mail; removed: box".
    public var description: String {
        [("new", added), ("changed", changed), ("removed", gone)].filter { !$1.isEmpty }
            .map { word, names in
                let more = names.count > Self.listed ? " and \(names.count - Self.listed) more" : ""
                return "\(word): \(names.prefix(Self.listed).joined(separator: ", "))\(more)"
            }
            .joined(separator: "; ")
    }
}

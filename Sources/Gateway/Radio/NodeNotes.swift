import MeshModel
import Store

/// What people here say of a node: it stays here, and is never sent.
public struct NodeNotes: Hashable, Sendable {
    /// The outer nil: it stays as it is; the inner nil: there is none any more.
    public var nickname: String??
    public var notes: String??

    /// Bytes of UTF-8.
    public static let longestNickname = 60
    public static let longestNotes = 2_000

    public init(nickname: String?? = nil, notes: String?? = nil) {
        self.nickname = nickname
        self.notes = notes
    }
}

extension Gateway {
    /// Changes what people here say of a node. When this returns, it is on disk.
    ///
    /// - Returns: the node as it is now; nil when there is no such node.
    public func note(_ notes: NodeNotes, of node: NodeNumber, in source: SourceID) throws -> Node? {
        let now = keeper(of: source).clock()
        return try store.commit { writer in
            guard try writer.node(node, in: source) != nil else { return nil }
            try writer.updateNode(node, in: source, at: now) { row in
                if let nickname = notes.nickname { row.nickname = nickname }
                if let text = notes.notes { row.notes = text }
            }
            return try writer.node(node, in: source)
        }
    }
}

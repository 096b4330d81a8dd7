import MeshModel
import Store

/// Which node a person means.
public enum NodeNames {
    public enum Found<Element> {
        case none
        /// Everything that is about the one node.
        case one([Element])
        /// Several nodes are called so.
        case several([Element])
    }

    /// By id, number, long or short name, in this order; small and capital letters of names are the same when nothing
    /// else is. Of a node that has moved to another number, the present one.
    public static func search<Element>(_ name: String, in elements: [Element], node: (Element) -> Node) -> Found<
        Element
    > {
        let tests: [(Node) -> Bool] = [
            { $0.number == NodeNumber(id: name) }, { $0.number.rawValue == UInt32(name) },
            { $0.longName == name || $0.shortName == name },
            { node in
                [node.longName, node.shortName].contains { $0?.lowercased() == name.lowercased() }
            },
        ]
        for test in tests {
            let found = elements.filter { test(node($0)) }
            if found.isEmpty { continue }
            // A node that came back under another number has its name twice: the live one is meant.
            let live = found.filter { node($0).successor == nil || node($0).isKeyDuplicate }
            if Set(live.map { node($0).number }).count == 1 { return .one(live) }
            return Set(found.map { node($0).number }).count == 1 ? .one(found) : .several(found)
        }
        return .none
    }
}

extension Reader {
    public func node(
        named name: String, in source: FoundSource, allowsStranger: Bool = false
    ) throws -> (number: NodeNumber, node: Node?) {
        // The usual case needs no list.
        if let number = NodeNumber(id: name), let node = try node(number, in: source.id) { return (number, node) }
        let nodes = try nodes(nodeNumbers(in: source.id, order: .lastHeardDescending), in: source.id)
        switch NodeNames.search(name, in: nodes, node: { $0 }) {
        case .one(let found): return (found[0].number, found[0])
        case .none:
            if allowsStranger, let number = NodeNumber(id: name) ?? UInt32(name).map({ NodeNumber($0) }) {
                return (number, nil)
            }
            throw APIError.noNode(called: name)
        case .several(let found): throw APIError.severalNodes(found, called: name)
        }
    }
}

extension APIError {
    public static func noNode(called name: String) -> APIError {
        .notFound("No node is called \"\(name)\"; mesh-gateway nodes lists them")
    }

    /// - Parameter nodes: a node may be among them several times, once from each source.
    public static func severalNodes(_ nodes: [Node], called name: String) -> APIError {
        var known: Set<NodeNumber> = []
        let nodes = nodes.filter { known.insert($0.number).inserted }
        let list = nodes.prefix(8).map { "\($0.number.id) (\($0.shownLongName))" }.joined(separator: ", ")
        let more = nodes.count > 8 ? " and \(nodes.count - 8) more" : ""
        return .conflict("Several nodes are called \"\(name)\", name one by its id: \(list)\(more)")
    }
}

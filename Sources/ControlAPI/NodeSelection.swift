import MeshModel
import MeshProtocol
import Routes

/// Which nodes to list.
enum NodeFilter {
    case direct, favorite, ignored, mqtt, keyless, doubted, located
    /// Heard within so many milliseconds.
    case heard(Int64)
    case role(String)
    /// Part of a name or id, in any letter case.
    case text(String)

    static let words = [
        "direct", "favorite", "ignored", "mqtt", "keyless", "doubted", "located", "heard=2h", "role=ROUTER",
    ]

    init(_ word: String) throws(APIError) {
        switch word {
        case "direct": self = .direct
        case "favorite": self = .favorite
        case "ignored": self = .ignored
        case "mqtt": self = .mqtt
        case "keyless": self = .keyless
        case "doubted": self = .doubted
        case "located": self = .located
        case _ where word.hasPrefix("heard="):
            guard let time = TimeSpan.milliseconds(word.dropFirst(6)) else {
                throw .badRequest("\"\(word)\" is no time; write it like heard=30m, heard=2h or heard=7d")
            }
            self = .heard(time)
        case _ where word.hasPrefix("role="): self = .role(word.dropFirst(5).uppercased())
        default: self = .text(word.lowercased())
        }
    }

    func passes(_ node: Node, at now: Int64) -> Bool {
        switch self {
        case .direct: node.hopsAway == 0
        case .favorite: node.isFavorite
        case .ignored: node.isIgnored
        case .mqtt: node.viaMQTT == true
        case .keyless: node.publicKey == nil
        case .doubted: node.isKeyInDoubt
        case .located: node.latitude != nil
        case .heard(let time): node.lastHeard.map { $0 * 1000 >= now - time } ?? false
        case .role(let name): node.role.map { EnumNames.deviceRole($0) == name } ?? false
        case .text(let text):
            [node.number.id, node.shownLongName, node.shownShortName].contains { $0.lowercased().contains(text) }
        }
    }
}

/// In which order.
enum NodeSorting: String, CaseIterable {
    case heard, name, hops, snr, battery, distance

    init(_ word: String) throws(APIError) {
        guard let found = Self(rawValue: word) else {
            let words = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badRequest("Nodes are not sorted by \"\(word)\"; there are \(words)")
        }
        self = found
    }

    /// What is not known comes last. The nodes come in the order in which they were heard, and stay in it otherwise.
    func sorted(_ nodes: [Node], from here: Node?) -> [Node] {
        func by<Key: Comparable>(_ key: (Node) -> Key?) -> [Node] {
            let keyed = nodes.enumerated().map { (place: $0.offset, node: $0.element, key: key($0.element)) }
            return keyed.sorted { a, b in
                switch (a.key, b.key) {
                case (let x?, let y?): x == y ? a.place < b.place : x < y
                case (_?, nil): true
                case (nil, _?): false
                case (nil, nil): a.place < b.place
                }
            }
            .map(\.node)
        }
        return switch self {
        case .heard: nodes
        case .name: by { $0.shownLongName.lowercased() }
        case .hops: by { $0.hopsAway }
        case .snr: by { $0.snr.map { -$0 } }
        case .battery: by { $0.batteryLevel }
        case .distance: by { kilometres(from: here, to: $0) }
        }
    }
}

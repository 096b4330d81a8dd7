import MeshModel
import Store

/// What an episode is about.
enum Subject: Hashable, Sendable {
    /// By its number, whichever radio heard it.
    case node(NodeNumber)
    case radio(SourceID)
    case problem(SourceID, String)
    case gateway

    /// As it is stored.
    var text: String {
        switch self {
        case .node(let number): "node:\(number.id)"
        case .radio(let source): "radio:\(source.rawValue)"
        case .problem(let source, let name): "problem:\(source.rawValue):\(name)"
        case .gateway: "gateway"
        }
    }

    init?(text: String) {
        let parts = text.split(separator: ":").map(String.init)
        switch (parts.first, parts.count) {
        case ("node", 2):
            guard let number = NodeNumber(id: parts[1]) else { return nil }
            self = .node(number)
        case ("radio", 2):
            guard let id = Int64(parts[1]) else { return nil }
            self = .radio(SourceID(rawValue: id))
        case ("problem", 3):
            guard let id = Int64(parts[1]) else { return nil }
            self = .problem(SourceID(rawValue: id), parts[2])
        case ("gateway", 1): self = .gateway
        default: return nil
        }
    }
}

/// What a path means. Letter case of fixed words and a slash at the end do not matter (contract 2.1).
enum Route: Equatable {
    case health
    case serverStatus
    /// Anything below `/api/v1`: nobody learns without a token what exists there.
    case v1(V1)
    /// Only over the local socket.
    case local(Local)
    case unknown

    enum V1: Equatable {
        case index
        case sources
        case of(SourceName, Resource)
        case unknown
    }

    enum SourceName: Equatable {
        /// `/api/v1/nodes` as in MeshMonitor 3, and `sources/default`.
        case preferred
        case id(String)
    }

    enum Resource: Equatable {
        case status
        case channels
        case channel(String)
        case nodes
        case node(String)
        case messages
        case messageSearch
        case message(String)
    }

    enum Local: Equatable {
        case tokens
        case token(name: String)
        case status
        case database
        case unknown
    }

    /// - Parameter segments: The path cut at its slashes and percent-decoded, without an empty one at the end.
    init(segments: [String]) {
        let path = segments[...]
        switch path.first.map(Self.lowercased) {
        case "local": self = .local(Local(path.dropFirst()))
        case "api":
            switch (path.dropFirst().first.map(Self.lowercased), path.count) {
            case ("health", 2): self = .health
            case ("status", 2): self = .serverStatus
            case ("v1", _): self = .v1(V1(path.dropFirst(2)))
            default: self = .unknown
            }
        default: self = .unknown
        }
    }

    /// The methods that a route answers, HEAD as GET. Empty: there is no such route.
    var methods: [String] {
        switch self {
        case .unknown, .v1(.unknown), .local(.unknown): []
        case .v1(.of(_, .messages)): ["GET", "POST"]
        case .local(.tokens): ["GET", "POST"]
        case .local(.token): ["DELETE"]
        default: ["GET"]
        }
    }

    /// ASCII only: fixed words have no other letters.
    fileprivate static func lowercased(_ segment: String) -> String {
        String(decoding: segment.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension Route.V1 {
    init(_ path: ArraySlice<String>) {
        guard let first = path.first.map(Route.lowercased) else {
            self = .index
            return
        }
        if first == "sources" {
            guard path.count > 1 else {
                self = .sources
                return
            }
            let id = path[path.startIndex + 1]
            let source: Route.SourceName = Route.lowercased(id) == "default" ? .preferred : .id(id)
            self = Route.Resource(path.dropFirst(2)).map { .of(source, $0) } ?? .unknown
        } else {
            self = Route.Resource(path).map { .of(.preferred, $0) } ?? .unknown
        }
    }
}

extension Route.Resource {
    init?(_ path: ArraySlice<String>) {
        guard let first = path.first.map(Route.lowercased) else { return nil }
        let item = path.dropFirst().first
        switch (first, path.count) {
        case ("status", 1): self = .status
        case ("channels", 1): self = .channels
        case ("channels", 2): self = .channel(item!)
        case ("nodes", 1): self = .nodes
        case ("nodes", 2): self = .node(item!)
        case ("messages", 1): self = .messages
        case ("messages", 2): self = Route.lowercased(item!) == "search" ? .messageSearch : .message(item!)
        default: return nil
        }
    }
}

extension Route.Local {
    init(_ path: ArraySlice<String>) {
        let item = path.dropFirst().first
        switch (path.first.map(Route.lowercased), path.count) {
        case ("tokens", 1): self = .tokens
        case ("tokens", 2): self = .token(name: item!)
        case ("status", 1): self = .status
        case ("database", 1): self = .database
        default: self = .unknown
        }
    }
}

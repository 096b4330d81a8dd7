import Store

// What a token may do, as its owner chose it: `token create NAME --scope nodes:read --scope channel_0:read`.
//
// 1. A scope is `RESOURCE:ACTION`, with `channels` for all eight channels at once, or one of three words.
// 2. `read` is everything but the channel database, whose readers learn which channels somebody listens to;
//    `send` is what a chat program needs beyond that; `admin` is everything.
// 3. Who may read a channel may see its nodes on the map: positions are texts of that channel, too. Who may write the
//    channel database may read it, as with MeshMonitor: he can add what he likes, and has to see what he changes.
// 4. A token without a scope of its own has `read` and `send`, as the tokens had before there were scopes.

/// A set of permissions.
public struct Scopes: Hashable, Sendable {
    /// One bit a permission; also what an entity tag covers.
    public private(set) var bits: UInt64

    public static let none = Scopes(bits: 0)
    public static let admin = Scopes(bits: .max)
    public static let read = Scopes(
        Permission.all.filter { $0.action != .write && $0.resource != .channelDatabase })
    public static let send = Scopes(
        [Permission(.messages, .write), Permission(.traceroute, .write)]
            + Resource.channels.map { Permission($0, .write) })
    public static let standard = read.union(send)
    /// What the first token of `deploy/run` and of README may, and each that the page makes: what a person does with a phone,
    /// who stars nodes, too.
    public static let firstToken = standard.union(Scopes([Permission(.nodes, .write)]))

    /// The names of several permissions at once.
    private static let words: [(name: String, scopes: Scopes)] =
        [("admin", admin), ("read", read), ("send", send)]
        + [Action.read, .viewOnMap, .write].map { action in
            ("channels:\(action.rawValue)", Scopes(Resource.channels.map { Permission($0, action) }))
        }

    private init(bits: UInt64) { self.bits = bits }

    public init(_ permissions: [Permission]) {
        bits = permissions.reduce(0) { $0 | $1.bit | ($1.implied?.bit ?? 0) }
    }

    public func union(_ other: Scopes) -> Scopes { Scopes(bits: bits | other.bits) }

    public func allows(_ permission: Permission) -> Bool { bits & permission.bit != 0 }

    /// Neither a word nor `RESOURCE:ACTION`.
    public struct Unknown: Error, Equatable {
        public let scope: String
    }

    /// - Parameter scopes: as on the command line, letter case included. None: ``standard``.
    public init(parsing scopes: [String]) throws(Unknown) {
        guard !scopes.isEmpty else {
            self = .standard
            return
        }
        var all = Scopes.none
        for scope in scopes {
            guard let one = Self.meaning(of: scope) else { throw Unknown(scope: scope) }
            all = all.union(one)
        }
        self = all
    }

    private static func meaning(of scope: String) -> Scopes? {
        if let word = words.first(where: { $0.name == scope }) { return word.scopes }
        return Permission.all.first { $0.description == scope }.map { Scopes([$0]) }
    }

    /// Everything that ``init(parsing:)`` understands.
    public static let known: [String] = words.map(\.name) + Permission.all.map(\.description)

    /// The shortest list that means the same.
    public var list: [String] {
        if bits == .max { return ["admin"] }
        var names: [String] = []
        var rest = bits
        for (name, scopes) in Self.words where scopes.bits & ~bits == 0 && scopes.bits & rest != 0 {
            names.append(name)
            rest &= ~scopes.bits
        }
        let implied = Permission.all.filter { rest & $0.bit != 0 }.compactMap(\.implied)
        for permission in Permission.all where rest & permission.bit != 0 && !implied.contains(permission) {
            names.append(permission.description)
            rest &= ~Scopes([permission]).bits
        }
        return names
    }

    public init(of token: Token) { self.init(stored: token.scopes) }

    /// As it is stored.
    public init(stored text: String) {
        let scopes = text.split(separator: ",").map(String.init)
        // What a newer version has written and this one does not know grants nothing.
        self = scopes.isEmpty ? .standard : scopes.reduce(.none) { $0.union(Self.meaning(of: $1) ?? .none) }
    }

    public var stored: String { list.joined(separator: ",") }

    /// What is missing for a token with these scopes to be of use, in a sentence; nil when nothing is.
    public var gap: String? {
        let channels = { (action: Action) in Resource.channels.contains { allows(Permission($0, action)) } }
        let readsMessages = allows(Permission(.messages, .read))
        if allows(Permission(.nodes, .read)), !channels(.viewOnMap) {
            return "nodes are shown by the channel on which they were heard; add for example --scope channels:viewOnMap"
        }
        if channels(.write) || allows(Permission(.messages, .write)), !readsMessages {
            return "sending needs --scope messages:read, too"
        }
        if readsMessages, !channels(.read) {
            return "this shows direct messages only; add for example --scope channels:read"
        }
        let told = [Permission(.messages, .read), Permission(.nodes, .read), Permission(.info, .read)]
        if allows(Permission(.notifications, .read)), !told.contains(where: allows) {
            return "a notification is shown to those who may see what it is about; add for example --scope info:read"
        }
        let others = [Permission(.nodes, .read), Permission(.packetMonitor, .read)]
        if channels(.viewOnMap), !readsMessages, !others.contains(where: allows) {
            return "a channel alone shows nothing; add --scope messages:read or --scope nodes:read"
        }
        return nil
    }
}

extension Permission {
    /// What it includes.
    fileprivate var implied: Permission? {
        switch (resource, action) {
        case (.channel, .read): Permission(resource, .viewOnMap)
        case (.channelDatabase, .write): Permission(resource, .read)
        default: nil
        }
    }

    /// Three bits a resource.
    fileprivate var bit: UInt64 {
        let place: Int =
            switch resource {
            case .nodes: 0
            case .messages: 1
            case .traceroute: 2
            case .packetMonitor: 3
            case .info: 4
            case .configuration: 5
            case .channelDatabase: 6
            case .notifications: 7
            case .channel(let index): 8 + index
            case .mqtt: 16
            }
        let offset =
            switch action {
            case .viewOnMap: 0
            case .read: 1
            case .write: 2
            }
        return 1 << UInt64(place * 3 + offset)
    }
}

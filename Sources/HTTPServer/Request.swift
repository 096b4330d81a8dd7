import JSON

/// A complete request, as a handler sees it.
public struct Request: Sendable {
    /// As it was sent: methods are case-sensitive.
    public let method: String
    /// The path of the target as it was sent: not decoded, without the query.
    public let path: String
    /// Decoded, in the order of the target. A key may come more than once. A malformed escape leaves its text as it
    /// was sent, which is what MeshMonitor's query parser does.
    public let query: [QueryItem]
    public let body: [UInt8]
    public let peer: Peer
    /// There was a body that was not kept: `body` is empty, and the head has to decide.
    public let isBodyLeft: Bool
    let fields: HeaderFields

    /// More arguments than that are refused.
    static let argumentLimit = 400

    /// One `key=value` of a query; `value` is empty without "=".
    public struct QueryItem: Sendable, Hashable {
        public let key: String
        public let value: String

        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    /// A request that did not come over a socket. `target` is path and query as in a request line.
    public init(
        method: String = "GET", target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        peer: Peer = .tcp(address: "127.0.0.1")
    ) {
        var fields = HeaderFields()
        for header in headers { fields.append(name: header.name.utf8, value: header.value.utf8) }
        self.init(method: method, target: Array(target.utf8), fields: fields, body: body, peer: peer)
    }

    /// The same of bytes as a stranger may send them: for the fuzz targets.
    package init(
        method: String, target: [UInt8], headers: [(name: [UInt8], value: [UInt8])], body: [UInt8], peer: Peer
    ) {
        var fields = HeaderFields()
        for header in headers { fields.append(name: header.name, value: header.value) }
        self.init(method: method, target: target, fields: fields, body: body, peer: peer)
    }

    init(
        method: String, target: [UInt8], fields: HeaderFields, body: [UInt8], peer: Peer, isBodyLeft: Bool = false
    ) {
        // What is behind "#" is the client's own business, and should not be sent (RFC 9112, 3.2).
        let target = Self.originForm(target.prefix { $0 != UInt8(ascii: "#") })
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        self.method = method
        self.path = String(decoding: target[..<mark], as: UTF8.self)
        self.query = mark == target.endIndex ? [] : Self.parse(query: target[(mark + 1)...])
        self.fields = fields
        self.body = body
        self.peer = peer
        self.isBodyLeft = isBodyLeft
    }

    /// The value of a header, its name in any case; the first one when it was sent more than once.
    public func header(_ name: String) -> String? { fields.first(name) }

    /// All values of a header in the order in which they came, its name in any case.
    public func headers(_ name: String) -> [String] { fields.all(name) }

    /// The path cut at "/" and decoded, without empty segments after trailing slashes: "/a/b%2Fc//" is ["a", "b/c"].
    /// Nil when an escape is malformed or decodes to NUL or to bytes that are not UTF-8.
    public var pathSegments: [String]? {
        var path = path
        return path.withUTF8 { path in
            var segments: [String] = []
            segments.reserveCapacity(8)
            var rest = path[...]
            while let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
                rest = rest[(slash + 1)...]
                guard let segment = Self.segment(rest.prefix { $0 != UInt8(ascii: "/") }) else { return nil }
                segments.append(segment)
            }
            while segments.last?.isEmpty == true { segments.removeLast() }
            return segments
        }
    }

    private static func segment(_ raw: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        guard raw.contains(where: { $0 == UInt8(ascii: "%") || $0 == 0 }) else {
            return String(decoding: raw, as: UTF8.self)
        }
        guard let bytes = PercentEncoding.decode(raw), !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The first value of a query key.
    public func queryValue(_ key: String) -> String? { query.first { $0.key == key }?.value }

    /// RFC 9112, 3.2.2: a server must accept "http://host/path" too; the host is of no interest here.
    private static func originForm(_ target: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = target.first, first != UInt8(ascii: "/"), first != UInt8(ascii: "*") else { return target }
        for scheme in ["http://", "https://"] where target.starts(with: scheme.utf8) {
            let rest = target.dropFirst(scheme.utf8.count)
            guard let end = rest.firstIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) else {
                return Array("/".utf8)[...]
            }
            return rest[end] == UInt8(ascii: "/") ? rest[end...] : (Array("/".utf8) + rest[end...])[...]
        }
        return target
    }

    private static func parse(query: ArraySlice<UInt8>) -> [QueryItem] {
        query.split(separator: UInt8(ascii: "&")).map { item in
            let sign = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            return QueryItem(key: decoded(item[..<sign]), value: decoded(item[sign...].dropFirst()))
        }
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> String {
        if let bytes = PercentEncoding.decode(text, plusIsSpace: true),
            let decoded = String(validating: bytes, as: UTF8.self)
        {
            return decoded
        }
        return String(decoding: text, as: UTF8.self)
    }
}

import Search

/// The path below which the network finds the API, for a proxy that gives one of its paths to the gateway.
public struct BasePath: Sendable, Equatable, CustomStringConvertible {
    /// "/mesh"; empty: the API begins at the root.
    public let path: String

    public static let root = BasePath(path: "")

    private init(path: String) { self.path = path }

    static let allowed = "a path such as /mesh, of letters, digits and -._~, or /"

    /// "/mesh", also as "mesh", "/mesh/" and "/deep/mesh"; "/" is the root. Nil for what would mean something else in a
    /// URL, and for more than 100 bytes.
    public init?(_ text: String) {
        guard !text.isEmpty, !text.contains("//"), text.utf8.allSatisfy(Self.isPlain) else { return nil }
        let parts = text.split(separator: "/")
        guard !parts.contains("."), !parts.contains("..") else { return nil }
        let path = parts.map { "/\($0)" }.joined()
        guard path.utf8.count <= 100 else { return nil }
        self.path = path
    }

    public var description: String { path.isEmpty ? "/" : path }

    /// RFC 3986, 2.3: what needs no escape anywhere.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "-._~/".utf8.contains(byte)
        }
    }
}

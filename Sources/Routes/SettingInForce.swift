/// A setting of the daemon.
public struct SettingInForce: Sendable {
    /// As it is called in a file.
    public var key: String
    /// As a file takes them.
    public var values: [String]
    /// Where they come from, in words, and in one word: `built-in`, `file`, `environment`, `option`.
    public var origin: String
    public var kind: String

    public init(key: String, values: [String], origin: String, kind: String) {
        self.key = key
        self.values = values
        self.origin = origin
        self.kind = kind
    }
}

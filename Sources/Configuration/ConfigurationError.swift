import Glibc

/// A mistake in the configuration. `description` is a sentence that says where it is and what would be right.
public enum ConfigurationError: Error, Equatable, CustomStringConvertible {
    case unreadable(path: String, reason: String)
    case syntax(path: String, line: Int, problem: String)
    case unknownKey(String, nearest: Key?, origin: Origin)
    case repeated(Key, firstLine: Int, origin: Origin)
    /// A list has the same thing twice.
    case twice(key: Key, value: String, first: Origin, origin: Origin)
    case badValue(key: Key, value: String, allowed: String, origin: Origin)
    /// One of several keys that are only good together.
    case incomplete(Key, without: Key, origin: Origin)
    /// The variable of a key that narrows is empty, as an empty variable of a script makes it.
    case empty(Key, origin: Origin)
    /// Of several radios none is named.
    case shareWithoutSource(String, origin: Origin)

    /// Where it is; nil for a file that cannot be read.
    public var origin: Origin? {
        switch self {
        case .unreadable: nil
        case .syntax(let path, let line, _): .file(path: path, line: line)
        case .unknownKey(_, _, let origin), .repeated(_, _, let origin), .twice(_, _, _, let origin),
            .badValue(_, _, _, let origin), .incomplete(_, _, let origin), .shareWithoutSource(_, let origin),
            .empty(_, let origin):
            origin
        }
    }

    /// The key whose value is wrong; nil when it is something else.
    var key: Key? { if case .badValue(let key, _, _, _) = self { key } else { nil } }

    /// Of the file; nil when it is in none, or in no line of it.
    public var line: Int? { if case .file(_, let line)? = origin { line } else { nil } }

    /// Nil when it is in none.
    public var file: String? {
        switch (self, origin) {
        case (.unreadable(let path, _), _), (_, .file(let path, _)?): path
        default: nil
        }
    }

    /// The uppermost folder of a file that this process may not look into; the file when it is none of them.
    private func closed(_ path: String) -> String {
        let folders = path.indices.dropFirst().filter { path[$0] == "/" }.map { String(path[..<$0]) }
        return folders.first { access($0, F_OK) == 0 && access($0, X_OK) != 0 } ?? path
    }

    public var description: String {
        switch self {
        case .unreadable(let path, let reason):
            let isForbidden = reason == String(cString: strerror(EACCES))
            return "the configuration file \(path) cannot be read: \(reason); "
                + (isForbidden
                    ? "let the gateway's user read it: sudo chmod a+rX \(closed(path))" : "name another with --config")
        case .syntax(let path, let line, let problem):
            return "\(path):\(line): \(problem)"
        case .unknownKey(let name, let nearest, .environment):
            let advice = nearest.map { "; did you mean \($0.environmentVariable)?" } ?? ""
            return "environment variable \(name) is unknown\(advice)"
        case .unknownKey(let name, let nearest, let origin):
            let all = Key.allCases.map(\.rawValue).joined(separator: ", ")
            return "\(origin): unknown key \"\(name)\"; "
                + (nearest.map { "did you mean \"\($0.rawValue)\"?" } ?? "the keys are \(all)")
        case .repeated(let key, let firstLine, let origin):
            return "\(origin): \"\(key.rawValue)\" is already set in line \(firstLine)"
        case .twice(let key, let value, let first, let origin):
            return "\(origin): \(key.rawValue) \"\(value)\" is already there"
                + (first == origin ? "" : ", in \(first)") + "; each may be named once"
        case .badValue(let key, let value, let allowed, let origin):
            return "\(origin): \(key.rawValue) cannot be \"\(value)\"; allowed is \(allowed)"
        case .empty(let key, let origin):
            return
                "\(origin) is empty, and without a value \(key.rawValue) is \(key.row.narrows ?? "what is built in"); give "
                + "it one, or unset it"
        case .shareWithoutSource(let value, let origin):
            return
                "\(origin): share \"\(value)\" does not say which of the radios it shares; put the name of its source "
                + "behind it: \(value)@NAME (mesh-gateway status shows the names)"
        case .incomplete(let key, let missing, let origin):
            return "\(origin): \(key.rawValue) is good for nothing without \(missing.rawValue), \(Self.what(missing))"
        }
    }

    /// What has to be written.
    private static func what(_ missing: Key) -> String {
        switch missing {
        case .certificateKey: "the PEM file of its private key"
        case .certificate: "the PEM file of its certificate and chain"
        case .appleKey: "the file AuthKey_....p8 of the key"
        case .appleKeyID: "what Apple calls the key"
        case .appleTeam: "the team whose key it is"
        case .appleTopic: "the bundle id of the app"
        default: "which belongs to it"
        }
    }
}

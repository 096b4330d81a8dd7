/// A mistake in the configuration. `description` is a sentence that says where it is and what would be right.
public enum ConfigurationError: Error, Equatable, CustomStringConvertible {
    case unreadable(path: String, reason: String)
    case syntax(path: String, line: Int, problem: String)
    case unknownKey(String, nearest: Key?, origin: Origin)
    case repeated(Key, firstLine: Int, origin: Origin)
    /// A list has the same thing twice.
    case twice(key: Key, value: String, first: Origin, origin: Origin)
    case badValue(key: Key, value: String, allowed: String, origin: Origin)

    public var description: String {
        switch self {
        case .unreadable(let path, let reason):
            return "the configuration file \(path) cannot be read: \(reason); name another with --config"
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
            return "\(origin): \(key.rawValue) \"\(value)\" is there already"
                + (first == origin ? "" : ", in \(first)") + "; each may be named once"
        case .badValue(let key, let value, let allowed, let origin):
            return "\(origin): \(key.rawValue) cannot be \"\(value)\"; allowed is \(allowed)"
        }
    }
}

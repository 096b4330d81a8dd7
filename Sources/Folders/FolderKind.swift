/// What is said of the files of a folder: rules, targets or brokers.
public struct FolderKind: Sendable {
    /// Beside the configuration file, such as `rules.d`.
    public let folder: String
    /// What one of them is, such as "rule".
    public let noun: String
    /// The name of a file, for people who need one.
    public let example: String
    /// How many files count.
    public let limit: Int
    /// Whether a value may be a secret. If so, no mistake quotes a file, and the service alone should be able to read one.
    public let holdsSecrets: Bool

    public init(folder: String, noun: String, example: String, limit: Int, holdsSecrets: Bool = false) {
        (self.folder, self.noun, self.example) = (folder, noun, example)
        (self.limit, self.holdsSecrets) = (limit, holdsSecrets)
    }
}

// What is wrong with a folder or with a whole file, in words.

extension FolderKind {
    var badName: String {
        "a \(noun) is called after its file, in a-z, 0-9 and -, at most 64 of them; rename it, for example: \(example)"
    }

    var noFile: String { "is no file; a \(noun) is one of text: take this away, or give it another name" }

    /// - Parameter reason: what the file is ("it is ..."), or what the system says.
    func unreadable(_ path: String, _ reason: String) -> String {
        if reason.hasPrefix("it is") { return "cannot be read: \(reason); write lines of KEY = VALUE there" }
        let advice =
            holdsSecrets ? Self.adviceOnSecret(path) : "let the gateway's user read it: sudo chmod a+r \(path)"
        return "cannot be read: \(reason); \(advice)"
    }

    func unreadableFolder(_ path: String, _ reason: String) -> String {
        let advice =
            holdsSecrets
            ? "let the service look into it: sudo chgrp mesh-gateway \(path) && sudo chmod 750 \(path)"
            : "let the gateway's user read it: sudo chmod a+rx \(path)"
        return "cannot be read: \(reason); \(advice)"
    }

    /// - Parameter surplus: the files that do not count, at least one.
    func tooMany(_ surplus: [String]) -> String {
        let last = surplus.count > 4 ? "\(surplus.count - 3) more" : surplus.last ?? ""
        let others = surplus.prefix(surplus.count > 4 ? 3 : surplus.count - 1).joined(separator: ", ")
        let what = others.isEmpty ? "\(last) does" : "\(others) and \(last) do"
        return "\(what) not count: there are more than \(limit) \(noun)s; take some away"
    }

    /// How to let the service read a file with a secret, and nobody else.
    public static func adviceOnSecret(_ path: String) -> String {
        "let the service read it, and nobody else: sudo chgrp mesh-gateway \(path) && sudo chmod 640 \(path)"
    }
}

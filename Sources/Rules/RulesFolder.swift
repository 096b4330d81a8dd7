import Configuration
import Glibc
import Platform

/// The folder of the rules: rules.d beside the configuration file in use.
public struct RulesFolder: Sendable {
    public let path: String

    /// - Parameter file: the configuration file.
    public init(besideFile file: String) {
        let folder = file.lastIndex(of: "/").map { file[..<$0] } ?? "."
        path = "\(folder)/rules.d"
    }

    public init(path: String) { self.path = path }

    /// Reads all files in the order of their names, including broken ones. None if there is no folder, nil if it cannot be read.
    public func read() -> (files: [RuleFile]?, mistakes: [RuleMistake]) {
        guard let names = names(in: path) else {
            let reason = errno
            if reason == ENOENT || reason == ENOTDIR { return ([], []) }
            let advice = "cannot be read: \(errorText(reason)); let the gateway's user read it: sudo chmod a+rx \(path)"
            return (nil, [RuleMistake(advice, file: path)])
        }
        // Other files, such as an editor's copies, are not rules.
        let files = names.filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }.sorted().prefix(Self.limit + 1)
        var mistakes: [RuleMistake] = []
        if files.count > Self.limit {
            mistakes.append(
                RuleMistake(
                    "there are more than \(Self.limit) rules; those behind \(files[Self.limit - 1]) do not count",
                    file: path))
        }
        return (files.prefix(Self.limit).compactMap { RuleFile(path: "\(path)/\($0)") }, mistakes)
    }

    /// What a rule's file says now, whether the rule is active or not; nil if there is no file.
    public func file(named name: String) -> RuleFile? {
        guard Rule.isName(name), access(file(of: name), F_OK) == 0 else { return nil }
        return RuleFile(path: file(of: name))
    }

    public static let limit = 1_000

    public func file(of rule: String) -> String { "\(path)/\(rule).conf" }
}

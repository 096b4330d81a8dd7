import Glibc
import Platform

/// The folder of the brokers: brokers.d beside the configuration file in use.
public struct BrokersFolder: Sendable {
    public let path: String
    /// More than anybody needs.
    public static let limit = 16

    /// - Parameter file: the configuration file.
    public init(besideFile file: String) {
        let folder = file.lastIndex(of: "/").map { file[..<$0] } ?? "."
        path = "\(folder)/brokers.d"
    }

    public init(path: String) { self.path = path }

    /// The first ``limit`` files by name, broken ones included; none if there is no folder.
    public func read() -> (files: [BrokerFile], mistakes: [BrokerMistake]) {
        guard let names = names(in: path) else {
            let reason = errno
            if reason == ENOENT || reason == ENOTDIR { return ([], []) }
            let advice = "cannot be read: \(errorText(reason)); let the gateway's user read it: sudo chmod a+rx \(path)"
            return ([], [BrokerMistake(advice, file: path)])
        }
        // Other files, such as an editor's copies, are ignored.
        let found = names.filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }
        var mistakes: [BrokerMistake] = []
        if found.count > Self.limit {
            let surplus = found.dropFirst(Self.limit)
            let last = surplus.count > 4 ? "\(surplus.count - 3) more" : surplus.last ?? ""
            let others = surplus.prefix(surplus.count > 4 ? 3 : surplus.count - 1).joined(separator: ", ")
            let what = others.isEmpty ? "\(last) does" : "\(others) and \(last) do"
            mistakes.append(
                BrokerMistake(
                    "\(what) not count: there are more than \(Self.limit) brokers; take some away", file: path))
        }
        var files: [BrokerFile] = []
        for name in found.prefix(Self.limit) {
            guard var file = BrokerFile(path: "\(path)/\(name)") else { continue }
            let twin = files.first { other in
                guard let broker = file.broker, let known = other.broker else { return false }
                return broker.isSame(as: known)
            }
            if let twin { file.refuse(becauseOf: twin) }
            files.append(file)
        }
        return (files, mistakes)
    }
}

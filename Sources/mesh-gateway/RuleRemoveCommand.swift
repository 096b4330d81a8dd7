import CommandLine
import Folders
import Glibc
import Rules
import Terminal

extension RuleCommand {
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Deletes a rule's file; what it had open ends untold.",
            discussion: "health and acknowledge are the rules that rule add writes under these names.")

        @Argument(help: "Which rule; health: its four; acknowledge: its two.")
        var name: String

        @OptionGroup var viewing: Viewing

        func run() throws {
            let folder = try RuleCommand.folder(viewing)
            let paths = paths(in: folder)
            var removed: [String] = []
            for path in paths {
                guard !name.contains("/"), unlink(path) == 0 else {
                    if errno == ENOENT, name == RuleFile.builtIn.name { throw Self.isBuiltIn(path) }
                    throw RuleCommand.refusal(name.contains("/") ? ENOENT : errno, path)
                }
                removed.append("Removed: \(path).")
            }
            try RuleCommand.tell(viewing, removed.joined(separator: "\n"))
        }

        private static func isBuiltIn(_ path: String) -> any Error {
            failure(
                "there is no \(path): the rule is built in, and in force while a phone or a browser is registered. To end it, "
                    + "write that file with two lines, when = direct message and enabled = no, and type: sudo systemctl "
                    + "reload mesh-gateway", .noInput)
        }

        /// Several only for an example that is several rules.
        private func paths(in folder: RulesFolder) -> [String] {
            let path = folder.file(of: name)
            guard let set = ExampleSet.all.first(where: { $0.name == name }), access(path, F_OK) != 0 else {
                return [path]
            }
            let written = set.rules.map { folder.file(of: $0.name) }.filter { access($0, F_OK) == 0 }
            return written.isEmpty ? [path] : written
        }
    }
}

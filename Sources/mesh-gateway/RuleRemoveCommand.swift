import CommandLine
import Folders
import Glibc
import Rules
import Terminal

extension RuleCommand {
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Deletes a rule's file; what it had open ends untold.",
            discussion: "health are the four rules that rule add health writes.")

        @Argument(help: "Which rule; health: its four.")
        var name: String

        @OptionGroup var viewing: Viewing

        func run() throws {
            let folder = try RuleCommand.folder(viewing)
            let paths = paths(in: folder)
            var removed: [String] = []
            for path in paths {
                guard !name.contains("/"), unlink(path) == 0 else {
                    throw RuleCommand.refusal(name.contains("/") ? ENOENT : errno, path)
                }
                removed.append("Removed: \(path).")
            }
            try RuleCommand.tell(viewing, removed.joined(separator: "\n"))
        }

        /// Several only for the example that is several rules.
        private func paths(in folder: RulesFolder) -> [String] {
            let path = folder.file(of: name)
            guard name == "health", access(path, F_OK) != 0 else { return [path] }
            let four = ExampleRule.health.map { folder.file(of: $0.name) }.filter { access($0, F_OK) == 0 }
            return four.isEmpty ? [path] : four
        }
    }
}

import CommandLine
import Glibc
import Rules
import Terminal

extension RuleCommand {
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Deletes a rule's file; what it had open ends untold.")

        @Argument(help: "Which rule.")
        var name: String

        @OptionGroup var viewing: Viewing

        func run() throws {
            let folder = try RuleCommand.folder(viewing)
            let path = folder.file(of: name)
            guard !name.contains("/"), unlink(path) == 0 else {
                throw RuleCommand.refusal(name.contains("/") ? ENOENT : errno, path)
            }
            try RuleCommand.tell(viewing, "Removed: \(path).")
        }
    }
}

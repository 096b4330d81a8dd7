import CommandLine
import Glibc
import Notifications
import Terminal

extension TargetCommand {
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Deletes a target's file and secret; what waits for it is never sent.")

        @Argument(help: "Which target.")
        var name: String

        @OptionGroup var viewing: Viewing

        func run() throws {
            let folder = try TargetCommand.folder(viewing)
            let path = folder.file(of: name)
            guard !name.contains("/"), unlink(path) == 0 else {
                let number = name.contains("/") ? ENOENT : errno
                if number == ENOENT {
                    throw failure(
                        "there is no \(printable(path)); mesh-gateway target list shows the targets.", .noInput)
                }
                throw RuleCommand.refusal(number, path)
            }
            unlink("\(folder.path)/\(name).secret")
            try TargetCommand.tell(viewing, "Removed: \(path).")
        }
    }
}

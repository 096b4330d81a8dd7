import CommandLine
import Configuration
import Glibc
import JSON
import Rules
import Terminal

extension RuleCommand {
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Writes a rule from a shipped example, which is in force at once.",
            discussion: """
                The examples are direct-message, silent, battery, key-changed, radio-lost and channel-use. health is four \
                rules, a file each: battery, channel use, silent and rebooted, for every node. The file is yours: change it \
                as you like, then type sudo systemctl reload mesh-gateway.
                """)

        @Argument(help: "Which example.")
        var example: String

        @Option(help: ArgumentHelp("What the rule is called, if not as its example.", valueName: "name"))
        var name: String?

        @Option(help: ArgumentHelp("Whom it tells beside the feed; may be repeated.", valueName: "target"))
        var tell: [String] = []

        @Option(
            help: ArgumentHelp("For which nodes: favourites, or names and ids with commas between.", valueName: "nodes")
        )
        var node: String?

        @OptionGroup var viewing: Viewing

        func run() throws {
            let examples = example == "health" ? ExampleRule.health : ExampleRule.all.filter { $0.name == example }
            guard !examples.isEmpty else {
                let names = (ExampleRule.all.map(\.name) + ["health"]).joined(separator: ", ")
                throw failure("there is no example \"\(example)\"; there are: \(names).", .usage)
            }
            if name != nil, examples.count > 1 {
                throw failure("health is four rules with names of their own; leave --name out.", .usage)
            }
            let folder = try RuleCommand.folder(viewing)
            let files = try examples.map { try file($0, in: folder) }
            if let there = files.first(where: { access($0.path, F_OK) == 0 }) {
                throw failure(
                    "there is a rule already: \(there.path); "
                        + (examples.count > 1 ? "nothing was written." : "give this one another name with --name."),
                    .cannotCreate)
            }
            for file in files { try RuleCommand.write(file.text, to: file.path) }
            try RuleCommand.tell(viewing, files.map { "Written: \($0.path)." }.joined(separator: "\n"))
        }

        private func file(_ example: ExampleRule, in folder: RulesFolder) throws -> (path: String, text: String) {
            let name = name ?? example.name
            let (path, text) = (folder.file(of: name), example.text(node: node, targets: tell))
            if let mistake = RuleFile(text, name: name, path: path).mistakes.first {
                throw failure("\(mistake.text).", .usage)
            }
            return (path, text)
        }
    }

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

    // MARK: files

    /// The one of the running daemon, else the one beside this user's configuration file.
    fileprivate static func folder(_ viewing: Viewing) throws -> RulesFolder {
        let file = viewing.gatewayOptions.read().file
        if let client = try Reach.daemon(viewing.gatewayOptions.configuration()) {
            let page = try Page(client.answer("GET", "/local/rules"))
            if let path = page.json["folder"]?.string { return RulesFolder(path: path) }
        }
        return RulesFolder(besideFile: file)
    }

    fileprivate static func write(_ text: String, to path: String) throws {
        // Beside a configuration file of a user's own there may be none yet.
        mkdir(GatewayOptions.folder(of: path), 0o755)
        do {
            try replaceFile(path, with: Array(text.utf8), mode: 0o644)
        } catch {
            throw refusal(error.number, path)
        }
    }

    fileprivate static func refusal(_ number: Int32, _ path: String) -> any Error {
        switch number {
        case EACCES, EPERM:
            failure("\(path) belongs to root: put sudo before the command.", .noPermission)
        case ENOENT: failure("there is no \(path); mesh-gateway rule list shows the rules.", .noInput)
        default: failure("\(path) cannot be written: \(systemMessage(number)).", .cannotCreate)
        }
    }

    /// Says what was done, and has the daemon read the folder again.
    fileprivate static func tell(_ viewing: Viewing, _ done: String) throws {
        guard let client = try Reach.daemon(viewing.gatewayOptions.configuration()) else {
            if !viewing.json { writeToStandardError(done + "\nNo daemon is running; the next one goes by it.\n") }
            return
        }
        let page = try Page(client.answer("POST", "/local/rules/reload", body: "{}"))
        if viewing.json { return writeJSON(page.text) }
        writeToStandardError(done + "\n")
    }
}

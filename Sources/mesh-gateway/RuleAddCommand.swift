import CommandLine
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
            try TargetCommand.refuseMissing(tell, viewing)
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
}

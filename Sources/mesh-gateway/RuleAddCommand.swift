import CommandLine
import Folders
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
                Without a word it lists the examples. health is four rules, a file each: battery, channel use, silent and \
                rebooted, for every node that was heard for a week; what rules in force watch already it leaves to them. \
                acknowledge, welcome, announce and traceroute send over the radio, and say how much they may. \
                The file is yours: change it as you like, then type sudo systemctl reload mesh-gateway.
                """)

        @Argument(help: "Which example; without it they are listed.")
        var example: String?

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
            guard let example else { return writeToStandardOutput(Self.examples) }
            let examples = ExampleRule.named(example)
            guard !examples.isEmpty else {
                let names = (ExampleRule.all.map(\.name) + ExampleSet.all.map(\.name)).joined(separator: ", ")
                throw failure("there is no example \"\(example)\"; there are: \(names).", .usage)
            }
            if name != nil, examples.count > 1 {
                throw failure(
                    "\(example) is \(examples.count) rules with names of their own; leave --name out.", .usage)
            }
            let folder = try RuleCommand.folder(viewing)
            let rules = (folder.read().files ?? []).compactMap(\.rule)
            let plans = try examples.map { try plan($0, beside: rules, in: folder) }
            let files = plans.compactMap(\.file)
            if let there = files.first(where: { access($0.path, F_OK) == 0 }) {
                throw failure(
                    "there is a rule already: \(there.path); "
                        + (examples.count > 1 ? "nothing was written." : "give this one another name with --name."),
                    .cannotCreate)
            }
            try TargetCommand.refuseMissing(tell, viewing)
            for file in files { try RuleCommand.write(file.text, to: file.path) }
            let lines = plans.flatMap { plan in (plan.file.map { ["Written: \($0.path)."] } ?? []) + plan.notes }
            try RuleCommand.tell(viewing, lines.joined(separator: "\n"))
            guard !viewing.json else { return }
            for file in files {
                let notes = RuleNotes(of: file.name, viewing).lines
                let name = files.count > 1 ? "\(file.name): " : ""
                writeToStandardError(notes.map { name + $0 + "\n" }.joined())
            }
        }

        private static var examples: String {
            var table = Table([.init("EXAMPLE"), .init("FIRES WHEN", widest: 60), .init("RULE", expendability: 1)])
            for example in ExampleRule.all { table.add([example.name, example.about, example.when]) }
            for set in ExampleSet.all { table.add([set.name, set.about, set.whom]) }
            return table.text(style: Screen.style(.bold), screen: Screen.width)
                + Screen.lines("To have one: sudo mesh-gateway rule add battery")
        }

        /// Each of several examples is left out, or narrowed, where rules in force do the same.
        private var isSet: Bool { ExampleSet.all.contains { $0.name == example } }

        /// What is written, and what is said about it. Nothing is written where a rule in force does the same.
        private struct Plan {
            var file: (name: String, path: String, text: String)?
            var notes: [String] = []
        }

        private func plan(_ example: ExampleRule, beside rules: [Rule], in folder: RulesFolder) throws -> Plan {
            var plan = Plan()
            var nodes = node
            // Its own file, if it is there, is named as such.
            switch example.overlap(with: rules.filter { $0.name != example.name }) {
            case .all(let other) where isSet:
                return Plan(notes: ["Not written: \(example.name). The rule \(other) watches that already."])
            case .all(let other) where name == nil:
                let apart = (node ?? example.nodes).map {
                    "to have \($0) apart, write node = not \($0) in \(folder.file(of: other)) and type this again; or "
                }
                throw failure(
                    "the rule \(other) tells this already: \(apart ?? "")give this one a name of its own, with "
                        + "--name my-\(example.name).", .cannotCreate)
            case .some(let others, let rest) where isSet && node == nil:
                nodes = rest
                plan.notes.append("\(example.name) is for the others: node = \(rest), beside \(others).")
            default: break
            }
            let name = name ?? example.name
            let (path, text) = (folder.file(of: name), example.text(node: nodes, targets: tell))
            if let mistake = RuleFile(text, name: name, path: path).mistakes.first {
                throw failure("\(mistake.text).", .usage)
            }
            plan.file = (name, path, text)
            return plan
        }
    }
}

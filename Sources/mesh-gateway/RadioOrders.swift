import CommandLine
import RestAPI
import Terminal

extension RadioCommand {
    struct Reboot: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reboot",
            abstract: "Restarts the radio. Packets that wait in it for the mesh or for the gateway are lost.")

        @Option(name: .customLong("in"), help: ArgumentHelp("Restart after so many seconds.", valueName: "seconds"))
        var seconds = 5

        @OptionGroup var confirming: Confirming
        @OptionGroup var viewing: Viewing

        func run() throws {
            guard (1...86_400).contains(seconds) else {
                throw failure("--in takes 1 to 86400 seconds; try: mesh-gateway radio reboot --in 5", .usage)
            }
            let respondent = try Respondent.acting(viewing)
            defer { respondent.close() }
            guard try confirming.confirm("Restart the radio in \(seconds) s", retry: "mesh-gateway radio reboot") else {
                throw ExitCode(1)
            }
            let page = try respondent.post(viewing.target("/local/radio/reboot"), body: "{\"in\":\(seconds)}")
            try viewing.show(page) { _ in "The radio restarts in \(seconds) s.\n" }
        }
    }

    struct SetTime: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-time",
            abstract: "Sets the radio's clock to this computer's. A radio with GPS keeps its own time.")

        @OptionGroup var viewing: Viewing

        func run() throws {
            let respondent = try Respondent.acting(viewing)
            defer { respondent.close() }
            let page = try respondent.post(viewing.target("/local/radio/time"), body: "{}")
            try viewing.show(page) { page in
                guard let time = viewing.time(page["radioTime"]) else {
                    return "The radio has not taken the time; its clock is not set.\n"
                }
                return "The radio's clock: \(time)\n"
            }
        }
    }

    /// Options of what is said about a node.
    struct Marking: ParsableArguments {
        @Argument(help: "Which node: an id, a number, or a name.", completion: Completion.nodes)
        var node: String

        @Flag(help: "Undo it.")
        var remove = false

        @OptionGroup var viewing: Viewing

        func run(_ path: String, _ sentence: (String) -> String) throws {
            let respondent = try Respondent.acting(viewing)
            defer { respondent.close() }
            let body = JSONText.object([("node", JSONText.quoted(node)), ("remove", "\(remove)")])
            try viewing.show(respondent.post(viewing.target(path), body: body)) { page in
                let later = page["isDone"]?.bool == true ? "" : " The radio is changed as soon as it is back."
                return sentence(page["nodeId"]?.string ?? "?") + later + "\n"
            }
        }
    }

    struct Favorite: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "favorite",
            abstract: "Makes a node a favourite, which the radio does not forget; --remove undoes it.")

        @OptionGroup var marking: Marking

        func run() throws {
            try marking.run("/local/radio/favorite") {
                "\($0) is \(marking.remove ? "no longer " : "")a favourite."
            }
        }
    }

    struct Ignore: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ignore",
            abstract: "Makes the radio ignore a node; --remove undoes it.")

        @OptionGroup var marking: Marking

        func run() throws {
            try marking.run("/local/radio/ignore") { "\($0) is \(marking.remove ? "no longer " : "")ignored." }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Removes a node and its key from the radio's NodeDB, until it is heard again.",
            discussion: "What the gateway knows and keeps of the node stays as it is.")

        @Argument(help: "Which node: an id, a number, or a name.", completion: Completion.nodes)
        var node: String

        @OptionGroup var confirming: Confirming
        @OptionGroup var viewing: Viewing

        func run() throws {
            let respondent = try Respondent.acting(viewing)
            defer { respondent.close() }
            let question = "Let the radio forget \(printable(node)) and its key"
            guard try confirming.confirm(question, retry: "mesh-gateway radio remove NODE") else { throw ExitCode(1) }
            let body = JSONText.object([("node", JSONText.quoted(node))])
            let page = try respondent.post(viewing.target("/local/radio/remove"), body: body)
            try viewing.show(page) { "The radio has forgotten \($0["nodeId"]?.string ?? "?").\n" }
        }
    }
}

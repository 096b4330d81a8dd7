import CommandLine
import Configuration
import Glibc
import JSON
import Platform
import Routes
import Rules
import Search
import Terminal

/// `mesh-gateway rule`: what the gateway is to notice.
struct RuleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rule",
        abstract: "Shows, adds and removes rules, and what they have told.",
        discussion: """
            A rule says what the gateway is to notice: a battery that gets empty, a node that falls silent, a direct \
            message. What it notices is told in the feed, once. Each rule is a file of the folder rules.d beside the \
            configuration file; mesh-gateway-rules(5) says what it may hold.
            """,
        subcommands: [List.self, Show.self, Add.self, Remove.self, Log.self, Test.self, Forget.self],
        defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the rules, with what is wrong with their files.")

        @OptionGroup var viewing: Viewing

        func run() throws { try viewing.show(Backend.reading(viewing).get("/local/rules")) { text($0) } }

        private func text(_ page: JSONValue) -> String {
            let rules = page["rules"]?.array ?? []
            let mistakes = RuleCommand.mistakes(page)
            guard !rules.isEmpty || !mistakes.isEmpty else {
                return Screen.lines("There are no rules. To have one: sudo mesh-gateway rule add direct-message")
            }
            var table = Table([
                .init("NAME"), .init("WHEN", widest: 40), .init("STATE"), .init("OPEN", .right, expendability: 2),
                .init("LAST FIRED", expendability: 1),
            ])
            for rule in rules {
                table.add([
                    rule["name"]?.string ?? "", RuleCommand.setting("when", of: rule) ?? "",
                    RuleCommand.state(rule, page), rule["open"]?.decimal(0) ?? "", viewing.ago(rule["lastFiredAt"]),
                ])
            }
            return table.text(style: Screen.style(.bold), screen: Screen.width) + acts(rules, page) + mistakes.joined()
        }

        /// What those that act have done; empty where none does.
        private func acts(_ rules: [JSONValue], _ page: JSONValue) -> String {
            let acting = rules.filter { $0["acts"]?["sent"] != nil }
            guard !acting.isEmpty else { return "" }
            func sum(_ key: String) -> Int64 { acting.reduce(0) { $0 + ($1["acts"]?[key]?.integer ?? 0) } }
            let (sent, skipped) = (sum("sent"), sum("skipped"))
            var words =
                sent == 0
                ? "Rules have not acted in the last day" : "Rules have acted \(timesInWords(sent)) in the last day"
            if skipped > 0 { words += skipped == 1 ? "; 1 act was skipped" : "; \(skipped) acts were skipped" }
            if sent > 0 { words += ". In the last hour they have sent \(RuleCommand.airtime(page))" }
            return Screen.lines(words + ".")
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Shows one rule: its settings, whether it is in force, what is open.")

        @Argument(help: "Which rule.")
        var name: String

        @OptionGroup var viewing: Viewing

        func run() throws {
            let page = try Backend.reading(viewing).get("/local/rules/\(PercentEncoding.segment(name))")
            try viewing.show(page) { text($0) }
        }

        private func text(_ page: JSONValue) -> String {
            guard let rule = page["rules"]?.array?.first else { return "" }
            let settings = (rule["settings"]?.array ?? []).map { setting in
                printable("\(setting["key"]?.string ?? "") = \(setting["value"]?.string ?? "")") + "\n"
            }
            let since = viewing.time(rule["since"]).map { ", since \($0)" } ?? ""
            let open = rule["open"]?.integer ?? 0
            return settings.joined() + "\n" + "state  \(RuleCommand.state(rule, page))\(since)\n"
                + "open   \(open == 0 ? "nothing" : open == 1 ? "1 episode" : "\(open) episodes")\n"
                + states(rule)
                + "fired  \(viewing.ago(rule["lastFiredAt"]))\n" + acts(rule, page)
                + RuleCommand.mistakes(page).joined()
                + RuleNotes.watched(rule).map { Screen.lines($0) }.joined()
        }

        /// What its acts of the last day came to.
        private func acts(_ rule: JSONValue, _ page: JSONValue) -> String {
            guard let acts = rule["acts"], acts["sent"] != nil else { return "" }
            let (sent, skipped) = (acts["sent"]?.integer ?? 0, acts["skipped"]?.integer ?? 0)
            let nodes = acts["nodes"]?.integer.map { ", for \($0 == 1 ? "1 node" : "\($0) nodes") so far" } ?? ""
            let times = sent == 0 ? "not in the last day" : "\(timesInWords(sent)) in the last day"
            return "acts   \(times)\(skipped == 0 ? "" : ", \(skipped) skipped")\(nodes)\n"
                + "       all rules have sent \(RuleCommand.airtime(page)) in the last hour\n"
        }

        /// What each is about, and since when.
        private func states(_ rule: JSONValue) -> String {
            (rule["states"]?.array ?? []).map { state in
                let name = printable(state["name"]?.string ?? "")
                let since = viewing.time(state["since"]) ?? ""
                let how = state["told"]?.bool == true ? "since \(since)" : "already so when the rule was read, \(since)"
                return "       \(name): \(how)\n"
            }
            .joined()
        }
    }

    struct Log: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "log",
            abstract: "Shows what a rule has told, or why it has not, the newest first.",
            discussion: """
                counted: it came faster than the rule's pace, and a row "and N more" of the feed has it. old: it came to \
                light more than an hour later, and was not told. sent: it acted, and how far its text has come. skipped: it \
                did not act, and why.
                """)

        @Argument(help: "Which rule.")
        var name: String

        @Option(help: ArgumentHelp("At most so many.", valueName: "number"))
        var limit = 50

        @Flag(help: "What it has not told, and which condition failed: the last 50 since the daemon has started.")
        var near = false

        @OptionGroup var viewing: Viewing

        func run() throws {
            guard (1...1000).contains(limit) else {
                throw failure("--limit takes 1 to 1000; try: mesh-gateway rule log \(name) --limit 100", .usage)
            }
            let path = "/local/rules/\(PercentEncoding.segment(name))/log"
            try viewing.show(Backend.reading(viewing).get(path, [("limit", "\(limit)")])) { text($0) }
        }

        private func text(_ page: JSONValue) -> String {
            if near { return misses(page) }
            let firings = RuleCommand.firings(page, viewing)
            return firings.isEmpty ? Screen.lines("It has not fired yet.") : firings
        }

        private func misses(_ page: JSONValue) -> String {
            let misses = RuleCommand.nearMisses(page, viewing)
            guard misses.isEmpty else { return misses }
            return Screen.lines(
                page["via"]?.string == "daemon"
                    ? "Nothing has come near since the daemon has started."
                    : "Only a running daemon knows: start mesh-gateway serve.")
        }
    }

    struct Test: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Shows what a rule would have told, or would tell of an event of your own.",
            discussion: """
                It goes by what the rule's file says now, in force or not, and by what is stored; it tells nobody and writes \
                nothing. An event is one object as /api/v1/events has it in data, with kind; mesh-gateway-rules(5) has one \
                for each trigger.
                """)

        @Argument(help: "Which rule.")
        var name: String

        @Option(help: ArgumentHelp("A file with the event; -: standard input.", valueName: "file"))
        var event: String?

        @Option(help: ArgumentHelp("As this target would get it.", valueName: "name"))
        var target: String?

        @Option(help: ArgumentHelp("At most so many.", valueName: "number"))
        var limit = 50

        @OptionGroup var viewing: Viewing

        func run() throws {
            guard (1...1000).contains(limit) else {
                throw failure("--limit takes 1 to 1000; try: mesh-gateway rule test \(name) --limit 100", .usage)
            }
            let path = "/local/rules/\(PercentEncoding.segment(name))/test"
            let query = [("limit", "\(limit)"), ("event", try event.map(RuleCommand.event)), ("target", target)]
            var backend = try Backend.reading(viewing)
            if case .daemon(var client) = backend {
                // All changes once more: longer than the daemon itself goes on with it.
                client.patience = 45
                backend = .daemon(client)
            }
            try viewing.show(backend.get(path, query)) { text($0) }
        }

        private func text(_ page: JSONValue) -> String {
            let count = page["count"]?.integer ?? 0
            var lines: [String] = []
            if let since = viewing.time(page["since"]) {
                let times = count == 0 ? "It would not have fired" : count == 1 ? "Once" : "\(count) times"
                lines.append("\(times) since \(since).")
            }
            lines.append(page["reach"]?.string ?? "")
            let near = RuleCommand.nearMisses(page, viewing)
            return lines.map { Screen.lines($0) }.joined() + told(page) + acts(page)
                + (near.isEmpty ? "" : "\nNear misses:\n" + near)
        }

        /// Texts as they would leave.
        private func acts(_ page: JSONValue) -> String {
            (page["acts"]?.array ?? []).map { act in
                let why = act["why"]?.string.map { ["skipped: \($0)"] } ?? []
                let words = [viewing.time(act["at"]), act["nodeId"]?.string].compactMap(\.self) + why
                return "\n\(words.joined(separator: "  "))\n" + (act["packets"]?.array ?? []).map(packet).joined()
            }
            .joined()
        }

        private func packet(_ packet: JSONValue) -> String {
            let air = "\(packet["milliseconds"]?.decimal(0) ?? "?") ms on the air"
            let size = packet["textBytes"]?.integer.map { "\($0) of 200 bytes, " } ?? ""
            let head = "  \(packet["key"]?.string ?? "") \(printable(packet["to"]?.string ?? "")): \(size)\(air)\n"
            return head + (packet["text"]?.string.map { "    \(printable($0))\n" } ?? "")
        }

        /// Titles and messages as they arrive.
        private func told(_ page: JSONValue) -> String {
            (page["firings"]?.array ?? []).map { firing in
                let words = [viewing.time(firing["at"]), firing["state"]?.string, firing["fate"]?.string]
                let fate = words.last == "told" ? words.dropLast() : words[...]
                let body = (firing["body"]?.string ?? "").split(separator: "\n").map { "  \(printable(String($0)))\n" }
                return "\n\(fate.compactMap(\.self).joined(separator: "  "))\n"
                    + "  \(printable(firing["title"]?.string ?? ""))\n" + body.joined()
            }
            .joined()
        }
    }

    /// The text of a file; `-` is standard input.
    private static func event(_ file: String) throws -> String {
        guard let text = contents(of: file == "-" ? "/dev/stdin" : file) else {
            throw failure("\(file) cannot be read: \(systemMessage(errno)).", .noInput)
        }
        // A longer one would not even get to the daemon.
        guard text.utf8.count <= RuleTest.longestEvent else {
            throw failure("\(file) is longer than \(RuleTest.longestEvent) bytes; an event is one object.", .dataError)
        }
        return text
    }

    // MARK: what is shown

    fileprivate static func firings(_ page: JSONValue, _ viewing: Viewing) -> String {
        var table = Table([
            .init("TIME"), .init("FATE", expendability: 2), .init("STATE", expendability: 1),
            .init("TITLE", widest: 70),
        ])
        let firings = page["firings"]?.array ?? []
        for firing in firings {
            table.add([
                viewing.time(firing["at"]) ?? "", firing["fate"]?.string ?? "", firing["state"]?.string ?? "-",
                (firing["title"]?.string ?? "") + outcome(firing),
            ])
        }
        return firings.isEmpty ? "" : table.text(style: Screen.style(.bold), screen: Screen.width)
    }

    /// Why an act was skipped, or how far its text has come.
    private static func outcome(_ firing: JSONValue) -> String {
        (firing["reason"]?.string ?? firing["delivery"]?.string).map { " (\($0))" } ?? ""
    }

    /// How long all rules have been on the air.
    fileprivate static func airtime(_ page: JSONValue) -> String {
        let milliseconds = page["airtime"]?.integer ?? 0
        guard milliseconds > 0 else { return "nothing" }
        let tenths = max(1, (milliseconds + 50) / 100)
        return "for \(tenths / 10).\(tenths % 10) s"
    }

    fileprivate static func nearMisses(_ page: JSONValue, _ viewing: Viewing) -> String {
        var table = Table([
            .init("TIME"), .init("NODE", expendability: 1), .init("MESSAGE", expendability: 2),
            .init("WHY NOT", widest: 70),
        ])
        let misses = page["nearMisses"]?.array ?? []
        for miss in misses {
            table.add([
                viewing.time(miss["at"]) ?? "", miss["nodeId"]?.string ?? "-", miss["messageId"]?.string ?? "-",
                miss["condition"]?.string ?? "",
            ])
        }
        return misses.isEmpty ? "" : table.text(style: Screen.style(.bold), screen: Screen.width)
    }

    fileprivate static func setting(_ key: String, of rule: JSONValue) -> String? {
        rule["settings"]?.array?.first { $0["key"]?.string == key }?["value"]?.string
    }

    fileprivate static func state(_ rule: JSONValue, _ page: JSONValue) -> String {
        let isBroken = rule["mistakes"]?.array?.isEmpty == false
        if rule["builtIn"]?.bool == true { return "built in" }
        if rule["inForce"]?.bool == true { return isBroken ? "in force as before" : "in force" }
        if isBroken { return "broken" }
        return rule["enabled"]?.bool == false ? "switched off" : "no daemon runs"
    }

    /// One line each.
    fileprivate static func mistakes(_ page: JSONValue) -> [String] {
        let all = (page["mistakes"]?.array ?? []) + (page["rules"]?.array ?? []).flatMap { $0["mistakes"]?.array ?? [] }
        return all.map { mistake in
            let line = mistake["line"]?.integer.map { "\($0):" } ?? ""
            return printable("\(mistake["file"]?.string ?? ""):\(line) \(mistake["message"]?.string ?? "")") + "\n"
        }
    }
}

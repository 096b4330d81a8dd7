import CommandLine
import Glibc
import JSON
import Search
import Terminal

/// `mesh-gateway target`: where notifications go, beside the feed.
struct TargetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "target",
        abstract: "Shows, adds, tries and removes targets: webhooks, ntfy, Apprise.",
        discussion: """
            A target is where rules that name it (tell = phone) send what they notice, or a receiver that is called while \
            all is well. Each is a file of the folder targets.d beside the configuration file; mesh-gateway-targets(5) says \
            what it may hold. Of addresses only the host is shown.
            """,
        subcommands: [List.self, Show.self, Add.self, Test.self, Remove.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the targets, with what is wrong with their files.")

        @OptionGroup var viewing: Viewing

        func run() throws { try viewing.show(Backend.reading(viewing).get("/local/targets")) { text($0) } }

        private func text(_ page: JSONValue) -> String {
            let targets = page["targets"]?.array ?? []
            let mistakes = TargetCommand.mistakes(page)
            guard !targets.isEmpty || !mistakes.isEmpty else {
                return Screen.lines("There are no targets. To have one: sudo mesh-gateway target add phone ntfy")
            }
            var table = Table([
                .init("NAME"), .init("KIND", expendability: 1), .init("ADDRESS", widest: 40), .init("STATE"),
                .init("WAITING", .right, expendability: 2), .init("HELD", .right, expendability: 4),
                .init("LAST ARRIVED", expendability: 3),
            ])
            for target in targets {
                table.add([
                    target["name"]?.string ?? "", target["kind"]?.string ?? "", target["url"]?.string ?? "",
                    TargetCommand.state(target), target["waiting"]?.decimal(0) ?? "",
                    target["held"]?.decimal(0) ?? "",
                    viewing.ago(target["succeededAt"]),
                ])
            }
            return table.text(style: Screen.style(.bold), screen: Screen.width) + mistakes.joined()
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Shows one target: whether it takes what it is sent, and what waits for it.")

        @Argument(help: "Which target.")
        var name: String

        @OptionGroup var viewing: Viewing

        func run() throws {
            let page = try Backend.reading(viewing).get("/local/targets/\(PercentEncoding.segment(name))")
            try viewing.show(page) { text($0) }
        }

        private func text(_ page: JSONValue) -> String {
            guard let target = page["targets"]?.array?.first else { return "" }
            var lines = [
                "kind      \(target["kind"]?.string ?? "?")", "address   \(target["url"]?.string ?? "?")",
                "state     \(TargetCommand.state(target))", "waiting   \(target["waiting"]?.integer ?? 0)",
                "held      \(target["held"]?.integer ?? 0)",
                "arrived   \(viewing.ago(target["succeededAt"]))",
            ]
            if let time = viewing.time(target["summaryAt"]) {
                lines.append("over      its allowance is used up; what waits goes as a summary at \(time)")
            }
            if let fallback = target["fallback"]?.string { lines.append("fallback  \(fallback)") }
            if let error = target["error"]?.string { lines.append("error     \(error)") }
            return lines.map { printable($0) + "\n" }.joined() + TargetCommand.mistakes(page).joined()
        }
    }

    struct Test: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test", abstract: "Sends a notification to a target, and says whether it arrived.")

        @Argument(help: "Which target.")
        var name: String

        @OptionGroup var viewing: Viewing

        func run() throws {
            guard let client = try Reach.daemon(viewing.gatewayOptions.configuration()) else {
                throw failure("only a running daemon sends anything: sudo systemctl start mesh-gateway.", .unavailable)
            }
            let path = "/local/targets/\(PercentEncoding.segment(name))"
            var page = try Page(client.answer("POST", path + "/test", body: "{}"))
            var test = page.json["targets"]?.array?.first?["test"]
            // A request takes 30 seconds at most.
            for _ in 0..<350 where test?["state"]?.string == "underway" {
                usleep(100_000)
                page = try Page(client.answer("GET", path))
                test = page.json["targets"]?.array?.first?["test"]
            }
            let hasArrived = test?["state"]?.string == "arrived"
            if viewing.json {
                writeJSON(page.text)
                if !hasArrived { throw ExitCode(ExitStatus.unavailable.rawValue) }
                return
            }
            guard hasArrived else {
                let why = test?["error"]?.string ?? "there was no answer"
                throw failure("\(printable(name)) did not take it: \(printable(why)).", .unavailable)
            }
            writeToStandardOutput("\(printable(name)) has taken it.\n")
        }
    }

    // MARK: what is shown

    fileprivate static func state(_ target: JSONValue) -> String {
        let isBroken = target["mistakes"]?.array?.isEmpty == false
        guard target["inForce"]?.bool == true else { return isBroken ? "broken" : "no daemon runs" }
        if target["failing"]?.bool == true { return "fails" }
        if target["error"]?.string != nil { return "tried again" }
        return isBroken ? "in force as before" : "in force"
    }

    /// One line each.
    fileprivate static func mistakes(_ page: JSONValue) -> [String] {
        let all =
            (page["mistakes"]?.array ?? []) + (page["targets"]?.array ?? []).flatMap { $0["mistakes"]?.array ?? [] }
        let lines = all.map { mistake in
            let line = mistake["line"]?.integer.map { "\($0):" } ?? ""
            return printable("\(mistake["file"]?.string ?? ""):\(line) \(mistake["message"]?.string ?? "")") + "\n"
        }
        return lines + (page["obstacle"]?.string.map { ["Nothing is sent: \(printable($0))\n"] } ?? [])
    }
}

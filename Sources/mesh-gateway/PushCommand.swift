import CommandLine
import ControlAPI
import Glibc
import JSON
import Routes
import Store
import Terminal

/// `mesh-gateway push`: the apps and browsers that have asked to be told.
struct PushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Shows, tries and removes the phones and browsers that are told.",
        discussion: """
            An app or a browser registers by itself, with its token, and is told by a push service what that token sees of \
            the feed; mesh-gateway-push(5) says how. A registration ends with its token. Of addresses only the host is shown.
            """,
        subcommands: [List.self, Test.self, Remove.self, NewKey.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the registrations: whose each is, and whether it takes what it is sent."
        )

        @OptionGroup var viewing: Viewing

        func run() throws { try viewing.show(Backend.reading(viewing).get(PushCommand.path)) { text($0) } }

        private func text(_ page: JSONValue) -> String {
            let registrations = page["registrations"]?.array ?? []
            guard !registrations.isEmpty else {
                return Screen.lines(
                    "Nobody has registered. A browser does in the page, under Notifications, an app with a token.")
            }
            var table = Table([
                .init("ID", .right), .init("NAME", widest: 30), .init("TOKEN", widest: 24),
                .init("ADDRESS", widest: 40, expendability: 1),
                .init("RULES", widest: 30, expendability: 3), .init("STATE"),
                .init("WAITING", .right, expendability: 2), .init("LAST TOLD", expendability: 4),
            ])
            for row in registrations {
                table.add([
                    row["id"]?.decimal(0) ?? "", row["name"]?.string ?? "-", row["token"]?["name"]?.string ?? "?",
                    row["address"]?.string ?? "",
                    row["rules"]?.array.map { $0.compactMap(\.string).joined(separator: " ") } ?? "all",
                    PushCommand.state(row), row["waiting"]?.decimal(0) ?? "", viewing.ago(row["toldAt"]),
                ])
            }
            let errors = registrations.compactMap { row in
                row["error"]?.string.map { "\(row["id"]?.integer ?? 0): \($0)" }
            }
            return table.text(style: Screen.style(.bold), screen: Screen.width)
                + errors.map { Screen.lines(printable($0)) }.joined()
        }
    }

    struct Test: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test", abstract: "Sends a notification to a registration, and says whether it arrived.")

        @Argument(
            help: ArgumentHelp("Its number in push list.", valueName: "id"), completion: Completion.registrations)
        var id: Int

        @OptionGroup var viewing: Viewing

        func run() throws {
            guard let client = try Reach.daemon(viewing.gatewayOptions.configuration()) else {
                throw failure("only a running daemon sends anything: sudo systemctl start mesh-gateway.", .unavailable)
            }
            let path = "\(PushCommand.path)/\(id)"
            var page = try Page(client.answer("POST", path + "/test", body: "{}"))
            var test = page.json["registrations"]?.array?.first?["test"]
            // A request takes 30 seconds at most.
            for _ in 0..<350 where test?["state"]?.string == "underway" {
                usleep(100_000)
                page = try Page(client.answer("GET", path))
                test = page.json["registrations"]?.array?.first?["test"]
            }
            let hasArrived = test?["state"]?.string == "arrived"
            if viewing.json {
                writeJSON(page.text)
                if !hasArrived { throw ExitCode(ExitStatus.unavailable.rawValue) }
                return
            }
            guard hasArrived else {
                let why = test?["error"]?.string ?? "there was no answer"
                throw failure("its push service did not take it: \(printable(why)).", .unavailable)
            }
            writeToStandardOutput("Its push service has taken it.\n")
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Ends a registration; what waits for it is never sent.",
            discussion: """
                Its app or browser may register again for as long as its token is good; mesh-gateway token revoke ends \
                both.
                """)

        @Argument(
            help: ArgumentHelp("Its number in push list.", valueName: "id"), completion: Completion.registrations)
        var id: Int

        @Flag(help: "Print JSON for programs; its schemas are in /usr/share/mesh-gateway/schemas.")
        var json = false

        @OptionGroup var gatewayOptions: GatewayOptions

        func run() throws {
            let answer = try removed()
            if json { return writeToStandardOutput(answer.text + "\n") }
            writeToStandardOutput("The registration \(id) has ended.\n")
        }

        private func removed() throws -> Page {
            switch try Reach.find(gatewayOptions.configuration()) {
            case .daemon(let client): return try Page(client.answer("DELETE", "\(PushCommand.path)/\(id)"))
            case .file(let path):
                let store = try openStore(path)
                defer { store.close() }
                let number = Int64(id)
                guard try store.read({ try $0.registrations() }).contains(where: { $0.id == number }) else {
                    throw failure(
                        "there is no registration of this number; mesh-gateway push list shows them.", .noInput)
                }
                do { try store.commit { try $0.removeRegistration(number) } } catch {
                    throw failure("\(error).", .inputOutput)
                }
                return try Page(PushAnswer.removed(number, via: "database"))
            }
        }
    }

    struct NewKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new-key",
            abstract: "Makes another push key; browsers and UnifiedPush apps have to register again.",
            discussion: """
                Push services know this gateway by its key. It is made once and stays, also over a backup, because browsers \
                have registered for it: with another one their registrations are of no use, and end. Apple's devices stay \
                registered.
                """)

        @OptionGroup var viewing: Viewing

        func run() throws {
            let backend = try Backend.reading(viewing, isTold: false)
            guard case .daemon = backend else {
                throw failure("no daemon is running; start it: sudo systemctl start mesh-gateway", .unavailable)
            }
            let page = try backend.post("/local/push/new-key", body: "{}")
            try viewing.show(page) { page in
                let count = page["removed"]?.integer ?? 0
                let ended =
                    count == 0
                    ? "Nobody had registered for the old one."
                    : count == 1
                        ? "1 registration has ended, and has to be made again."
                        : "\(count) registrations have ended, and have to be made again."
                return Screen.lines("There is another push key. \(ended)")
            }
        }
    }

    // MARK: what is shown

    fileprivate static let path = "/local/push/registrations"

    fileprivate static func state(_ row: JSONValue) -> String {
        if row["state"]?.string != "ready" { return row["state"]?.string ?? "?" }
        return row["failingSince"]?.string == nil ? "ready" : "fails"
    }
}

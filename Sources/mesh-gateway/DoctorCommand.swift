import CommandLine
import Configuration
import Diagnostics
import Glibc
import JSON
import Platform
import Terminal

/// `mesh-gateway doctor`: what is wrong, and what to type.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks the gateway, the radio and this computer, and says what to type when something is wrong.",
        discussion: """
            Takes two seconds at most and changes nothing. Asks the running daemon; without one it checks the \
            database, the ports and the computer. Exit code 0 when everything is fine, 1 with a warning, 2 with a \
            fault.
            """)

    @Flag(help: "Print JSON for programs; its schema is in /usr/share/mesh-gateway/schemas.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Also write a tar archive for a bug report. It contains no keys, tokens, texts or positions.",
            valueName: "file"), completion: .file)
    var bundle: String?

    @Option(
        help: ArgumentHelp("A file whose first line is the newest version.", valueName: "file"),
        completion: .file)
    var updates: String?

    @OptionGroup var gatewayOptions: GatewayOptions

    func run() throws {
        let start = Deadline()
        let gathered = GatheredFacts(gatewayOptions, updates: updates, start)
        let results = CheckRunner.run(on: gathered.facts, patience: start.left)
        let report = DoctorReport(results, via: gathered.via, at: gathered.facts.now)
        writeToStandardOutput(json ? report.json + "\n" : report.text())
        if let bundle { try DoctorBundle(gathered, report).write(to: bundle, isQuiet: json) }
        // Not by returning: a check that hangs still has its thread.
        Glibc.exit(report.exitCode)
    }

    /// Of the two seconds that the doctor takes at most, in nanoseconds.
    struct Deadline: Sendable {
        private let start = Self.now
        private var elapsed: UInt64 { min(Self.now - start, 900_000_000) }

        /// For one of those who are asked for facts, before the checks.
        var forGathering: UInt64 { min(500_000_000, 950_000_000 - elapsed) }

        /// For the checks.
        var left: UInt64 { 1_900_000_000 - elapsed }

        private static var now: UInt64 { MonotonicClock.nanoseconds() }
    }
}

/// The results for people and for programs.
struct DoctorReport {
    let results: [CheckRunner.Result]
    /// Who knew of the radio: `daemon`, `database`, or `host` when neither could be asked.
    let via: String
    /// Host milliseconds.
    let time: Int64

    init(_ results: [CheckRunner.Result], via: String, at time: Int64) {
        self.results = results
        self.via = via
        self.time = time
    }

    private func count(_ status: Check.Status) -> Int { results.count { $0.finding.status == status } }

    private var worst: Check.Status { [.fault, .warning].first { count($0) > 0 } ?? .ok }

    var exitCode: Int32 {
        switch worst {
        case .fault: 2
        case .warning: 1
        case .ok, .skipped: 0
        }
    }

    // MARK: JSON

    var json: String {
        let checks = results.map { result in
            JSONText.object([
                ("name", JSONText.quoted(result.name)), ("status", JSONText.quoted(result.finding.status.rawValue)),
                ("message", JSONText.quoted(result.finding.message)),
                ("fix", result.finding.fix.map(JSONText.quoted) ?? "null"),
            ])
        }
        return JSONText.object([
            ("schema", "\"doctor/1\""), ("via", JSONText.quoted(via)),
            ("version", JSONText.quoted(MeshGateway.version)), ("at", JSONText.quoted(ISO8601.text(time))),
            ("worst", JSONText.quoted(worst.rawValue)),
            (
                "counts",
                JSONText.object(
                    [Check.Status.ok, .warning, .fault, .skipped].map { ($0.rawValue, String(count($0))) })
            ),
            ("checks", "[" + checks.joined(separator: ",") + "]"),
        ])
    }

    // MARK: text

    /// A line a check, what to type below it, and the sum.
    ///
    /// - Parameter isPlain: without colour, whatever the terminal.
    func text(width: Int? = Screen.width, isPlain: Bool = false) -> String {
        let entries = entries
        let names = (entries.map(\.name.count).max() ?? 0) + 2
        // A narrow screen has no room for three columns.
        let isStacked = width.map { $0 < Self.label + names + 30 } ?? false
        let gap = String(repeating: " ", count: isStacked ? 2 : Self.label + names)
        var text = ""
        for entry in entries {
            let (word, style) = Self.word(entry.finding.status)
            text += isPlain ? word : Screen.style(style).applied(to: word)
            text += String(repeating: " ", count: Self.label - word.count) + entry.name
            text += isStacked ? "\n" + gap : String(repeating: " ", count: names - entry.name.count)
            let lines = wrapped(printable(entry.finding.message), to: width.map { max(10, $0 - gap.count) })
            text += lines.joined(separator: "\n" + gap) + "\n"
            // Never broken, so that it can be copied.
            if let fix = entry.finding.fix {
                let command = printable(fix)
                text += gap + "-> " + (isPlain ? command : Screen.style(.bold).applied(to: command)) + "\n"
            }
        }
        return text + "\n" + wrapped(sum, to: width).joined(separator: "\n") + "\n"
    }

    private static let label = 9

    private static func word(_ status: Check.Status) -> (String, Style) {
        switch status {
        case .ok: ("ok", .green)
        case .warning: ("warning", .yellow)
        case .fault: ("FAULT", .red)
        case .skipped: ("skipped", .dim)
        }
    }

    /// The results, those that were skipped for one reason as one: where nothing is known of the radio, that is said once.
    private var entries: [CheckRunner.Result] {
        var entries: [CheckRunner.Result] = []
        var others: [String: [String]] = [:]
        for result in results {
            let isKnown = entries.contains { $0.finding == result.finding }
            if result.finding.status == .skipped, isKnown {
                others[result.finding.message, default: []].append(result.name)
            } else {
                entries.append(result)
            }
        }
        return entries.map { entry in
            var entry = entry
            guard entry.finding.status == .skipped, let names = others[entry.finding.message] else { return entry }
            entry.finding.message += " The same goes for \(names.joined(separator: ", "))."
            return entry
        }
    }

    private var sum: String {
        func words(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
        let source =
            switch via {
            case "daemon": "the running daemon was asked"
            case "database": "no daemon answered; the database was asked"
            default: "neither daemon nor database could be asked"
            }
        return "\(words(count(.fault), "fault")), \(words(count(.warning), "warning")), \(count(.ok)) ok, "
            + "\(count(.skipped)) skipped; \(source)."
    }
}

import CommandLine
import Glibc
import JSON
import Terminal

/// The options of every command that shows something of the mesh.
struct Viewing: ParsableArguments {
    @Flag(help: "Print JSON for programs; its schemas are in /usr/share/mesh-gateway/schemas.")
    var json = false

    @Flag(help: "Show times in UTC instead of local time.")
    var utc = false

    @Option(
        help: ArgumentHelp("Which of several radios: the source's name, device setting or UUID.", valueName: "source"),
        completion: Completion.sources)
    var source: String?

    @OptionGroup var gatewayOptions: GatewayOptions

    /// A time of a page, `2026-11-21 14:05:09`; nil stays nil.
    func time(_ value: JSONValue?) -> String? {
        value?.string.flatMap(ISO8601.milliseconds).map { localTime(milliseconds: $0, utc: utc) }
    }

    /// How long ago a time of a page was, `3 min ago`; `-` for null.
    func ago(_ value: JSONValue?) -> String {
        guard let then = value?.string.flatMap(ISO8601.milliseconds) else { return "-" }
        let seconds = Int64(Glibc.time(nil)) - then / 1000
        return seconds < 0
            ? localTime(milliseconds: then, utc: utc) : durationInWords(seconds: UInt64(seconds)) + " ago"
    }

    /// Shows a page: as it is, or as people read it.
    func show(_ page: Page, _ text: (JSONValue) throws -> String) throws {
        if json { return writeJSON(page.text) }
        writeToStandardOutput(try text(page.json))
    }
}

/// The screen that a command writes to.
enum Screen {
    /// Cells of a line; nil: no screen.
    static let width = screenWidth(of: STDOUT_FILENO, environment: GatewayOptions.environment)
    private static let isColoured = isColourWanted(on: STDOUT_FILENO, environment: GatewayOptions.environment)

    /// A sentence in lines that fit, each with a line feed.
    static func lines(_ sentence: String) -> String {
        wrapped(sentence, to: width).map { $0 + "\n" }.joined()
    }

    /// The style where colour is wanted, else none.
    static func style(_ style: Style) -> Style { isColoured ? style : .plain }
}

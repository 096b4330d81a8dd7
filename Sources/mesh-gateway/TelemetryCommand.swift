import CommandLine
import JSON
import Terminal

/// `mesh-gateway telemetry`: what a node measures.
struct TelemetryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "telemetry",
        abstract: "Shows the last values that a node reported, and one of them over time.",
        discussion: "mesh-gateway request telemetry NODE asks a node for its present ones.")

    @Argument(help: "Which node: an id, a number, or a name.", completion: Completion.nodes)
    var node: String

    @Option(help: "The value to draw, such as batteryLevel, voltage, temperature.")
    var metric: String?

    @Option(help: ArgumentHelp("The time to draw: 6h, 24h, 7d.", valueName: "time"))
    var since = "24h"

    @OptionGroup var viewing: Viewing

    func run() throws {
        let page = try Backend.reading(viewing).get(
            "/local/telemetry/\(PercentEncoding.segment(node))",
            [("source", viewing.source), ("metric", metric), ("since", since)])
        try viewing.show(page, text)
    }

    private func text(_ page: JSONValue) -> String {
        let name = printable("\(page["node"]?["longName"]?.string ?? "") (\(page["node"]?["nodeId"]?.string ?? node))")
        let latest = page["latest"]?.array ?? []
        guard !latest.isEmpty else {
            return
                "\(name) has sent no telemetry yet. Ask for it: mesh-gateway request telemetry '\(printable(node))'\n"
        }
        var table = Table([.init("METRIC"), .init("VALUE", .right), .init("UNIT"), .init("TOLD", expendability: 1)])
        for value in latest {
            // Two digits of a degree are a kilometre.
            let digits = ["latitude", "longitude"].contains(value["metric"]?.string) ? 5 : 2
            table.add([
                value["metric"]?.string ?? "", value["value"]?.shortest(digits) ?? "-", value["unit"]?.string ?? "",
                viewing.ago(value["time"]),
            ])
        }
        return Screen.style(.bold).applied(to: cut(name, to: Screen.width)) + "\n"
            + table.text(style: Screen.style(.bold), screen: Screen.width) + "\n" + chart(page)
    }

    private func chart(_ page: JSONValue) -> String {
        guard let series = page["series"], let metric = series["metric"]?.string,
            let start = page["since"]?.string.flatMap(ISO8601.milliseconds),
            let end = page["until"]?.string.flatMap(ISO8601.milliseconds), start < end
        else { return "" }
        let points = (series["points"]?.array ?? []).compactMap { point -> Chart.Point? in
            guard case .number(let value)? = point["value"],
                let time = point["time"]?.string.flatMap(ISO8601.milliseconds)
            else { return nil }
            return Chart.Point(time: time, value: value)
        }
        let width = min(Screen.width ?? 80, 120)
        let unit = series["unit"]?.string.map { " \($0)" } ?? ""
        guard let last = points.last else {
            return wrapped("No \(metric) in this time; --since 7d looks further back.", to: width)
                .joined(separator: "\n") + "\n"
        }
        let values = points.map(\.value)
        let title =
            "\(metric): last \(shown(last.value))\(unit), min \(shown(values.min() ?? 0)), max \(shown(values.max() ?? 0))"
        let isDay = end - start <= 43_200_000
        let lines = Chart(points, from: start, to: end).lines(
            width: width, height: width < 40 ? 5 : 8, isUnicode: isUTF8(environment: GatewayOptions.environment),
            value: shown
        ) { time in
            let text = localTime(milliseconds: time, utc: viewing.utc)
            return String(text.dropFirst(isDay ? 11 : 5).prefix(isDay ? 5 : 11)) + (viewing.utc ? "Z" : "")
        }
        return (wrapped(printable(title), to: width) + lines).joined(separator: "\n") + "\n"
    }

    private func shown(_ value: Double) -> String { JSONValue.number(value).shortest(2) ?? "\(value)" }
}

extension JSONValue {
    /// A number with at most so many digits behind its point, none of them a zero at the end.
    func shortest(_ digits: Int) -> String? {
        guard var text = decimal(digits) else { return nil }
        guard digits > 0 else { return text }
        while text.hasSuffix("0") { text.removeLast() }
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

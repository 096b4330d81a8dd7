import CommandLine
import Glibc
import JSON
import Platform
import Terminal

/// Asks a node for something and waits for what it says.
struct Awaiting {
    /// Nobody answered, or somebody said no.
    static let unanswered = ExitCode(5)

    let backend: Backend
    let viewing: Viewing
    /// Seconds.
    let timeout: Int

    static func check(timeout: Int, channel: Int?) throws {
        guard (1...3600).contains(timeout) else { throw ValidationError("Wait for 1 to 3600 seconds.") }
        guard (0...7).contains(channel ?? 0) else { throw ValidationError("A channel is a number from 0 to 7.") }
    }

    /// The page's last state: `answered`, `failed`, or still `waiting` when the time is up.
    ///
    /// - Parameter path: of the page that tells, given the packet id and the node's id.
    func answer(
        to kind: String, of node: String, channel: Int?, at path: (String, String) -> (String, [(String, String?)])
    ) throws -> Page {
        Interruption.watch()
        let body = JSONText.object(
            [("node", JSONText.quoted(node))] + (channel.map { [("channel", "\($0)")] } ?? []))
        let request = try backend.post("/local/requests/\(kind)", [("source", viewing.source)], body: body)
        guard let packet = request.json["packetId"]?.decimal(0), let id = request.json["nodeId"]?.string else {
            throw failure("the request was answered with something else; restart the daemon.", .software)
        }
        let (page, query) = path(packet, id)
        let progress = Progress(isQuiet: viewing.json)
        defer { progress.end() }
        let start = MonotonicClock.milliseconds()
        while true {
            let answer = try backend.get(page, [("source", viewing.source)] + query)
            let passed = (MonotonicClock.milliseconds() - start) / 1000
            if answer.json["state"]?.string != "waiting" || passed >= timeout { return answer }
            progress.show("asked \(id), waiting for its answer (\(passed) s of \(timeout))")
            // Twice a second: an answer takes seconds on the air.
            usleep(500_000)
            if Interruption.hasCome { throw ExitCode(Interruption.exitCode) }
        }
    }

    /// Shows the answer; without one says so, and ends with its exit code.
    func show(_ page: Page, _ text: (JSONValue) throws -> String) throws {
        let state = page.json["state"]?.string
        if state == "answered" { return try viewing.show(page, text) }
        if viewing.json { writeJSON(page.text) }
        let node = printable(page.json["node"]?["longName"]?.string ?? "the node")
        let id = page.json["node"]?["nodeId"]?.string ?? ""
        let reason =
            state == "failed"
            ? "\(node) (\(id)) did not answer: \(printable(page.json["reason"]?.string ?? "it refused"))"
            : "\(node) (\(id)) did not answer within \(timeout) s"
        writeToStandardError("mesh-gateway: \(reason). mesh-gateway node '\(id)' shows when it was last heard.\n")
        throw Self.unanswered
    }
}

import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// A gateway beside a simulated radio of this process, and the commands that a person types there.
private struct Desk {
    let folders: Folders
    let here: RadioHere
    let gateway: ServedGateway

    init() throws {
        folders = try Folders()
        here = try RadioHere()
        var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
        try gateway.authorize()
        try gateway.waitUntilLive()
        self.gateway = gateway
    }

    func run(_ words: [String], columns: Int? = nil) throws -> (code: Int32, output: String, errors: String) {
        var environment = ["LC_ALL": "C.UTF-8"]
        if let columns { environment["COLUMNS"] = "\(columns)" }
        let program = try Program(words, in: folders, environment: environment)
        return (try program.exitCode(), program.output.text, program.errors.text)
    }

    func page(_ words: String...) throws -> JSON {
        let run = try run(words + ["--json"])
        try #require(run.code == 0, "\(words): \(run.errors)")
        return try JSONDecoder().decode(JSON.self, from: Data(run.output.utf8))
    }
}

@Test func aNodeIsAskedAndAnswers() throws {
    let desk = try Desk()
    let hiker = desk.here.radio.nodes[0]
    let route = try desk.run(["traceroute", hiker.number.id])
    #expect(route.code == 0 && route.errors.isEmpty, "\(route.errors)")
    #expect(route.output.contains("there") && route.output.contains("back") && route.output.contains(" dB"))
    for columns in [80, 40, 20] {
        let last = try desk.run(["traceroute", "--last", hiker.number.id], columns: columns)
        #expect(last.code == 0)
        #expect(last.output.split(separator: "\n").allSatisfy { $0.count <= columns }, "\(last.output)")
    }
    #expect(try desk.page("traceroute", "--last", hiker.number.id)["state"] == "answered")

    let telemetry = try desk.page("request", "telemetry", hiker.number.id)
    #expect(telemetry["telemetry"].rows.contains { $0["metric"] == "batteryLevel" })
    #expect(telemetry["kind"] == "telemetry" && telemetry["position"] == .null)
    let named = try desk.page("request", "nodeinfo", hiker.number.id)["nodeinfo"]
    #expect(named["longName"].string == hiker.user?.longName)

    // What was answered is there to be looked at.
    let packets = try desk.page("packets", "--from", hiker.number.id)["packets"].rows
    #expect(Set(packets.compactMap { $0["portName"].string }).isSuperset(of: ["TRACEROUTE_APP", "TELEMETRY_APP"]))
    let row = try #require(packets.first { $0["portName"] == "TRACEROUTE_APP" }?["row"].integer)
    let explained = try desk.run(["explain", "\(row)"])
    #expect(explained.code == 0 && explained.output.contains("snr_towards") && explained.output.contains("airtime"))
    // The log has columns, and not the bytes; what is given on the command line is what came.
    let origin = "put together from the log's columns; not the bytes that came"
    #expect(explained.output.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(origin))
    let given = try desk.run(["explain", "--hex", "0a03616263"])
    #expect(given.code == 0 && !given.output.contains("put together"))
    let chart = try desk.run(["telemetry", hiker.number.id, "--metric", "voltage"], columns: 60)
    #expect(chart.code == 0 && chart.output.contains("voltage: last"), "\(chart.output)")
    #expect(chart.output.contains("└──"))
    let unknown = try desk.run(["telemetry", hiker.number.id, "--metric", "colour"])
    #expect(unknown.code == 66 && unknown.errors.contains("it has ") && unknown.errors.contains("batteryLevel"))
    #expect(try desk.page("links", "--node", hiker.number.id)["links"].rows.isEmpty == false)
    try desk.gateway.program.stop()
}

@Test func aSilentNodeIsNoSuccess() throws {
    let desk = try Desk()
    let silent = try #require(desk.here.radio.nodes.first { $0.behaviour == .isSilent && $0.user != nil })
    let route = try desk.run(["traceroute", silent.number.id])
    #expect(route.code == 5)
    #expect(route.output.isEmpty && route.errors.split(separator: "\n").count == 1, "\(route.errors)")
    #expect(route.errors.contains("did not answer") && route.errors.contains("mesh-gateway node "))
    let impatient = try desk.run(["request", "position", silent.number.id, "--timeout", "1", "--json"])
    // On a busy machine the radio may have given up meanwhile.
    #expect(impatient.code == 5 && impatient.output.contains("\"position\":null"), "\(impatient.output)")
    try desk.gateway.program.stop()
}

@Test func aWrongWordIsOneSentenceWithWhatToType() throws {
    let desk = try Desk()
    let far = try #require(desk.here.radio.nodes.first { $0.hopsAway > 0 && $0.user != nil }).number.id
    let cases: [(words: [String], code: Int32, hint: String)] = [
        (["traceroute", "nobody"], 66, "mesh-gateway nodes"), (["telemetry", "nobody"], 66, "mesh-gateway nodes"),
        (["request", "neighbors", far], 65, "--filter direct"), (["packets", "--port", "nonsense"], 65, "telemetry"),
        (["packets", "--since", "soon"], 65, "30m"), (["packets", "--channel", "nowhere"], 66, "index"),
        (["explain", "4711"], 66, "mesh-gateway packets"), (["explain", "--hex", "xyz"], 65, "0d1234ab"),
        (["explain", "--hex", "00", "--preset", "FAST"], 65, "LONG_FAST"), (["links", "--since", "x"], 65, "7d"),
        (["traceroute", "--last", far], 66, "mesh-gateway traceroute"),
    ]
    for (words, code, hint) in cases {
        let run = try desk.run(words)
        #expect(run.code == code, "\(words): \(run.errors)")
        #expect(run.errors.contains(hint) && run.errors.split(separator: "\n").count == 1, "\(words): \(run.errors)")
        #expect(run.output.isEmpty)
    }
    let wrong = [
        ["explain"], ["explain", "1", "--hex", "00"], ["traceroute", far, "--channel", "8"], ["request", "x", far],
        ["request", "position", far, "--timeout", "0"],
    ]
    for words in wrong {
        #expect(try desk.run(words).code == 64)
    }
    try desk.gateway.program.stop()
}

/// A name that is at home in neither a terminal nor a DOT file.
@Test func aGraphIsSafeFromNames() throws {
    let desk = try Desk()
    let quotes = try #require(desk.here.radio.nodes.first { $0.user?.longName.contains("\"") == true })
    desk.here.radio.inject(
        MeshPacket(
            from: quotes.number, to: .broadcast, id: 77,
            payload: .decoded(MeshData(port: .textMessage, payload: Array("hello".utf8))), rxSNR: 4.5, rxRSSI: -80,
            hopLimit: 3, hopStart: 3, transport: .lora))
    try desk.gateway.eventually("the link is known") { try !desk.page("links")["links"].rows.isEmpty }
    let graph = try desk.run(["links", "--graphviz"])
    #expect(graph.code == 0)
    #expect(graph.output.hasPrefix("digraph mesh {") && graph.output.hasSuffix("}\n"))
    let label = try #require(graph.output.split(separator: "\n").first { $0.contains("label=\"\\\"Quotes") })
    // Every quotation mark but those around the identifiers is escaped.
    #expect(label.replacing(/\\./, with: "").filter { $0 == "\"" }.count == 4, "\(label)")
    try desk.gateway.program.stop()
}

@Test func withoutADaemonTheDatabaseTells() throws {
    let desk = try Desk()
    let hiker = desk.here.radio.nodes[0].number.id
    #expect(try desk.run(["traceroute", hiker]).code == 0)
    let words = [["packets"], ["links"], ["telemetry", hiker], ["traceroute", "--last", hiker]]
    let before = try words.map { try desk.run($0 + ["--json"]).output }
    try desk.gateway.program.stop()
    for (words, page) in zip(words, before) {
        let run = try desk.run(words + ["--json"])
        #expect(run.code == 0 && run.output.contains("\"via\":\"database\""))
        // But for the time of asking, and who answers.
        let member = words[0] == "telemetry" ? "\"latest\":" : words[0] == "links" ? "\"links\":" : "\"source\":"
        let tail = { (text: String) in text.firstRange(of: member).map { text[$0.lowerBound...] } }
        #expect(tail(run.output) != nil && tail(run.output) == tail(page), "\(words)")
    }
    // Without a daemon the command takes the radio itself.
    let device = "tcp:127.0.0.1:\(try desk.here.radio.listen())"
    let own = try desk.run(["request", "nodeinfo", hiker, "--device", device, "--json"])
    #expect(own.code == 0 && own.output.contains("\"via\":\"radio\""), "\(own.errors)")
    let nobody = try desk.run(["request", "position", hiker, "--device", "tcp:127.0.0.1:1", "--timeout", "1"])
    #expect(nobody.code == 69 && nobody.errors.split(separator: "\n").count == 1, "\(nobody.errors)")
}

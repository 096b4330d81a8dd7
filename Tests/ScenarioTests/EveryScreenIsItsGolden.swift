import Foundation
import Goldens
import Testing

@testable import ServedProgram

/// What people see: every command in a real terminal of 80 and of 40 columns, beside a gateway and a simulated radio
/// whose wall clocks stand still. `deploy/golden` writes the screens anew; read the difference before you commit it.
@Suite struct EveryScreenIsItsGolden {
    /// Each screen under its name and its columns.
    static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Screens.txt")

    /// Name of the screen | command. In this order: later screens show what earlier commands have done.
    static let commands: [(name: String, command: String)] = [
        ("nodes", "mesh-gateway nodes"),
        ("nodes-near", "mesh-gateway nodes --sort distance --filter direct --filter located"),
        ("node", "mesh-gateway node 山"), ("channels", "mesh-gateway channels"), ("keys", "mesh-gateway keys"),
        ("token", "mesh-gateway token"), ("node-unknown", "mesh-gateway node nobody"),
        ("radio-config", "mesh-gateway radio config get lora bluetooth network.wifi_psk"),
        // Without a terminal to ask at, so that it only shows what it would do.
        ("radio-config-set", "mesh-gateway radio config set lora.hop_limit=6 owner.long_name='Hut 7' </dev/null"),
        ("channel-url", "mesh-gateway channel url --qr"),
        (
            "channel-add",
            "mesh-gateway channel add 'https://meshtastic.org/e/#CgoSAQEaBVRlc3QxCgMSAQISBAgBOAE' --replace </dev/null"
        ),
        ("telemetry", "mesh-gateway telemetry SMT --metric batteryLevel"),
        ("traceroute", "mesh-gateway traceroute --last SMT"), ("links", "mesh-gateway links --node SMT"),
        ("conversations", "mesh-gateway conversations"),
        ("explain", "mesh-gateway explain --hex \(position)"), ("help", "mesh-gateway --help"),
        ("messages", "mesh-gateway messages"), ("doctor-help", "mesh-gateway help doctor"),
        (
            "config-show",
            "cd $XDG_RUNTIME_DIR && printf 'name = \"Hut # 7\"\\nflight-recorder = no\\n' > own.conf "
                + "&& mesh-gateway config show --config own.conf name flight-recorder log-level allowed-origins"
        ),
        (
            "config-check",
            "cd $XDG_RUNTIME_DIR && printf 'devcie = auto\\nlisten = 8080\\nlisten = here\\n' > mesh.conf "
                + "&& mesh-gateway config check --config mesh.conf"
        ),
        ("packets", "mesh-gateway packets"), ("status", "mesh-gateway status"),
        ("radio-info", "mesh-gateway radio info"), ("doctor", "mesh-gateway doctor"),
        ("waypoint-none", "mesh-gateway waypoint"), ("waypoint-help", "mesh-gateway help waypoint create"),
        ("waypoint-create", "mesh-gateway waypoint create 'Base camp' 46.2044,6.1432 --icon 🏕 --channel 1"),
        ("node-noted", "mesh-gateway node SMT --nickname 'Summit hut' --notes 'the key is under the stone'"),
        ("send-position", "mesh-gateway send-position SMT"), ("push-none", "mesh-gateway push"),
    ]

    /// Numbers of processes and seconds that have passed stand in these: of another length, they would break narrow lines
    /// elsewhere.
    private static let wideOnly: Set = ["status", "radio-info", "doctor", "waypoint-create"]

    /// A position of another node, as a radio hands it on.
    private static let position =
        "0d14a00f8615ffffffff2219080312150d0000361c150000ca0618f20d280298010bb8010e353d27deb33ddb75016b450000a8404801"
        + "580a7803a80101"

    @Test func everyScreenIsItsGolden() throws {
        let mesh = try StandingMesh()
        var screens = Sections([:])
        for (name, command) in Self.commands {
            for columns in Self.wideOnly.contains(name) ? [80] : [80, 40] {
                screens.texts["\(name)-\(columns)"] = try mesh.screen(of: command, columns: columns)
            }
        }
        if ProcessInfo.processInfo.environment["MESH_GATEWAY_UPDATE_GOLDEN"] != nil {
            return try screens.write(to: Self.file)
        }
        let golden = try Sections(contentsOf: Self.file)
        for (name, screen) in screens.texts.sorted(by: { $0.key < $1.key }) {
            if let difference = golden.difference(of: screen, named: name) { Issue.record("\(difference)") }
        }
        for name in golden.texts.keys where screens.texts[name] == nil { Issue.record("no command shows \(name)") }
    }
}

/// A gateway beside a simulated radio, and a terminal beside them, all at noon of one day. The mesh says nothing by
/// itself.
struct StandingMesh {
    let folders: Folders
    let gateway: ServedGateway
    private let radio: Program
    private let terminal: RealTerminal

    /// 2026-11-21, 12:00:00 UTC.
    private static let noon = "1795262400"

    init() throws {
        folders = try Folders()
        let clock = ["LD_PRELOAD": try SharedObject.standingClock.get(), "STANDING_CLOCK": Self.noon]
        radio = try Program(["simulate", "--tcp", "0", "--chatter", "0"], in: folders, environment: clock)
        let line = try radio.output.line(containing: "Listening on")
        let port = try #require(line.firstMatch(of: /127\.0\.0\.1:(\d+);/)?.1)
        var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(port)", in: folders, environment: clock)
        try gateway.waitUntilLive()
        try gateway.authorize()
        try gateway.eventually("all nodes are there") { try gateway.client.get("/api/v1/nodes").data.rows.count == 25 }
        // A route, and a text that was repeated.
        #expect(try Program.run("traceroute", "SMT", in: folders, environment: clock).code == 0)
        #expect(try Program.run("send", "Back at noon ⛰️", "--channel", "0", "--wait", in: folders).code == 0)
        self.gateway = gateway
        terminal = RealTerminal(in: folders, environment: clock)
    }

    /// What a command's screen shows, with the same word in the place of everything that differs from run to run.
    func screen(of command: String, columns: Int) throws -> String {
        let screen = try terminal.screen(of: command, columns: columns)
        return Self.withoutChance(
            command.hasPrefix("mesh-gateway doctor") ? Self.aboutTheMesh(screen) : screen, folders)
    }

    /// What a shell command writes that asks the gateway as a reader of README.md would.
    func answer(to command: String) throws -> String {
        let shell = try Program(
            ["-c", command.replacing("localhost:8080", with: "127.0.0.1:\(gateway.client.port)")], in: folders,
            environment: ["TOKEN": gateway.client.token ?? ""], executable: "bash")
        #expect(try shell.exitCode() == 0, "\(command): \(shell.errors.text)")
        return Self.withoutChance(shell.output.text, folders)
    }

    private static func withoutChance(_ text: String, _ folders: Folders) -> String {
        text.replacing("\(folders.root)/run/", with: "/run/mesh-gateway/")
            .replacing("\(folders.root)/state/mesh-gateway/", with: "/var/lib/mesh-gateway/")
            .replacing(folders.root, with: "/tmp/scenario.XXXXXX")
            .replacing(/(tcp:)?127\.0\.0\.1:\d+/) { $0.1 == nil ? "127.0.0.1:8080" : "tcp:127.0.0.1:4403" }
            .replacing(/\bid \d{8,}/, with: "id ID").replacing(/Waypoint \d+/, with: "Waypoint 4711")
            .replacing(/mm_v1_[0-9a-f]{6}/, with: "mm_v1_xxxxxx")
            .replacing(/process \d+/, with: "process 4711")
            // That the last one is closed may not have been seen.
            .replacing(/\d connections?/, with: "1 connection")
            .replacing(/(up|Running +|connected for|daemon.* for) \d+ s/, with: { "\($0.1) 5 s" })
            .replacing(/(Clock .*12:00:)\d\d, \d+ s/, with: { "\($0.1)05, 5 s" })
            // Nothing goes to a disk where /tmp is kept in memory, as in Debian 13.
            .replacing("0 bytes to the disk", with: "100 kB to the disk")
            .replacing(/\d+ kB(,|\n| of 200| to the disk| are in use)/, with: { "100 kB\($0.1)" })
    }

    /// The checks of a doctor's screen that look at no more than the gateway and its radio: all others say something else
    /// on each computer.
    private static func aboutTheMesh(_ screen: String) -> String {
        let checks: Set = [
            "daemon-version", "tokens", "radio-link", "radio-silence", "radio-restarts", "firmware", "region",
            "transmitter", "store-and-forward", "debug-text", "weak-keys", "shared-keys", "key-changes",
            "favorites", "renumbered-nodes", "database-writes", "outbox",
        ]
        var isShown = false
        return screen.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            let words = line.split(separator: " ")
            if line.hasPrefix("[exit") { return true }
            // What begins with a blank goes on.
            if !line.hasPrefix(" ") { isShown = words.count > 1 && checks.contains(String(words[1])) }
            return isShown
        }.joined(separator: "\n") + "\n"
    }
}

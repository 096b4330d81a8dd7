import CommandLine
import Glibc
import RadioSimulator

/// `mesh-gateway simulate`: a simulated radio by itself, for the gateway, the official tools or a phone.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Runs a simulated radio with a mesh behind it.",
        discussion: """
            It speaks the serial API on a TCP port of this machine (radios use 4403) or on a pseudo terminal, until it \
            is interrupted. The same seed gives the same mesh.
            """)

    @Option(help: ArgumentHelp("Listen on this port of 127.0.0.1; 0 picks a free one.", valueName: "port"))
    var tcp: UInt16?

    @Option(help: ArgumentHelp("Open a pseudo terminal and make this symbolic link to it.", valueName: "link"))
    var pty: String?

    @OptionGroup var mesh: SimulatedMeshOptions

    func validate() throws {
        guard tcp != nil || pty != nil else {
            throw ValidationError("say where: --tcp 4403, --pty /tmp/radio, or both.")
        }
    }

    func run() throws {
        var signals = Signals()
        let radio: SimulatedRadio
        do {
            radio = try SimulatedRadio(mesh.options)
            radio.start()
            if let tcp {
                let port = try radio.listen(port: tcp)
                writeToStandardOutput(
                    "Listening on 127.0.0.1:\(port); try: mesh-gateway serve --device tcp:127.0.0.1:\(port)\n")
            }
            if let pty {
                _ = try radio.openPty(link: pty)
                writeToStandardOutput("Open as \(pty); try: mesh-gateway serve --device \(pty)\n")
            }
        } catch {
            throw failure("\(error).", .unavailable)
        }
        while signals.wait() == SIGHUP {}
        radio.stop()
    }
}

/// What mesh to simulate, for `simulate` and for `serve --device simulated`.
struct SimulatedMeshOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many other nodes the mesh has.", valueName: "count"))
    var nodes = 24

    @Option(help: ArgumentHelp("The same seed gives the same mesh.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("The firmware to behave like: 2.7, 2.8 or 2.8.1.", valueName: "version"))
    var firmware = "2.8"

    @Option(
        help: ArgumentHelp(
            "Packets a minute that the mesh sends on its own, up to 6000 (100 a second); 0 for none.", valueName: "rate"
        ))
    var chatter = 12.0

    @Flag(
        help: """
            Be as from the shop: no region, no key pair until there is one, the default channel and a name made of \
            the node's number.
            """)
    var fresh = false

    @Flag(
        help: """
            Say nothing unasked: no chatter, and not the radio's own metrics either, which real ones hand to \
            their host every minute.
            """)
    var silent = false

    @Flag(
        help: """
            Let the mesh also talk on a channel that the radio does not have, called Climbers, with the key \
            cHFyc3R1dnd4eXp7fH1+fw==. Firmware 2.7 hands on what it cannot read, 2.8 does not.
            """)
    var hiddenChannel = false

    @Option(
        name: .customLong("misbehave"),
        help: ArgumentHelp(
            "What is wrong with the radio; may be repeated: \(Misbehaviour.all.map(\.name).joined(separator: ", ")).",
            valueName: "fault"))
    var faults: [String] = []

    private static let firmwares: [String: SimulatorOptions.Firmware] = [
        "2.7": .v2_7, "2.8": .v2_8, "2.8.1": .v2_8_1,
    ]

    func validate() throws {
        guard (0...10_000).contains(nodes) else { throw ValidationError("--nodes is a number from 0 to 10000.") }
        guard Self.firmwares[firmware] != nil else { throw ValidationError("--firmware is 2.7, 2.8 or 2.8.1.") }
        guard (0...6000).contains(chatter) else { throw ValidationError("--chatter is a number from 0 to 6000.") }
        for fault in faults where !Misbehaviour.all.contains(where: { $0.name == fault }) {
            throw ValidationError(
                "--misbehave \(fault): there are \(Misbehaviour.all.map(\.name).joined(separator: ", ")).")
        }
    }

    var options: SimulatorOptions {
        var options = SimulatorOptions()
        options.nodes = nodes
        options.seed = seed
        options.firmware = Self.firmwares[firmware] ?? .v2_8
        options.isFresh = fresh
        options.chatter = silent ? 0 : chatter
        options.tellsOwnTelemetry = !silent
        options.hiddenChannel = hiddenChannel ? .climbers : nil
        for fault in faults { options.misbehaviour.formUnion(Misbehaviour.all.first { $0.name == fault }!.value) }
        return options
    }
}

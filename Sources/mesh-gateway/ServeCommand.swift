import CShims
import CommandLine
import Configuration
import Glibc
import Systemd

/// `mesh-gateway serve`: the daemon.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the gateway: owns the radio and serves the REST API.",
        discussion: """
            Without options it uses the one radio that is plugged in, and serves on port 8080 of all addresses. With \
            several --device options it serves several radios, a source each. Values come from the configuration file, \
            its drop-ins, MESH_GATEWAY_... environment variables and the options, each stronger than the one before; \
            mesh-gateway config show lists them.

            On SIGHUP it reads the configuration, the rules, the targets, the brokers and the certificate again. The log \
            says what of them has changed, and what needs a restart. Mistakes are named there: one in the configuration changes none \
            of its settings; one in the file of a rule, a target or a broker leaves the last good version of that file in force.
            """)

    @OptionGroup var gatewayOptions: GatewayOptions

    @Option(
        help: ArgumentHelp(
            "Serve here: on a TCP port, on a Unix socket (unix:/PATH), or on sockets from systemd (systemd); may be "
                + "repeated. Default: *:8080.",
            valueName: "host:port"))
    var listen: [String] = []

    @Option(
        help: ArgumentHelp(
            "Share the radio with Meshtastic's own apps and tools on this TCP port: read, send (unless said otherwise) or "
                + "admin is what they may do; may be repeated. Default: not shared.",
            valueName: "address:port[/right][@source]"))
    var share: [String] = []

    @Option(help: ArgumentHelp("How much is logged: trace, debug, info, notice, warning or error.", valueName: "level"))
    var logLevel: String?

    func run() throws {
        // Before the first thread, which inherits what is blocked, and reads the environment.
        mg_keep_little_memory()
        var signals = Signals()
        let manager = ServiceManager.fromEnvironment()
        let handed = HandedSocket.fromEnvironment()
        if let manager { failureListener.withLock { $0 = { manager.status($0) } } }
        let settings = try gatewayOptions.configuration(options)
        // A large database on a slow card, after a power cut or an update.
        manager?.extendTimeout(seconds: UpgradeReport.patience)
        manager?.status("opening the database")
        let upgrade = UpgradeReport(manager)
        let daemon: ServingDaemon
        do {
            let file = gatewayOptions.read(options).file
            daemon = try ServingDaemon(settings, from: file, handed, manager, upgrade)
        } catch  where upgrade.signal != nil {
            // An orderly stop, only earlier than most.
            return
        }
        try daemon.start()
        mg_give_back_code()
        var watch = manager.map {
            Watch($0, daemon.parts.gateway, daemon.server, daemon.reload, daemon.socket, daemon.logger)
        }
        var isEnding = false
        while !isEnding {
            let deadlines = [watch?.deadline, daemon.shares?.deadline].compactMap { $0 }
            switch signals.wait(until: deadlines.min()) {
            case nil: break
            case Signals.wake: watch?.tell()
            case SIGHUP:
                manager?.reloading()
                daemon.reload.apply(gatewayOptions.read(options))
                manager?.ready()
                watch?.tell()
            default: isEnding = true
            }
            watch?.checkIfDue()
            daemon.openShares()
        }
        manager?.stopping()
        daemon.stop()
    }

    private func options(_ options: inout Configuration.Options) {
        options.listen = listen
        options.shares = share
        options.logLevel = logLevel
    }
}

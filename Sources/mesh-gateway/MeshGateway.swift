import CommandLine
import Glibc
import MQTTBridge

/// The command line: one file a command, named after what is typed (README.md).
@main
struct MeshGateway: ParsableCommand {
    static let version = "0.2.0"

    static let configuration = CommandConfiguration(
        commandName: "mesh-gateway",
        abstract: "Owns a Meshtastic radio and serves its mesh over a MeshMonitor-compatible REST API.",
        discussion: """
            Exit codes follow sysexits: 0 fine, 64 wrong usage, 65 damaged or newer data, 66 no such input, 69 service \
            not available, 70 internal error, 71 system error, 73 cannot create, 74 input or output failed, 77 no \
            permission, 78 wrong configuration.
            """,
        version: "mesh-gateway \(version)",
        groupedSubcommands: [
            CommandGroup(
                name: "The mesh",
                subcommands: [
                    StatusCommand.self,
                    NodesCommand.self,
                    NodeCommand.self,
                    ChannelsCommand.self,
                    ConversationsCommand.self,
                    ConversationCommand.self,
                    MessagesCommand.self,
                    SendCommand.self,
                    ListenCommand.self,
                    KeysCommand.self,
                    PacketsCommand.self,
                    ExplainCommand.self,
                    TelemetryCommand.self,
                    TracerouteCommand.self,
                    RequestCommand.self,
                    LinksCommand.self,
                    WaypointCommand.self,
                    SendPositionCommand.self,
                ]),
            CommandGroup(
                name: "The radio",
                subcommands: [
                    DoctorCommand.self,
                    PortsCommand.self,
                    RadioCommand.self,
                    ChannelCommand.self,
                    CaptureCommand.self,
                    ReplayCommand.self,
                    SimulateCommand.self,
                ]),
            CommandGroup(
                name: "The gateway",
                subcommands: [
                    ServeCommand.self,
                    ConfigCommand.self,
                    RuleCommand.self,
                    TargetCommand.self,
                    PushCommand.self,
                    MqttCommand.self,
                    ShareCommand.self,
                    TokenCommand.self,
                    BackupCommand.self,
                    RestoreCommand.self,
                    ExportCommand.self,
                    ImportCommand.self,
                    TakeOverCommand.self,
                    CompletionsCommand.self,
                ]),
        ])
}

extension MeshGateway {
    static func main() {
        ConnectionProcess.runIfAsked(CommandLine.arguments)
        // A reader of our output that went away is an error of write(), not a death by signal.
        signal(SIGPIPE, SIG_IGN)
        let output = CommandOutput(width: Screen.width, write: writeToStandardOutput, writeError: writeToStandardError)
        exit(main(Array(CommandLine.arguments.dropFirst()), output))
    }
}

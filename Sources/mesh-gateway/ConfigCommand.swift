import CommandLine

/// `mesh-gateway config`: the gateway's own settings.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Checks the gateway's configuration, and shows the values in use and where they come from.",
        discussion: """
            For the radio's own settings use mesh-gateway radio config.
            """,
        subcommands: [Check.self, Show.self])
}

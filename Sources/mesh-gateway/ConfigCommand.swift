import CommandLine

/// `mesh-gateway config`: the gateway's own settings.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Checks the gateway's configuration, and shows what is in force and where it comes from.",
        discussion: """
            The radio's own settings are the business of mesh-gateway radio config.
            """,
        subcommands: [ConfigCheck.self, ConfigShow.self])
}

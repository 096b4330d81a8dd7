import CommandLine

/// `mesh-gateway completions`: the script by which a shell completes this command's words.
struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Prints the script with which a shell completes commands, options, nodes, channels and ports.",
        discussion: """
            Nodes, channels, sources and tokens are those of the running daemon. For the present user:

            bash: mesh-gateway completions bash > ~/.local/share/bash-completion/completions/mesh-gateway
            zsh: mesh-gateway completions zsh > DIRECTORY/_mesh-gateway, a directory of $fpath
            fish: mesh-gateway completions fish > ~/.config/fish/completions/mesh-gateway.fish
            """)

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    func run() { writeToStandardOutput(shell.completionScript(for: "mesh-gateway")) }
}

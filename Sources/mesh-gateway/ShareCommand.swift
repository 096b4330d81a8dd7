import CommandLine
import Glibc
import JSON

/// `mesh-gateway share`: what belongs to sharing the radio with Meshtastic's own programs.
struct ShareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Helps phones to find a radio that is shared.",
        discussion: """
            The setting share, or serve --share, shares the radio itself; mesh-gateway status shows who is connected.
            """,
        subcommands: [Avahi.self])

    struct Avahi: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "avahi",
            abstract: "Prints or installs the file by which Avahi announces the shared radio to phones.",
            discussion: """
                Apps then show the radio in their list, by its short name. The name, the number and the port are in the \
                file: do it again when one of them has changed; mesh-gateway doctor says so.
                """)

        @Flag(help: "Put the file where Avahi reads it; takes effect at once.")
        var install = false

        @Option(
            help: ArgumentHelp(
                "Where Avahi reads its services, if not in \(ServiceFile.folder).", valueName: "folder"),
            completion: .file)
        var folder: String?

        @Option(
            help: ArgumentHelp(
                "Which of several radios: the source's name, device setting or UUID.", valueName: "source"),
            completion: Completion.sources)
        var source: String?

        @OptionGroup var gatewayOptions: GatewayOptions

        func run() throws {
            let file = try serviceFile()
            guard install else { return writeToStandardOutput(file.text) }
            let folder = folder ?? ServiceFile.folder
            let path = "\(folder)/\(ServiceFile.name)"
            do {
                try replaceFile(path, with: Array(file.text.utf8), mode: 0o644)
            } catch {
                switch error.number {
                case EACCES, EPERM:
                    throw failure(
                        "\(path) cannot be written by this user; put sudo before the command.", .noPermission)
                case ENOENT:
                    throw failure(
                        "there is no folder \(folder): Avahi is not installed; type: sudo apt install avahi-daemon",
                        .cannotCreate)
                case let number:
                    throw failure("\(path) cannot be written: \(systemMessage(number)).", .cannotCreate)
                }
            }
            writeToStandardError("Written: \(path). Avahi announces the radio now.\n")
        }

        private func serviceFile() throws -> ServiceFile {
            guard let client = try Reach.daemon(gatewayOptions.configuration()) else {
                throw failure(
                    "no daemon is running, which knows the radio's name; start it: mesh-gateway serve", .unavailable)
            }
            let page = try Page(client.answer("GET", "/local/status" + Backend.text([("source", source)])))
            let sources = page.json["sources"]?.array ?? []
            if let file = sources.lazy.compactMap({ ServiceFile($0) }).first { return file }
            guard sources.contains(where: { $0["shares"]?.array?.isEmpty == false }) else {
                throw failure(
                    "the radio is not shared; share it in the configuration, such as share = *:4403, and restart the "
                        + "service.", .noInput)
            }
            throw failure(
                "there is nothing to announce: the radio is shared with this computer alone, or was not connected yet "
                    + "(mesh-gateway status).", .noInput)
        }
    }
}

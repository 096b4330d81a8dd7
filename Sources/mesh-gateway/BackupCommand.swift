import CommandLine
import Platform
import Store
import Terminal

/// `mesh-gateway backup`: the database in one file.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies the database into one file, even while the daemon uses it.",
        discussion: """
            The copy is one consistent state of the database. It is checked before it gets its name, so that a file of \
            that name is always complete. It is a SQLite database; mesh-gateway restore FILE puts it back.

            It contains everything: messages, positions, keys of channels and conversations, and tokens as their \
            SHA-256. Only its owner may read it; keep it private.
            """)

    @OptionGroup var options: CopyOptions

    private var file: String { options.file }

    func run() throws {
        let start = MonotonicClock.milliseconds()
        let (database, target) = try options.begin("backup")
        let progress = CopyProgressLine(isQuiet: options.json)
        let copied: CopiedDatabase
        do { copied = try Store.backUp(database, to: target, progress: progress.show) } catch {
            progress.end()
            target.discard()
            throw cannotBackUp(error, database)
        }
        progress.end()
        let report = CopyReport(copied, milliseconds: MonotonicClock.milliseconds() - start)
        if options.json {
            return writeJSON(
                report.json("backup/1", [("file", JSONText.quoted(file)), ("database", JSONText.quoted(database))]))
        }
        writeToStandardOutput(
            Screen.lines(
                "\(printable(file)) holds \(report.size) of \(printable(database)), and was checked. "
                    + "Keys of channels and tokens are in it: keep it private."))
    }

    private func cannotBackUp(_ error: any Error, _ database: String) -> any Error {
        switch error {
        case FileError.damaged(_, let reason):
            failure(
                "\(database) is damaged (\(reason)), and no backup was made; mesh-gateway doctor looks at the database and "
                    + "its disk, and mesh-gateway restore takes an older backup.", .dataError)
        case let error as StoreError: cannotRead(error, "backup")
        case let error as FileError: cannotWrite(error)
        default: failure("\(error).", .software)
        }
    }
}

/// The database of the running daemon, which has then committed what it has heard; else the one that it would use.
func databaseInUse(_ gatewayOptions: GatewayOptions) throws -> String {
    switch try Reach.find(gatewayOptions.configuration()) {
    case .file(let path): return path
    case .daemon(let client):
        let answer = try Page(client.answer("GET", "/local/database"))
        guard let path = answer.json["data"]?["path"]?.string else {
            throw failure("the running daemon does not say where its database is; restart it.", .unavailable)
        }
        return path
    }
}

/// A database that a command cannot read.
func cannotRead(_ error: StoreError, _ command: String) -> any Error {
    guard case .permissionDenied(let path) = error else { return failure("\(error).", error.exitStatus) }
    return failure(
        "\(path): no permission to read the database; type: sudo -u \(owner(of: path) ?? "mesh-gateway") mesh-gateway "
            + "\(command) FILE, with a FILE in a folder of that user's, or sudo mesh-gateway \(command) FILE.",
        .noPermission)
}

/// - Parameter command: the command's name.
func refuseStandardOutput(_ file: String, _ command: String) throws {
    guard file == "-" else { return }
    throw failure(
        "what \(command) writes is checked before it is used, and standard output cannot be undone; name a file, and "
            + "send that.", .usage)
}

import CommandLine
import Glibc
import Platform
import Store
import Terminal

// What backup, restore, export and import have in common: files that hold a database.

/// What backup and export are told.
struct CopyOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file)
    var file: String

    @Flag(help: "Replace an existing file.")
    var force = false

    @Flag(help: "Print JSON for programs; its schemas are in /usr/share/mesh-gateway/schemas.")
    var json = false

    @OptionGroup var gatewayOptions: GatewayOptions

    /// Finds the database, and begins the file of which nothing is left when somebody interrupts. Call it before the first
    /// thread, which inherits that signals are blocked.
    func begin(_ command: String) throws -> (database: String, UnfinishedFile) {
        try refuseStandardOutput(file, command)
        let signals = Signals()
        let database = try databaseInUse(gatewayOptions)
        do {
            let target = try UnfinishedFile(for: file, replaces: force, besideDatabase: database)
            signals.exitAfter { target.discard(exiting: $0) }
            return (database, target)
        } catch {
            throw cannotWrite(error)
        }
    }
}

/// What restore and import are told.
struct ReplacementOptions: ParsableArguments {
    @Flag(help: "Replace an existing database, which is kept under another name.")
    var replace = false

    @Flag(help: "Print JSON for programs; its schemas are in /usr/share/mesh-gateway/schemas.")
    var json = false

    @OptionGroup var gatewayOptions: GatewayOptions

    /// Takes the database's lock and begins the file that is to take its place, of which nothing is left when somebody
    /// interrupts; or says why not. Call it before the first thread.
    func begin() throws -> Restoration {
        let signals = Signals()
        let settings = try gatewayOptions.configuration()
        let path = try GatewayOptions.existingDatabase(settings) ?? GatewayOptions.databaseForServing(settings)
        do {
            let restoration = try Restoration(of: path, replaces: replace)
            signals.exitAfter { restoration.file.discard(exiting: $0) }
            return restoration
        } catch FileError.exists(let path) {
            throw failure(
                "\(path): there is a database already; --replace puts it aside, under a name with the date.",
                .cannotCreate)
        } catch let error as FileError {
            throw cannotWrite(error)
        } catch let error as StoreError {
            throw cannotOpen(error, path)
        }
    }
}

/// A file that could not be written, in one sentence.
func cannotWrite(_ error: FileError) -> any Error {
    switch error {
    case .exists(let path): failure("\(path) already exists; replace it with --force.", .cannotCreate)
    case .notAFile(let path): failure("\(path): this is a folder, or no plain file; name a file in it.", .cannotCreate)
    case .isTheDatabase(let path):
        failure("\(path) belongs to the gateway's own database; name another file.", .cannotCreate)
    case .beingWritten(let path):
        failure("\(path) is being written by another process; wait for it, or name another file.", .unavailable)
    case .noSpace(let path, let needed, let free):
        failure(
            "\(path) needs \(sizeInWords(UInt64(needed))) and its disk has \(sizeInWords(UInt64(max(0, free)))) free; make "
                + "room there, or name a file on another disk.", .cannotCreate)
    case .damaged(let path, let reason): failure("\(path) is damaged: \(reason); take another one.", .dataError)
    case .older(let path):
        failure(
            "\(path) is of an older version of mesh-gateway; start the daemon once, which brings it up to date.",
            .dataError)
    case .system(let path, EACCES), .system(let path, EPERM):
        failure("\(path): no permission to write there; name a file in a folder of your own.", .noPermission)
    case .system(let path, let number):
        failure("\(path) cannot be written: \(systemMessage(number)); name another file.", .cannotCreate)
    }
}

/// - Parameter maker: the command that writes such files.
func requireReadable(_ file: String, madeBy maker: String) throws {
    var status = stat()
    if stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        throw failure("\(file) is a folder; name a file that \(maker) has written.", .dataError)
    }
    if stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
        throw failure("\(file) is no plain file; copy what it holds into one, and name that.", .dataError)
    }
    guard access(file, R_OK) != 0 else { return }
    let number = errno
    throw failure(
        "\(file) cannot be read: \(systemMessage(number)); "
            + (number == EACCES ? "put sudo before the command." : "name a file that \(maker) has written."),
        number == EACCES ? .noPermission : .noInput)
}

/// The first name in a tape archive stands at its beginning, and "ustar" at byte 257.
func isArchive(_ file: String) -> Bool {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var magic = [UInt8](repeating: 0, count: 5)
    return pread(descriptor, &magic, 5, 257) == 5 && magic == Array("ustar".utf8)
}

/// The name of the user whose file this is; nil: it cannot be seen.
func owner(of path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return UserAccount(id: status.st_uid)?.name
}

/// How far a copy is, on the terminal.
struct CopyProgressLine {
    private let progress: Progress

    init(isQuiet: Bool) { progress = Progress(isQuiet: isQuiet) }

    func show(_ state: CopyProgress) {
        switch state {
        case .copying(let done, let total):
            progress.show("copying, \(100 * done / max(1, total)) % of \(sizeInWords(UInt64(max(0, total))))")
        case .checking: progress.show("checking the copy")
        }
    }

    func end() { progress.end() }
}

/// What a copy holds, for people and for programs.
struct CopyReport {
    private let copied: CopiedDatabase
    private let milliseconds: Int64

    init(_ copied: CopiedDatabase, milliseconds: Int64) {
        self.copied = copied
        self.milliseconds = milliseconds
    }

    /// `1234 rows, 5.6 MB, in 0.3 s`.
    var size: String {
        "\(copied.rows) rows, \(sizeInWords(UInt64(copied.bytes))), in \(seconds) s"
    }

    private var seconds: String { "\(milliseconds / 1000).\(milliseconds % 1000 / 100)" }

    /// - Parameter members: the command's own, behind the schema.
    func json(_ schema: String, _ members: [(String, String)]) -> String {
        let tables = copied.tables.map { table in
            JSONText.object([("name", JSONText.quoted(table.name)), ("rows", "\(table.rows)")])
        }
        return JSONText.object(
            [("schema", JSONText.quoted(schema))] + members + [
                ("format", "\(copied.format)"), ("rows", "\(copied.rows)"),
                ("tables", "[" + tables.joined(separator: ",") + "]"), ("bytes", "\(copied.bytes)"),
                ("seconds", seconds),
            ])
    }
}

extension CopiedDatabase {
    /// ` 2 packets wait to be sent at the next start.`; empty: none does.
    var waitingInWords: String {
        waiting > 0 ? " \(waiting) packet\(waiting == 1 ? " waits" : "s wait") to be sent at the next start." : ""
    }
}

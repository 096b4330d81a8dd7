import CommandLine
import Configuration
import Gateway
import Glibc
import MeshMonitor
import Platform
import Search
import Store
import Terminal

/// `mesh-gateway take-over`: MeshMonitor's history becomes ours.
struct TakeOverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "take-over",
        abstract: "Imports the history from a MeshMonitor database.",
        discussion: """
            Imports nodes, messages, telemetry, positions, channels, traceroutes, neighbours and waypoints of \
            MeshMonitor 2 to 4 (its file meshmonitor.db) into the gateway's database, all of them or nothing. It does \
            not replace what is already there, and only reads MeshMonitor's file. Both programs have to be stopped: \
            sudo systemctl stop mesh-gateway, docker stop meshmonitor.

            The radio keeps its source id, so that clients that use it go on working. Tokens cannot be imported: \
            mesh-gateway token create NAME --from-stdin takes over the one that a phone has.
            """)

    @Argument(help: ArgumentHelp("MeshMonitor's database.", valueName: "file"), completion: .file)
    var file: String

    @Flag(help: "Only show what would be imported.")
    var dryRun = false

    @Flag(help: "Print JSON for programs; its schemas are in /usr/share/mesh-gateway/schemas.")
    var json = false

    @OptionGroup var gatewayOptions: GatewayOptions

    func run() throws {
        let settings = try gatewayOptions.configuration()
        try refuseServer()
        let target = try GatewayOptions.existingDatabase(settings) ?? GatewayOptions.databaseForServing(settings)
        try refuseFolder(target)
        try refuseItself(target)
        Interruption.watch()
        let progress = Progress(isQuiet: json)
        defer { progress.end() }
        progress.show("reading \(file)")
        // The database's own folder may still have to be made.
        let folder = GatewayOptions.folder(of: target)
        let database = try open(copyingInto: access(folder, F_OK) == 0 ? folder : GatewayOptions.folder(of: folder))
        let now = WallClock.milliseconds()
        let report = try takeOver(database, into: target, at: now, progress)
        progress.end()
        let result = TakeOverResult(
            report: report, file: file, database: target, isDryRun: dryRun, settings: settings, now: now)
        json ? writeJSON(result.json) : writeToStandardOutput(result.text)
    }

    private func takeOver(
        _ database: ForeignDatabase, into target: String, at now: Int64, _ progress: Progress
    ) throws -> TakeOverReport {
        do {
            return try BulkChange.run(path: target, program: MeshGateway.version, isKept: !dryRun) { writer in
                let takeOver = try TakeOver(database, into: writer, at: now) { kind, done, total in
                    progress.show("\(kind.rawValue): \(done) of \(total)")
                    if Interruption.hasCome { throw Interrupted() }
                }
                return try takeOver.run()
            }
        } catch is Interrupted {
            progress.end()
            writeToStandardError("mesh-gateway: interrupted; nothing was changed.\n")
            throw ExitCode(Interruption.exitCode)
        } catch TakeOver.Refusal.notMeshMonitor {
            throw failure(
                "\(file): this is no database of MeshMonitor's: it does not have the tables nodes, messages and settings; "
                    + "name its meshmonitor.db, which is in the folder or volume /data of its container.", .dataError)
        } catch let error as StoreError {
            if case .inUse = error { throw cannotOpen(error, target) }
            if case .failed(let code, _, _) = error, code & 0xFF == 13 {  // SQLITE_FULL
                throw failure("there is no room for it; make room on the disk. Nothing was taken.", .inputOutput)
            }
            throw failure("nothing was taken, and nothing changed: \(error).", error.exitStatus)
        }
    }

    private struct Interrupted: Error {}

    // MARK: What cannot be

    private func open(copyingInto folder: String) throws -> ForeignDatabase {
        do throws(ForeignDatabaseError) {
            let database = try ForeignDatabase(path: file, copyingInto: folder)
            try database.check()
            return database
        } catch {
            throw failure("\(error); \(error.advice).", error.exitStatus)
        }
    }

    /// MeshMonitor can keep its history on a database server, which it is told by such an address.
    private func refuseServer() throws {
        guard file.contains("://") else { return }
        throw failure(
            "\(file) is the address of a database server; only MeshMonitor's SQLite file can be read; name its "
                + "meshmonitor.db, if there is one from before.", .dataError)
    }

    private func refuseItself(_ target: String) throws {
        var (theirs, ours) = (stat(), stat())
        guard stat(file, &theirs) == 0, stat(target, &ours) == 0, theirs.st_dev == ours.st_dev,
            theirs.st_ino == ours.st_ino
        else { return }
        throw failure(
            "\(file) is the gateway's own database; name MeshMonitor's meshmonitor.db.", .dataError)
    }
}

extension ForeignDatabaseError {
    fileprivate var advice: String {
        switch self {
        case .missing: "MeshMonitor's meshmonitor.db is in the folder or volume /data of its container"
        case .unreadable(_, EACCES): "put sudo before the command"
        case .unreadable: "sudo dmesg | tail shows a damaged disk"
        case .folder: "name the file meshmonitor.db in it"
        case .empty: "name MeshMonitor's meshmonitor.db, or a copy of it from before"
        case .notSQLite(_, let start) where start.contains("PostgreSQL") || start.hasPrefix("PGDMP"):
            "it comes out of PostgreSQL; only MeshMonitor's SQLite file meshmonitor.db can be read"
        case .notSQLite(_, let start) where start.contains("MySQL") || start.contains("MariaDB"):
            "it comes out of MySQL; only MeshMonitor's SQLite file meshmonitor.db can be read"
        case .notSQLite: "name MeshMonitor's meshmonitor.db"
        case .cutOff: "copy it once more while MeshMonitor is stopped"
        case .inUse:
            "stop MeshMonitor first, as with docker stop meshmonitor, because what it still hears would be missing"
        case .noCopy(_, _, ENOSPC): "make room there, or start MeshMonitor once more and stop it in good order"
        case .noCopy: "put sudo before the command, or start MeshMonitor once more and stop it in good order"
        case .damaged: "copy it again while MeshMonitor is stopped, or save what is left with sqlite3 FILE .recover"
        }
    }

    fileprivate var exitStatus: ExitStatus {
        switch self {
        case .missing: .noInput
        case .unreadable(_, let code): code == EACCES ? .noPermission : .noInput
        case .folder, .empty, .notSQLite, .cutOff, .damaged: .dataError
        case .inUse: .unavailable
        case .noCopy(_, _, let code): code == EACCES ? .noPermission : .cannotCreate
        }
    }
}

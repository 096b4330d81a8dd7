import CommandLine
import Glibc
import Platform
import Store
import Terminal

/// `mesh-gateway restore`: a backup becomes the database.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Replaces the database with a backup, while no daemon runs.",
        discussion: """
            The backup is copied and checked before anything is changed, and is put in place in one step. An existing \
            database is only replaced with --replace, and is kept beside the new one with the date in its name. The \
            next start upgrades a backup of an older version; one of a newer version is refused.

            Messages that still waited to be sent when the backup was made are sent at the next start, unless they \
            have expired (message-lifetime).
            """)

    @Argument(help: ArgumentHelp("The file from mesh-gateway backup.", valueName: "file"), completion: .file)
    var file: String

    @OptionGroup var options: ReplacementOptions

    func run() throws {
        try requireReadable(file, madeBy: "mesh-gateway backup")
        if isArchive(file) {
            throw failure(
                "\(file) is an archive, not a backup; mesh-gateway import \(file) makes a database of it.", .dataError)
        }
        let restoration = try options.begin()
        let start = MonotonicClock.milliseconds()
        let progress = CopyProgressLine(isQuiet: options.json)
        let restored: Restored
        do { restored = try restoration.restore(from: file, progress: progress.show) } catch {
            progress.end()
            restoration.file.discard()
            throw cannotRestore(error)
        }
        progress.end()
        show(restored, CopyReport(restored.copied, milliseconds: MonotonicClock.milliseconds() - start))
    }

    private func show(_ restored: Restored, _ report: CopyReport) {
        if options.json {
            return writeJSON(
                report.json(
                    "restore/1",
                    [
                        ("file", JSONText.quoted(file)), ("database", JSONText.quoted(restored.database)),
                        ("kept", restored.kept.map { JSONText.quoted($0) } ?? "null"),
                        ("waiting", "\(restored.copied.waiting)"),
                    ]))
        }
        var text = "\(printable(restored.database)) holds \(report.size) of \(printable(file))."
        if let kept = restored.kept { text += " The database of before is \(printable(kept))." }
        if restored.copied.isOlder {
            text += " It is of an older version, and is brought up to date at the next start."
        }
        writeToStandardOutput(Screen.lines(text + restored.copied.waitingInWords))
    }

    private func cannotRestore(_ error: any Error) -> any Error {
        let old = "take an older backup. Nothing was changed."
        switch error {
        case FileError.damaged(let path, let reason):
            return failure("\(path) is damaged, or not the whole file: \(reason); \(old)", .dataError)
        case StoreError.notADatabase(let path):
            return failure(
                "\(path) is no backup of mesh-gateway; name a file that mesh-gateway backup has written.", .dataError)
        case StoreError.foreign(let path):
            return failure(
                "\(path) is the database of another program; one of MeshMonitor is imported with: mesh-gateway "
                    + "take-over \(path)", .dataError)
        case StoreError.newer(let path, let version, let supported, let program):
            return failure(
                "\(path) was written by a newer version of mesh-gateway (format \(version)"
                    + "\(program.map { " of version \($0)" } ?? ""), this one knows up to \(supported)); install that "
                    + "version, or \(old)", .dataError)
        case StoreError.permissionDenied(let path):
            return failure("\(path) may not be read; put sudo before the command.", .noPermission)
        case let error as StoreError: return failure("\(error).", error.exitStatus)
        case let error as FileError: return cannotWrite(error)
        default: return failure("\(error).", .software)
        }
    }
}

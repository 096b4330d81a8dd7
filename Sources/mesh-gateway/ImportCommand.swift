import Archives
import CommandLine
import Glibc
import Store
import Terminal

/// `mesh-gateway import`: a database out of an archive.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Makes a database of an archive from mesh-gateway export, while no daemon runs.",
        discussion: """
            Imports everything or nothing: the new database is put in place in one step, after everything was read and \
            checked. An existing database is only replaced with --replace, and is kept beside the new one with the \
            date in its name; the two are not merged. Keys that this version does not know are skipped and named.
            """)

    @Argument(help: ArgumentHelp("The archive.", valueName: "file"), completion: .file)
    var file: String

    @OptionGroup var options: ReplacementOptions

    func run() throws {
        try requireReadable(file, madeBy: "mesh-gateway export")
        let (archive, manifest) = try openArchive()
        let restoration = try options.begin()
        let progress = Progress(isQuiet: options.json)
        var ignored: [String] = []
        let copied: CopiedDatabase
        let kept: String?
        do {
            (copied, ignored) = try read(archive, manifest, into: restoration.file, progress)
            kept = try restoration.finish()
        } catch {
            progress.end()
            restoration.file.discard()
            throw cannotImport(error)
        }
        progress.end()
        show(manifest, copied, restoration.path, kept, ignored)
    }

    private func openArchive() throws -> (ArchiveReader, Manifest) {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("\(file) cannot be read: \(systemMessage(errno)).", .noInput) }
        guard isArchive(file) else {
            throw failure(
                "\(file) is no archive; name one that mesh-gateway export has written. A backup is put back with: "
                    + "mesh-gateway restore \(file)", .dataError)
        }
        do {
            let archive = try ArchiveReader(descriptor: descriptor)
            guard let entry = archive.entry(named: Manifest.name) else {
                throw ArchiveError.damaged("it has no manifest")
            }
            guard let manifest = Manifest(try archive.content(of: entry, limit: 1 << 20)) else {
                throw ArchiveError.damaged("its manifest is not one of mesh-gateway's")
            }
            guard manifest.format <= DatabaseExport.format else {
                throw failure(
                    "\(file) was written by mesh-gateway \(manifest.version), which is newer (format \(manifest.format), "
                        + "this one knows up to \(DatabaseExport.format)); install that version. Nothing was changed.",
                    .dataError)
            }
            return (archive, manifest)
        } catch let error as ArchiveError {
            throw cannotImport(error)
        }
    }

    /// - Returns: what was made, and what of the archive is not in it.
    private func read(
        _ archive: ArchiveReader, _ manifest: Manifest, into target: UnfinishedFile, _ progress: Progress
    ) throws -> (CopiedDatabase, [String]) {
        let database = try DatabaseImport(into: target, program: MeshGateway.version)
        for name in DatabaseImport.files {
            guard let listed = manifest.files.first(where: { $0.name == name }) else { continue }
            guard let entry = archive.entry(named: name) else { throw ArchiveError.damaged("\(name) is missing") }
            progress.show("reading \(name), \(listed.rows) rows")
            var sha256 = ""
            let rows = try database.importFile(name) { line in sha256 = try archive.lines(of: entry, line) }
            guard rows == listed.rows, entry.bytes == listed.bytes, sha256 == listed.sha256 else {
                throw ArchiveError.damaged("\(name) is not the file that was written")
            }
        }
        let files = manifest.files.map(\.name).filter { !DatabaseImport.files.contains($0) }
        progress.show("checking the database")
        return (try database.finish(), files + database.unknownKeys.sorted())
    }

    private func show(
        _ manifest: Manifest, _ copied: CopiedDatabase, _ database: String, _ kept: String?, _ ignored: [String]
    ) {
        if options.json {
            return writeJSON(
                JSONText.object([
                    ("schema", JSONText.quoted("import/1")), ("file", JSONText.quoted(file)),
                    ("database", JSONText.quoted(database)), ("kept", kept.map { JSONText.quoted($0) } ?? "null"),
                    ("writtenBy", JSONText.quoted(manifest.version)),
                    ("createdAt", JSONText.quoted(manifest.createdAt)), ("rows", "\(manifest.rows)"),
                    ("bytes", "\(copied.bytes)"), ("ignored", JSONText.array(ignored)),
                ]))
        }
        var text = "\(printable(database)) holds the \(manifest.rows) rows of \(printable(file))."
        if let kept { text += " The database of before is \(printable(kept))." }
        if !manifest.hasSecrets { text += " Clients need new tokens: mesh-gateway token create NAME." }
        writeToStandardOutput(Screen.lines(text + copied.waitingInWords))
        if !ignored.isEmpty {
            writeToStandardError(
                "mesh-gateway: this version does not know, and has passed over: "
                    + "\(printable(ignored.joined(separator: ", "))).\n")
        }
    }

    private func cannotImport(_ error: any Error) -> any Error {
        switch error {
        case let error as ArchiveError:
            failure("\(file) is damaged: \(error); take another one. Nothing was changed.", .dataError)
        case let error as ImportError:
            failure("\(file) cannot be taken: \(error). Nothing was changed.", .dataError)
        case let error as FileError: cannotWrite(error)
        case StoreError.failed(let code, _, _) where code & 0xFF == 13:  // SQLITE_FULL
            failure("there is no room for the database; make room on its disk. Nothing was changed.", .inputOutput)
        case let error as StoreError: failure("\(error).", error.exitStatus)
        default: failure("\(error).", .software)
        }
    }
}

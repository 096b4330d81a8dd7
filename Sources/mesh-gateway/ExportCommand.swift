import Archives
import CommandLine
import Glibc
import JSON
import Store
import Terminal

/// `mesh-gateway export`: the history as an archive that people and programs can read.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the gateway's data as a tar archive of JSON, even while the daemon runs.",
        discussion: """
            The archive has a file for each kind of data, with a JSON object a line. Later versions can read it: \
            mesh-gateway import FILE makes a database of it. Its files and keys are described in Archive.md in \
            /usr/share/doc/mesh-gateway.

            Texts and positions are in it, keys and tokens are not; nor are conversations over brokers, which a backup has. \
            With --with-secrets the channel keys, the tokens \
            (as their SHA-256) and messages that wait to be sent are included, for moving to another computer: then it \
            is as private as a backup.
            """)

    @Flag(help: "Include channel keys, tokens, and messages that wait to be sent.")
    var withSecrets = false

    @OptionGroup var options: CopyOptions

    private var file: String { options.file }

    func run() throws {
        let (database, target) = try options.begin("export")
        let progress = Progress(isQuiet: options.json)
        let manifest: Manifest
        do {
            manifest = try write(DatabaseExport(of: database), to: target, progress)
            try target.publish()
        } catch {
            progress.end()
            target.discard()
            throw cannotExport(error, database)
        }
        progress.end()
        show(manifest, database)
    }

    private func write(
        _ export: DatabaseExport, to target: UnfinishedFile, _ progress: Progress
    ) throws -> Manifest {
        let now = Int64(Glibc.time(nil))
        var archive = ArchiveWriter(descriptor: target.descriptor, time: now)
        var files: [Manifest.File] = []
        try export.files(withSecrets: withSecrets) { part in
            var rows = 0
            try archive.begin(part.name)
            try part.lines { line in
                try archive.append(line)
                try archive.append("\n")
                rows += 1
                if rows % 20_000 == 0 { progress.show("writing \(part.name), \(rows) rows") }
            }
            let entry = try archive.end()
            files.append(.init(name: part.name, rows: rows, bytes: entry.bytes, sha256: entry.sha256))
        }
        let manifest = Manifest(
            createdAt: ISO8601.text(now * 1000), hasSecrets: withSecrets, sources: try export.sources(),
            files: files)
        try archive.begin(Manifest.name)
        try archive.append(manifest.text)
        _ = try archive.end()
        try archive.finish()
        return manifest
    }

    private func show(_ manifest: Manifest, _ database: String) {
        if options.json {
            return writeJSON(
                JSONText.object([
                    ("schema", JSONText.quoted("export/1")), ("file", JSONText.quoted(file)),
                    ("database", JSONText.quoted(database)), ("withSecrets", "\(withSecrets)"),
                    ("rows", "\(manifest.rows)"), ("files", "[" + manifest.filesJSON.joined(separator: ",") + "]"),
                ]))
        }
        let warning =
            withSecrets
            ? "Keys of channels and tokens are in it: keep it private."
            : "Texts and positions are in it, keys and tokens are not."
        writeToStandardOutput(
            Screen.lines("\(printable(file)) holds \(manifest.rows) rows of \(printable(database)). \(warning)"))
    }

    private func cannotExport(_ error: any Error, _ database: String) -> any Error {
        switch error {
        case let error as StoreError: cannotRead(error, "export")
        case let error as FileError: cannotWrite(error)
        case ArchiveError.system(let number): cannotWrite(.system(path: file, number))
        default: failure("\(file) cannot be written: \(error).", .cannotCreate)
        }
    }
}

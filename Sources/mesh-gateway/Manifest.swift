import JSON
import Store

/// `manifest.json`, the last file of an archive: what is in the others. An archive without it is not whole.
struct Manifest {
    struct File {
        var name: String
        var rows: Int
        var bytes: Int64
        /// 64 hexadecimal digits.
        var sha256: String
    }

    static let name = "manifest.json"

    /// Of the archive, not of the database.
    var format = DatabaseExport.format
    /// Of the program that wrote it.
    var version = MeshGateway.version
    /// ISO 8601.
    var createdAt: String
    var hasSecrets: Bool
    var sources: [(uuid: String, name: String)]
    var files: [File]

    init(createdAt: String, hasSecrets: Bool, sources: [(uuid: String, name: String)], files: [File]) {
        (self.createdAt, self.hasSecrets, self.sources, self.files) = (createdAt, hasSecrets, sources, files)
    }

    /// - Returns: nil when this is no manifest of mesh-gateway. What is unknown in it is passed over.
    init?(_ bytes: [UInt8]) {
        guard let json = JSONValue(bytes), json["program"]?.string == "mesh-gateway",
            let format = json["format"]?.integer, let files = json["files"]?.array
        else { return nil }
        self.format = Int(clamping: format)
        version = json["version"]?.string ?? "unknown"
        createdAt = json["createdAt"]?.string ?? "unknown"
        hasSecrets = json["withSecrets"]?.bool ?? false
        sources = (json["sources"]?.array ?? []).map { ($0["id"]?.string ?? "", $0["name"]?.string ?? "") }
        self.files = files.compactMap { file in
            guard let name = file["name"]?.string, let rows = file["rows"]?.integer, let bytes = file["bytes"]?.integer,
                let sha256 = file["sha256"]?.string
            else { return nil }
            return File(name: name, rows: Int(clamping: rows), bytes: Int64(clamping: bytes), sha256: sha256)
        }
        guard self.files.count == files.count else { return nil }
    }

    /// A line each, so that two can be compared.
    var text: String {
        let head = [
            ("program", JSONText.quoted("mesh-gateway")), ("format", "\(format)"),
            ("version", JSONText.quoted(version)),
            ("createdAt", JSONText.quoted(createdAt)), ("withSecrets", "\(hasSecrets)"),
        ].map { "  \(JSONText.quoted($0.0)): \($0.1),\n" }
        return "{\n" + head.joined() + list("sources", sourcesJSON) + ",\n" + list("files", filesJSON) + "\n}\n"
    }

    private func list(_ name: String, _ objects: [String]) -> String {
        "  \(JSONText.quoted(name)): [\n" + objects.map { "    \($0)" }.joined(separator: ",\n") + "\n  ]"
    }

    private var sourcesJSON: [String] {
        sources.map { JSONText.object([("id", JSONText.quoted($0.uuid)), ("name", JSONText.quoted($0.name))]) }
    }

    /// As they are shown in `--json` as well.
    var filesJSON: [String] {
        files.map { file in
            JSONText.object([
                ("name", JSONText.quoted(file.name)), ("rows", "\(file.rows)"), ("bytes", "\(file.bytes)"),
                ("sha256", JSONText.quoted(file.sha256)),
            ])
        }
    }

    /// In the files that this version knows.
    var rows: Int {
        files.filter { DatabaseImport.files.contains($0.name) }
            .reduce(0) { $0.addingReportingOverflow($1.rows).partialValue }
    }
}

import Foundation
import Testing

@testable import ServedProgram

/// Over a backup and an archive, and after the end of the one that made it; and of an archive from before nobody knows it.
@Suite struct WhoMadeATokenIsKept {
    private let databases: Databases
    private var folders: Folders { databases.folders }

    init() throws { databases = Databases(folders: try Folders()) }

    @discardableResult
    private func run(_ words: String..., input: String = "") throws -> String {
        let program = try Program(words, in: folders, input: input)
        #expect(try program.exitCode() == 0, "\(words): \(program.errors.text)")
        return program.output.text
    }

    /// Whom `token list` names as the maker of each token that is active.
    private func makers(_ options: String...) throws -> [String: String?] {
        let program = try Program(["token", "list", "--json"] + options, in: folders)
        #expect(try program.exitCode() == 0, "\(program.errors.text)")
        let tokens = try JSONDecoder().decode(JSON.self, from: Data(program.output.text.utf8))["tokens"].rows
        let active = tokens.filter { $0["state"] == "active" }
        return Dictionary(uniqueKeysWithValues: active.map { ($0["name"].string ?? "?", $0["madeBy"].string) })
    }

    @Test func overABackupAndAnArchive() throws {
        var gateway = try ServedGateway(device: "/dev/ttyNONE", in: folders)
        try gateway.authorize(as: "setup", scopes: ["admin"])
        let answer = try gateway.client.post("/api/v1/tokens", ["name": "Anna's phone"])
        #expect(answer.status == 201, "\(answer.text)")
        let phone = try #require(try answer.data["token"].string)
        let known: [String: String?] = ["setup": nil, "Anna's phone": "setup"]
        #expect(try makers() == known)
        let list = try run("token", "list")
        #expect(list.contains("MADE BY"))
        let row = try #require(list.split(separator: "\n").first { $0.hasPrefix("Anna's phone") })
        #expect(row.hasSuffix("setup    active"), "\(row)")

        let (backup, archive) = (databases.path("mesh.backup"), databases.path("mesh.tar"))
        try run("backup", backup)
        try run("export", archive, "--with-secrets")
        #expect(try makers("--database", backup) == known)
        let (imported, older) = (databases.path("imported.db"), databases.path("older.db"))
        try run("import", archive, "--database", imported)
        #expect(try makers("--database", imported) == known)
        try databases.script("archives.py", "change", archive, databases.path("older.tar"), "unmade")
        try run("import", databases.path("older.tar"), "--database", older)
        #expect(try makers("--database", older) == ["setup": nil, "Anna's phone": nil])

        // What it made goes on, and is named.
        let said = try run("token", "revoke", "setup")
        #expect(said == "setup has made a token that goes on:\n  mesh-gateway token revoke 'Anna'\\''s phone'\n")
        #expect(try gateway.client.get("/api/v1/me").status == 401)
        gateway.client.token = phone
        #expect(try gateway.client.get("/api/v1/nodes").status == 200)
        // Another token of the name has made nothing.
        try run("token", "create", "setup")
        #expect(try makers() == ["setup": nil, "Anna's phone": "setup"])
        #expect(try run("token", "revoke", "setup") == "")
        try gateway.program.stop()

        // Likewise in the database alone.
        let also = try run("token", "revoke", "setup", "--json", "--database", imported)
        #expect(also.contains(#""made":["Anna's phone"]"#), "\(also)")
        #expect(try run("token", "revoke", "setup", "--database", older) == "")
    }

    /// Neither is there: not in a file, not in the log, not in what goes with a report.
    @Test func theTokenItselfIsNot() throws {
        var gateway = try ServedGateway(device: "simulated", in: folders, ["--log-level", "trace"])
        try gateway.authorize(as: "setup", scopes: ["admin"])
        try gateway.waitUntilLive()
        let answer = try gateway.client.post("/api/v1/tokens", ["name": "phone"])
        let token = try #require(try answer.data["token"].string, "\(answer.text)")
        _ = try gateway.program.errors.line(containing: "the token \"setup\" has made the token \"phone\"")
        let bundle = databases.path("bundle.tar")
        _ = try Program.run("doctor", "--bundle", bundle, in: folders)
        try run("export", databases.path("mesh.tar"), "--with-secrets")
        var places = [("the list", Data(try run("token", "list", "--json").utf8)), ("files", try folders.contents())]
        for name in ["bundle.tar", "mesh.tar"] { places.append((name, try databases.bytes(name))) }
        try gateway.program.stop()
        places.append(("files afterwards", try folders.contents()))
        places.append(("the log", gateway.program.errors.data + gateway.program.output.data))
        for (place, content) in places {
            #expect(!content.isEmpty)
            #expect(content.range(of: Data(token.suffix(26).utf8)) == nil, "the token is in \(place)")
        }
    }
}

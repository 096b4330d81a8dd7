import Foundation
import Testing

@testable import ServedProgram

/// Whoever names the database itself as the file to be written has made a mistake, whatever may be replaced.
@Suite struct NoCopyTakesThePlaceOfTheDatabase {
    @Test(arguments: ["backup", "export"]) func whateverMayBeReplaced(command: String) throws {
        let databases = Databases(folders: try Folders())
        try databases.make("mesh.db", rows: 100)
        try FileManager.default.createSymbolicLink(
            atPath: databases.path("link.db"), withDestinationPath: databases.path("mesh.db"))
        let before = try databases.bytes("mesh.db")
        for file in ["mesh.db", "link.db", "mesh.db-wal", "mesh.db.lock"] {
            for database in ["mesh.db", "link.db"] {
                let (code, _, errors) = try Program.run(
                    command, databases.path(file), "--force", "--database", databases.path(database),
                    in: databases.folders)
                #expect(code == 73 && errors.contains("belongs to the gateway's own database"), "\(file): \(errors)")
            }
        }
        #expect(try databases.bytes("mesh.db") == before)
        #expect(try databases.leftovers(of: "mesh.db") == [])
    }
}

import Foundation
import Testing

@testable import ServedProgram

/// Command lines, right and wrong ones, with the exit codes that scripts know them by. They were recorded before the
/// program read its command line itself.
@Suite struct EveryRecordedCommandLineEndsAsItDid {
    private struct Row: Decodable {
        let argv: [String]
        let code: Int32
        /// usage error, help, version, or else.
        let says: String
        /// Of a usage error: it names one of these.
        let names: [String]?
    }

    /// The parts run beside each other.
    @Test(arguments: 0..<4)
    func everyRecordedCommandLineEndsAsItDid(part: Int) throws {
        let rows = try Self.rows()
        #expect(rows.count == 2033)
        for index in stride(from: part, to: rows.count, by: 4) { try check(rows[index]) }
    }

    private func check(_ row: Row) throws {
        let folders = try Folders()
        let socket = ["MESH_GATEWAY_SOCKET": "\(folders.root)/gateway.sock"]
        let database = ["MESH_GATEWAY_DATABASE": "\(folders.root)/mesh.db", "COLUMNS": "80"]
        // It writes files where it is.
        let program = try Program(
            ["-c", "cd \"$0\" && exec \"$@\"", folders.root, Program.path] + row.argv, in: folders,
            environment: socket.merging(database) { $1 }, executable: "sh")
        let code = try program.exitCode()
        let (output, errors) = (program.output.text, program.errors.text)
        #expect(code == row.code, "\(row.argv): \(errors)")
        switch row.says {
        case "usage error":
            let names = row.names ?? []
            #expect(names.isEmpty || names.contains { errors.contains($0) }, "\(row.argv): \(errors)")
            #expect(output.isEmpty && errors.split(separator: "\n").count <= 4, "\(row.argv): \(output)\(errors)")
        case "help": #expect(output.contains("USAGE: mesh-gateway") && errors.isEmpty, "\(row.argv): \(output)")
        case "version": #expect(output.hasPrefix("mesh-gateway ") && errors.isEmpty, "\(row.argv): \(output)")
        default: #expect(!output.isEmpty || !errors.isEmpty || code == 0, "\(row.argv) says nothing")
        }
    }

    private static func rows() throws -> [Row] {
        let file = (#filePath as NSString).deletingLastPathComponent + "/command-lines.jsonl.gz"
        let unpacked = try Program(["-dc", file], in: Folders(), executable: "gzip")
        #expect(try unpacked.exitCode() == 0)
        return try unpacked.output.text.split(separator: "\n").map {
            try JSONDecoder().decode(Row.self, from: Data($0.utf8))
        }
    }
}

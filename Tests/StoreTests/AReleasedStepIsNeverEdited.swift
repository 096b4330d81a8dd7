import Foundation
import JSON
import Nettle
import Testing

@testable import Store

/// SHA-256 of the text of each released step. A new one comes to the end of the list with its database in Tests/Databases;
/// whoever has to change one of these has edited what other people's files were made by.
private let released = [
    "", "", "", "", "", "",
]

@Test func aReleasedStepIsNeverEdited() {
    #expect(Schema.migrations.prefix(released.count).map { digest($0) } == released)
}

@Test func everyFormatThatHasADatabaseIsReleased() {
    let formats = 1...Schema.migrations.count + 1
    let last = formats.last { FileManager.default.fileExists(atPath: ReleasedDatabases.path(ofFormat: $0)) }
    #expect(last == released.count)
}

/// What later steps change is no part of an earlier one: its text says every column itself.
@Test func theFirstStepSaysTheColumnsOfAPacketItself() {
    for table in ["packets", "outbox"] {
        let text = Schema.first.components(separatedBy: "CREATE TABLE \(table) (")[1]
        #expect(text.prefix { $0 != ")" }.contains("xeddsa_signature BLOB"))
    }
}

private func digest(_ text: String) -> String { hexadecimal(SHA256.digest(of: Array(text.utf8))) }

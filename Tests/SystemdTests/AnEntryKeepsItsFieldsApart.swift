import Foundation
import Testing

@testable import Systemd

/// A datagram of the journal's native protocol, read as journald reads it: a name up to "=" or the line's end.
private func fields(of entry: Data) throws -> [(name: String, value: String)] {
    var fields: [(String, String)] = []
    var rest = entry
    while !rest.isEmpty {
        let end = try #require(rest.firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "=") })
        let name = String(decoding: rest[..<end], as: UTF8.self)
        var value: Data
        if rest[end] == UInt8(ascii: "=") {
            let line = try #require(rest[end...].firstIndex(of: UInt8(ascii: "\n")))
            value = rest[(end + 1)..<line]
            rest = rest[(line + 1)...]
        } else {
            try #require(rest.endIndex - end > 9)
            let count = rest[(end + 1)..<(end + 9)].reversed().reduce(0) { $0 << 8 | Int($1) }
            try #require(rest.endIndex - end > 9 + count)
            value = rest[(end + 9)..<(end + 9 + count)]
            #expect(rest[end + 9 + count] == UInt8(ascii: "\n"))
            rest = rest[(end + 10 + count)...]
        }
        fields.append((name, String(decoding: value, as: UTF8.self)))
    }
    return fields
}

@Test func anEntryKeepsItsFieldsApart() throws {
    let receiver = try Receiver()
    let journal = try #require(Journal(path: receiver.name))
    #expect(journal.write("radio link live", priority: 5, fields: [("device", "/dev/ttyACM0"), ("nodeId-2", "!a1")]))
    let datagram = try #require(receiver.next)
    let entry = try fields(of: datagram)
    #expect(
        entry.map(\.name) == [
            "MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "MESH_GATEWAY_DEVICE", "MESH_GATEWAY_NODEID_2",
        ])
    #expect(entry.map(\.value) == ["radio link live", "5", "mesh-gateway", "/dev/ttyACM0", "!a1"])
}

/// The text of a message, and what is in a field, can come from anybody on the mesh.
@Test(arguments: ["x\nPRIORITY=0\n_UID=0", "\n", "=", "", "\0\n\u{1}\0\0\0\0\0\0\0", "ü\r\n"])
func noTextForgesAField(text: String) throws {
    let receiver = try Receiver()
    let journal = try #require(Journal(path: receiver.name))
    #expect(journal.write(text, priority: 6, fields: [("node", text), ("no\nde=", text)]))
    let datagram = try #require(receiver.next)
    let entry = try fields(of: datagram)
    #expect(
        entry.map(\.name) == ["MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "MESH_GATEWAY_NODE", "MESH_GATEWAY_NO_DE_"])
    #expect(entry.map(\.value) == [text, "6", "mesh-gateway", text, text])
}

@Test func aLongValueIsCutBetweenCharacters() throws {
    let receiver = try Receiver()
    let journal = try #require(Journal(path: receiver.name))
    #expect(journal.write("x" + String(repeating: "ü", count: 10_000), priority: 6, fields: []))
    let datagram = try #require(receiver.next)
    #expect(try fields(of: datagram)[0].value == "x" + String(repeating: "ü", count: 4_095))
}

@Test func withoutAJournalNothingIsWritten() throws {
    #expect(Journal(path: "/nonexistent/socket") == nil)
    var receiver: Receiver? = try Receiver()
    let path = try #require(receiver?.name)
    let journal = try #require(Journal(path: path))
    receiver = nil
    #expect(!journal.write("lost", priority: 6, fields: []))
}

/// A program that a service starts, and that writes into a file, has inherited the variable.
@Test func theVariableMustNameWhatIsOpen() {
    var status = stat()
    fstat(STDERR_FILENO, &status)
    #expect(Journal.keepsStandardError(stream: "\(status.st_dev):\(status.st_ino)"))
    #expect(!Journal.keepsStandardError(stream: "\(status.st_dev):\(status.st_ino + 1)"))
    #expect(!Journal.keepsStandardError(stream: "\(status.st_ino)"))
    #expect(!Journal.keepsStandardError(stream: nil))
}

import Foundation
import Testing

@testable import ServedProgram

/// Messages, positions and channel keys lie on the disk: no other user of the computer may read them.
@Test func whatIsStoredIsForItsOwnerAlone() throws {
    let folders = try Folders()
    let here = try RadioHere()
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.waitUntilLive()
    try gateway.authorize()
    _ = try gateway.post(["text": "for our eyes", "channel": 0])

    var seen = 0
    for folder in [folders.state, "\(folders.root)/run"] {
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
        for file in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")
            let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
            #expect(mode & 0o007 == 0, "\(file) is open to everybody: \(String(mode, radix: 8))")
            // Of the database, not even to a group.
            if file.contains("mesh.db") {
                #expect(mode & 0o077 == 0, "\(file): \(String(mode, radix: 8))")
                seen += 1
            }
        }
        #expect(!files.isEmpty)
    }
    #expect(seen >= 3, "the database, its log and its lock")
    try gateway.program.stop()
}

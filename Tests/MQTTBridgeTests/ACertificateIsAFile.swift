import Foundation
import Glibc
import Testing

@testable import MQTTBridge

/// A pipe in the place of a certificate would be waited for, with a reload and a stop behind it.
@Suite struct ACertificateIsAFile {
    private let folder = NSTemporaryDirectory() + "certificate-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(atPath: folder + "/folder", withIntermediateDirectories: true)
        try #require(mkfifo(folder + "/pipe", 0o644) == 0)
    }

    @Test(arguments: ["pipe", "folder", "/dev/null"]) func andNothingElseIs(name: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = name.hasPrefix("/") ? name : "\(folder)/\(name)"
        for (text, line) in [
            ("url = mqtts://h\nca = \(path)", 2), ("url = mqtts://h\ncertificate = \(path)\nkey = /k", 2),
            ("url = mqtts://h\ncertificate = /c\nkey = \(path)", 3),
        ] {
            let file = BrokerFile(text, name: "house", path: "house.conf")
            #expect(file.broker == nil, "\(text)")
            #expect(file.mistakes.map(\.line) == [line] && file.mistakes[0].text.contains("\(path) is no file"))
        }
    }

    /// It was one when the broker's file was read.
    @Test func norDoesItBecomeOne() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let pipe = folder + "/pipe"
        let loop = try RunningLoop(.local(1) { ($0.hasTLS, $0.authorities) = (true, pipe) })
        loop.waitForLog("its ca is no file")
        loop.stop()
        #expect(loop.mailbox.report.state == .stopped)
    }
}

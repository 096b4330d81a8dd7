import Foundation
import Testing

@testable import ServedProgram

/// The key file of `apns-key`: by `config check`, at a start and at a reload.
@Suite struct AnAppleKeyIsLookedAt {
    private let folders: Folders
    private var key: String { "\(folders.root)/AuthKey_ABCDE12345.p8" }

    init() throws { folders = try Folders() }

    private func openssl(_ words: String...) throws {
        let made = try Program(words, in: folders, executable: "/usr/bin/openssl")
        #expect(try made.exitCode() == 0, "\(made.errors.text)")
    }

    private func makeKey(curve: String = "P-256", mode: Int = 0o640) throws {
        try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(curve)", "-out", key)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
    }

    private func configuration(without line: Int? = nil) throws -> String {
        var lines = ["apns-key = \(key)", "apns-key-id = ABCDE12345", "apns-team = TEAM123456", "apns-topic = a.b"]
        if let line { lines.remove(at: line) }
        return try folders.file("mesh.conf", lines.joined(separator: "\n") + "\n")
    }

    private func check() throws -> (code: Int32, output: String, errors: String) {
        try Program.run("config", "check", "--config", "\(folders.root)/mesh.conf", in: folders)
    }

    @Test func byConfigCheck() throws {
        let file = try configuration()
        let missing = try check()
        #expect(missing.code == 78 && missing.errors.hasPrefix("\(file):1: apns-key: \(key) is not there; put"))
        try makeKey(curve: "P-384")
        let wrong = try check()
        #expect(wrong.code == 78 && wrong.errors.contains("\(file):1: apns-key: \(key) holds a key that is not of the"))
        #expect(wrong.errors.contains("take the file AuthKey_....p8 that Apple gives once"), "\(wrong.errors)")
        try makeKey()
        let good = try check()
        #expect(good.code == 0 && !good.output.contains("every user of this computer"), "\(good.output)\(good.errors)")
        try makeKey(mode: 0o644)
        let open = try check()
        #expect(open.code == 0, "\(open.errors)")
        #expect(
            open.output.contains(
                "\(file):1: warning: apns-key: \(key) holds a secret, and every user of this computer can read it: "
                    + "sudo chmod o-r \(key)"), "\(open.output)")
        _ = try configuration(without: 2)
        let three = try check()
        #expect(three.code == 78)
        #expect(
            three.errors
                == "\(file):1: apns-key is good for nothing without apns-team, the team whose key it is\n")
    }

    /// A bad file stops nobody: it is said, and phones of Apple's wait for a reload.
    @Test func atAStartAndAReload() throws {
        let file = try folders.file("mesh.conf", "")
        var gateway = try ServedGateway(device: "simulated", in: folders, ["--config", file])
        try gateway.waitUntilLive()
        try gateway.authorize()
        let device: JSON = ["platform": "ios", "push_token": .string(String(repeating: "ab", count: 32))]
        func state() throws -> String? {
            try gateway.client.post("/api/v1/push/register", device).json["state"].string
        }
        #expect(try state() == "no-apns")
        _ = try configuration()
        gateway.program.signal(SIGHUP)
        let line = try gateway.program.errors.line(containing: "Apple's devices are not told")
        #expect(line.contains("apns-key: \(key) is not there"))
        try makeKey()
        gateway.program.signal(SIGHUP)
        #expect(try eventually { try state() == "ready" })
        try gateway.program.stop()
    }

    private func eventually(_ isSo: () throws -> Bool) throws -> Bool {
        for _ in 0..<600 {
            if try isSo() { return true }
            usleep(100_000)
        }
        return false
    }
}

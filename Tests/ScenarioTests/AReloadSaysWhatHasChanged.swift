import Foundation
import Testing

@testable import ServedProgram

/// Rules, targets and brokers are files of their own: a reload says what of them is new, has changed or is gone, and that nothing
/// has changed only where that is so.
@Suite struct AReloadSaysWhatHasChanged {
    private let folders: Folders
    private let conf: String

    init() throws {
        folders = try Folders()
        conf = "\(folders.root)/mesh-gateway.conf"
        try "".write(toFile: conf, atomically: true, encoding: .utf8)
        for folder in ["rules.d", "targets.d", "brokers.d"] {
            try FileManager.default.createDirectory(
                atPath: "\(folders.root)/\(folder)", withIntermediateDirectories: true)
        }
    }

    private func write(_ name: String, _ text: String) throws {
        try text.write(toFile: "\(folders.root)/\(name)", atomically: true, encoding: .utf8)
    }

    private func serve(_ environment: [String: String] = [:]) throws -> ServedGateway {
        try ServedGateway(
            device: "simulated", in: folders, environment: ["MESH_GATEWAY_CONFIG": conf].merging(environment) { $1 })
    }

    @Test func ofRulesTargetsAndBrokers() throws {
        try write("targets.d/phone.conf", "kind = ntfy\nurl = http://127.0.0.1:9/topic\nallow-local = yes\n")
        try write("rules.d/hut.conf", "when = battery below 20 %\n")
        let gateway = try serve()
        /// What a reload logs up to its last line.
        func reload() throws -> String {
            let before = gateway.program.errors.text
            gateway.program.signal(SIGHUP)
            try gateway.eventually("it is read again") {
                gateway.program.errors.text.dropFirst(before.count).contains("read again")
            }
            return String(gateway.program.errors.text.dropFirst(before.count))
        }
        #expect(!gateway.program.errors.text.contains("targets: ") && !gateway.program.errors.text.contains("rules: "))
        #expect(try reload().contains("nothing has changed"))

        try write("targets.d/mail.conf", "kind = apprise\nurl = http://127.0.0.1:9/notify/key\nallow-local = yes\n")
        try write("rules.d/hut.conf", "when = battery below 30 %\n")
        try write("rules.d/back.conf", "when = new node\n")
        try write("brokers.d/house.conf", "url = mqtt://127.0.0.1:9\n")
        var log = try reload()
        for words in ["targets: new: mail", "rules: new: back; changed: hut", "brokers: new: house"] {
            #expect(log.contains(words), "\(words): \(log)")
        }
        #expect(!log.contains("nothing has changed") && !log.contains("removed"), "\(log)")

        try FileManager.default.removeItem(atPath: "\(folders.root)/targets.d/mail.conf")
        // What is broken stays as it was, and is said to be broken.
        try write("rules.d/hut.conf", "when = battery blow 30 %\n")
        try write("brokers.d/house.conf", "url = mqtt://127.0.0.1:9\nhome-assistant = all\n")
        log = try reload()
        for words in ["targets: removed: mail", "rule-broken: ", "brokers: changed: house"] {
            #expect(log.contains(words), "\(words): \(log)")
        }
        #expect(!log.contains("nothing has changed") && !log.contains("rules: "), "\(log)")
        #expect(try reload().contains("nothing has changed"))
        try gateway.program.stop()
    }

    /// A command has the folder read again, too.
    @Test func alsoWhereACommandHasItRead() throws {
        let gateway = try serve()
        let add = try Program(
            ["target", "add", "box", "alive", "--url-file", "-"], in: folders, input: "https://example.org/x\n",
            environment: ["MESH_GATEWAY_CONFIG": conf])
        #expect(try add.exitCode() == 0)
        _ = try gateway.program.errors.line(containing: "targets: new: box")
        try gateway.program.stop()
    }

    /// The system gives no more threads: that is said, and the gateway goes on with everything else.
    @Test func andGoesOnWithoutAThread() throws {
        let full = "\(folders.root)/full"
        var gateway = try serve(["LD_PRELOAD": try SharedObject.noThreads.get(), "NOTHREADS_CONTROL": full])
        try gateway.authorize()
        try gateway.waitUntilLive()
        try write("full", "")
        try write("rules.d/hut.conf", "when = battery below 20 %\n")
        try write("targets.d/phone.conf", "kind = ntfy\nurl = http://127.0.0.1:9/topic\nallow-local = yes\n")
        try write("brokers.d/house.conf", "url = mqtt://127.0.0.1:9\n")
        gateway.program.signal(SIGHUP)
        for words in [
            "nothing is sent to targets: the system has no thread for it",
            "the rules are not at work: the system has no thread for them",
            "the broker house is not connected to: the system has no thread for it",
        ] { _ = try gateway.program.errors.line(containing: words) }
        #expect(try gateway.client.get("/api/v1/status").status == 200)
        let served = gateway
        func problems() throws -> String { try served.client.get("/api/v1/problems").text }
        let now = try problems()
        for words in [
            "Nothing is sent: the system has no thread", "The rules are not at work: the system has no thread",
            "The broker house is not connected to: the system has no thread",
        ] { #expect(now.contains(words), "\(now)") }
        try FileManager.default.removeItem(atPath: full)
        gateway.program.signal(SIGHUP)
        try served.eventually("that is over") {
            try !problems().contains("the system has no thread")
        }
        try served.eventually("the rule is at work") {
            try served.client.get("/api/v1/rules").json["rules"].rows.first?["since"] != .null
        }
        try gateway.program.stop()
    }

    @Test func asItsHelpSays() throws {
        let help = try Program.run("help", "serve", in: folders).output
        let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("the rules, the targets, the brokers and the certificate"), "\(words)")
    }
}

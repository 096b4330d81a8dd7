import Foundation
import Platform
import RadioSimulator
import Testing

@testable import ServedProgram

/// A running daemon with a simulated radio, a rule and targets of a test.
final class ToldByADaemon {
    let folders: Folders
    let here: RadioHere
    private(set) var gateway: ServedGateway
    private let environment: [String: String]

    /// - Parameters:
    ///   - targets: files of targets.d by name.
    ///   - rule: what is told; without `tell`.
    init(
        _ targets: [String: String], rule: String = "when = direct message", tell: String, in folders: Folders,
        environment: [String: String] = [:]
    ) throws {
        (self.folders, here) = (folders, try RadioHere())
        let conf = "\(folders.root)/mesh-gateway.conf"
        self.environment = environment.merging(["MESH_GATEWAY_CONFIG": conf]) { $1 }
        for folder in ["targets.d", "rules.d"] {
            try FileManager.default.createDirectory(
                atPath: "\(folders.root)/\(folder)", withIntermediateDirectories: true)
        }
        try "".write(toFile: conf, atomically: false, encoding: .utf8)
        for (name, text) in targets { try Self.write(text, "targets.d/\(name)", folders) }
        try Self.write("\(rule)\ntell = \(tell)\n", "rules.d/rule.conf", folders)
        gateway = try ServedGateway(
            device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: self.environment)
        try gateway.authorize(scopes: ["admin"])
        try gateway.waitUntilLive()
        let served = gateway
        try served.eventually("the rule is at work") {
            try served.client.get("/api/v1/rules").json["rules"].rows.first?["since"] != .null
        }
    }

    private static func write(_ text: String, _ name: String, _ folders: Folders) throws {
        try text.write(toFile: "\(folders.root)/\(name)", atomically: false, encoding: .utf8)
    }

    /// Changes a target, and has it read.
    func target(_ name: String, _ text: String) throws {
        try Self.write(text, "targets.d/\(name)", folders)
        _ = try type("target", "list")
        gateway.program.signal(SIGHUP)
        _ = try gateway.program.errors.line(containing: "read again")
    }

    /// Somebody sends the gateway's radio a text.
    func say(_ text: String) { here.radio.sendText(from: here.radio.nodes[0].number, text, to: here.radio.number) }

    /// A command of the program.
    func type(_ words: String...) throws -> (code: Int32, text: String) {
        let command = try Program(words, in: folders, environment: environment)
        let code = try command.exitCode()
        return (code, command.output.text + command.errors.text)
    }
}

import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// A gateway with a broker called `house`, and what the kernel says of the process that serves its connection.
final class ServedBroker {
    let folders: Folders
    let gateway: ServedGateway
    let port: Int
    private let here: RadioHere
    private let place: Int32
    private let environment: [String: String]

    /// - Parameters:
    ///   - lines: of the broker's file, beside its url.
    ///   - broker: the port of one that is there; nil: a place for one.
    ///   - executable: in place of the shipped one.
    init(_ lines: String = "home-assistant = all", at broker: Int? = nil, executable: String? = nil) throws {
        folders = try Folders()
        here = try RadioHere()
        (place, port) = try broker.map { (-1, $0) } ?? placeForMosquitto()
        let file = "\(folders.root)/mesh-gateway.conf"
        try "".write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(
            atPath: "\(folders.root)/brokers.d", withIntermediateDirectories: true)
        try "url = mqtt://127.0.0.1:\(port)\n\(lines)\n".write(
            toFile: "\(folders.root)/brokers.d/house.conf", atomically: true, encoding: .utf8)
        environment = ["MESH_GATEWAY_CONFIG": file]
        gateway = try ServedGateway(
            device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: environment,
            wrapper: executable.map { ["/bin/sh", "-c", "shift; exec \($0) \"$@\"", "sh"] } ?? [])
    }

    deinit { close(place) }

    func run(_ line: String) throws -> String {
        let command = try Program(line.split(separator: " ").map(String.init), in: folders, environment: environment)
        _ = try command.exitCode()
        return command.output.text + command.errors.text
    }

    var daemon: pid_t { gateway.program.process }

    func waitUntil(_ state: String) throws {
        try gateway.eventually("the broker is \(state)") { try run("mqtt status").contains(state) }
    }

    /// The processes of its brokers.
    var connections: [pid_t] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap { pid_t($0) }.filter { process in
            let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
            return status.contains("PPid:\t\(daemon)\n") && status.hasPrefix("Name:\tmqtt house\n")
        }
    }

    func connection() throws -> pid_t {
        try gateway.eventually("its process") { connections.first }
    }

    func count(_ what: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon)/\(what)").count) ?? 0
    }
}

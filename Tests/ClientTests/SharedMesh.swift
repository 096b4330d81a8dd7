import Foundation
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import ServedProgram

/// A radio whose mesh the test controls, behind the shipped gateway, which shares it on a port.
final class SharedMesh {
    let here: RadioHere
    let gateway: ServedGateway
    let port: UInt16

    /// - Parameter arguments: more of `serve`.
    init(
        right: String = "send", arguments: [String] = [], environment: [String: String] = [:],
        _ change: (inout SimulatorOptions) -> Void = { _ in }
    ) throws {
        here = try RadioHere(change)
        var gateway = try ServedGateway(
            device: "tcp:127.0.0.1:\(here.radio.listen(port: 0))", in: Folders(),
            ["--share", "127.0.0.1:0/\(right)"] + arguments, environment: environment)
        try gateway.waitUntilLive()
        try gateway.authorize()
        self.gateway = gateway
        port = try gateway.sharedPort()
    }

    var radio: SimulatedRadio { here.radio }

    func connect() throws -> ScriptedHost { try ScriptedHost(port: port) }

    /// A client that has read everything that there is to read.
    func connected(nonce: UInt32 = 7) throws -> ScriptedHost {
        let host = try connect()
        host.send(.wantConfig(nonce))
        try #require(host.wait { $0 == .configComplete(nonce) ? true : nil } == true)
        return host
    }

    /// The `shares` of the first source's status.
    func shares() throws -> [JSON] { try gateway.shares() }
}

extension ServedGateway {
    /// The port on which the log says that it shares the radio.
    func sharedPort() throws -> UInt16 {
        let line = try program.errors.line(containing: "sharing the radio on 127.0.0.1:")
        return try #require(UInt16(line.split(separator: ":").last!.split(separator: " ")[0]))
    }

    func shares() throws -> [JSON] {
        let status = try Program.run("status", "--json", in: folders)
        return try JSONDecoder().decode(JSON.self, from: Data(status.output.utf8))["sources"].rows[0]["shares"].rows
    }
}

/// Of a packet from the radio: what the tests look at.
extension FromRadio {
    var packet: MeshPacket? { if case .packet(let packet) = self { packet } else { nil } }

    var status: QueueStatus? { if case .queueStatus(let status) = self { status } else { nil } }

    /// A text, and who says it.
    var text: String? {
        guard let data = packet?.decoded, data.port == .textMessage else { return nil }
        return String(decoding: data.payload, as: UTF8.self)
    }

    /// The error of a ROUTING packet about this one; 0: none.
    func routingError(about id: PacketID) -> UInt32? {
        guard let data = packet?.decoded, data.port == .routing, data.requestID == id,
            case .routing(.error(let error)) = PacketContent(data)
        else { return nil }
        return error.rawValue
    }

    func isAbout(_ id: PacketID) -> Bool { packet?.decoded?.requestID == id }
}

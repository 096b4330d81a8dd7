import Foundation
import Glibc
import HTTPServer
import MeshModel
import Platform
import Routes
import Testing

@testable import RestAPI

/// Who has the radio over TCP is listed one by one, for who may read the configuration.
@Suite struct ASharedPortNamesItsClients {
    private func port() -> SharedPortReport {
        var port = SharedPortReport(address: "*:4403", right: .send)
        port.clients = [
            .init(address: "192.168.1.7", port: 40_001, since: TestGateway.now, sent: 4, refused: 0),
            .init(address: "192.168.1.8", port: 40_002, since: TestGateway.now + 1, sent: 0, refused: 2),
        ]
        (port.sent, port.refusedPackets, port.refusedConnections) = (5, 2, 9)
        return port
    }

    @Test func oneByOne() throws {
        let test = try TestGateway(shares: [port()])
        let rows = try test.get("/api/v1/shared-ports").rows
        #expect(rows.count == 1)
        #expect(rows[0]["address"] as? String == "*:4403" && rows[0]["right"] as? String == "send")
        #expect(rows[0]["sent"] as? Int == 5 && rows[0]["refusedConnections"] as? Int == 9)
        let clients = try #require(rows[0]["clients"] as? [NSDictionary])
        #expect(clients.map { $0["address"] as? String } == ["192.168.1.7", "192.168.1.8"])
        #expect(clients.map { $0["since"] as? Int64 } == [TestGateway.now, TestGateway.now + 1])
        #expect(clients.map { $0["sent"] as? Int } == [4, 0] && clients.map { $0["refused"] as? Int } == [0, 2])
        #expect(clients.allSatisfy { $0["program"] is NSNull })
    }

    /// This program, connected to itself.
    @Test func aProgramOfThisComputerByItsName() throws {
        let listener = LoopbackSocket()
        let (own, peer) = try listener.connected()
        var port = port()
        port.address = "127.0.0.1:\(own)"
        port.clients = [.init(address: "127.0.0.1", port: peer, since: 1, sent: 0, refused: 0)]
        let test = try TestGateway(shares: [port])
        let clients = try test.get("/api/v1/shared-ports").rows.first?["clients"] as? [NSDictionary]
        let comm = try String(contentsOfFile: "/proc/self/comm", encoding: .utf8)
        #expect(clients?.first?["program"] as? String == comm.trimmingCharacters(in: .newlines))
    }

    @Test func notToEverybody() throws {
        let test = try TestGateway(shares: [port()])
        let refused = try test.ask("GET", "/api/v1/shared-ports", as: try test.token(["info:read", "nodes:read"]))
        #expect(refused.status == 403 && !refused.text.contains("192.168"))
    }
}

/// A socket on the loopback.
private final class LoopbackSocket {
    private var descriptors: [Int32] = []

    deinit { for descriptor in descriptors { close(descriptor) } }

    /// The port that listens, and the one of a connection to it.
    func connected() throws -> (own: UInt16, peer: UInt16) {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let (server, client) = (socket(AF_INET, kind, 0), socket(AF_INET, kind, 0))
        descriptors = [server, client]
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        try #require(withAddress(&address) { bind(server, $0, $1) } == 0 && listen(server, 1) == 0)
        address.sin_port = port(of: server).bigEndian
        try #require(withAddress(&address) { connect(client, $0, $1) } == 0)
        return (port(of: server), port(of: client))
    }

    private func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    private func withAddress(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}

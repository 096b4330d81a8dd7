import Glibc
import MeshModel
import MeshProtocol
import RadioLink
import Testing

/// A listening socket on the loopback.
private struct Server {
    let descriptor: Int32
    let port: UInt16

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 4) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        try #require(bound)
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    /// The next client, within half a minute.
    func accept() throws -> Int32 {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        try #require(poll(&poller, 1, 90_000) == 1)
        return Glibc.accept(descriptor, nil, nil)
    }
}

@Test(arguments: ["127.0.0.1", "localhost"])
func aRadioInTheNetwork(host: String) throws {
    let server = try Server()
    let listener = Listener()
    let link = RadioLink(address: .tcp(host: host, port: server.port), delegate: listener)
    link.start()
    var radio = ScriptedRadio(on: try server.accept(), ownsDescriptor: true)
    #expect(listener.waitUntilLive())

    // Another program takes the radio's one connection.
    radio.stop()
    #expect(listener.wait { $0.states.contains { $0.problem?.name == "connection-closed" } })
    radio = ScriptedRadio(on: try server.accept(), ownsDescriptor: true)
    #expect(listener.waitUntilLive(2))
    link.stop()
    radio.stop()
    #expect(radio.received.last == .disconnect)
    close(server.descriptor)
}

@Test func aRefusedConnectionIsToldOnce() throws {
    let server = try Server()
    close(server.descriptor)
    let listener = Listener()
    let link = RadioLink(address: .tcp(host: "127.0.0.1", port: server.port), delegate: listener)
    link.start()
    #expect(listener.waitForProblem("connection-failed"))
    #expect(link.state.problem?.advice.contains("refused") == true)
    link.stop()
    #expect(listener.states.count { $0.name == "lost" } == 1)
}

@Test func aSimulatedRadioComesOverASocketPair() throws {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let radio = ScriptedRadio(on: ends[1], ownsDescriptor: true)
    let listener = Listener()
    let end = ends[0]
    let link = RadioLink(address: .connection(name: "simulated"), connect: { end }, delegate: listener)
    link.start()
    #expect(listener.waitUntilLive())
    #expect(link.snapshot?.usbSerial == nil)
    link.stop()
    radio.stop()
    #expect(radio.received.last == .disconnect)
}

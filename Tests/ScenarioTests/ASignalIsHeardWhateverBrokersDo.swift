import Foundation
import Platform
import Testing

@testable import ServedProgram

/// Sixteen brokers accept the gateway and answer nothing more: goodbyes to them take seconds each. A reload that changes them all is
/// over before one of them has let go, and the next one is heard; the API answers meanwhile, and the gateway stops in good order.
@Test func aSignalIsHeardWhateverBrokersDo() throws {
    let folders = try Folders()
    let conf = "\(folders.root)/mesh-gateway.conf"
    try "".write(toFile: conf, atomically: true, encoding: .utf8)
    for folder in ["rules.d", "brokers.d"] {
        try FileManager.default.createDirectory(atPath: "\(folders.root)/\(folder)", withIntermediateDirectories: true)
    }
    let brokers = try (0..<16).map { _ in try SilentBroker() }
    func write(keepAlive: Int) throws {
        for (number, broker) in brokers.enumerated() {
            try "url = mqtt://127.0.0.1:\(broker.port)\nkeep-alive = \(keepAlive)\n".write(
                toFile: "\(folders.root)/brokers.d/b\(10 + number).conf", atomically: true, encoding: .utf8)
        }
    }
    try write(keepAlive: 60)
    let gateway = try ServedGateway(device: "simulated", in: folders, environment: ["MESH_GATEWAY_CONFIG": conf])
    func connections(_ count: Int) throws {
        try gateway.eventually("\(count) connections") {
            gateway.program.errors.text.components(separatedBy: "connected to the broker").count > count
        }
    }
    try connections(16)

    try write(keepAlive: 90)
    gateway.program.signal(SIGHUP)
    _ = try gateway.program.errors.line(containing: "brokers: changed: b10")
    let ended = brokers.map(\.ended).reduce(0, +)
    #expect(ended == 0, "the reload has waited for \(ended) brokers")
    try "when = new node\n".write(
        toFile: "\(folders.root)/rules.d/visitor.conf", atomically: true, encoding: .utf8)
    gateway.program.signal(SIGHUP)
    _ = try gateway.program.errors.line(containing: "rules: new: visitor")
    #expect(try gateway.client.get("/api/health").status == 200)
    // Who takes their places comes when they have let go.
    try connections(32)
    #expect(brokers.allSatisfy { $0.mostAtOnce == 1 }, "two connections under one client id")
    try gateway.program.stop()
}

/// A broker that accepts each connection with MQTT 5, and says nothing more.
private final class SilentBroker: Sendable {
    private struct State {
        var open = 0
        var mostAtOnce = 0
        var ended = 0
    }

    let port: UInt16
    private let listener: Int32
    private let state = Monitor(State())

    var ended: Int { state.withLock { $0.ended } }
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let port = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16? in
                guard bind(listener, address, size) == 0, listen(listener, 8) == 0,
                    getsockname(listener, address, &size) == 0
                else { return nil }
                return UnsafeRawPointer(address).load(as: sockaddr_in.self).sin_port.bigEndian
            }
        }
        guard let port else { throw POSIXError(.EADDRINUSE) }
        self.port = port
        let state = state
        _ = Platform.Thread.detach(named: "silent broker") {
            while true {
                let connection = retrying { accept(listener, nil, nil) }
                guard connection >= 0 else { break }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                _ = Platform.Thread.detach(named: "silence") { Self.serve(connection, state) }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func serve(_ connection: Int32, _ state: Monitor<State>) {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        _ = retrying { read(connection, &bytes, bytes.count) }
        state.withLock { state in
            state.open += 1
            state.mostAtOnce = max(state.mostAtOnce, state.open)
        }
        // CONNACK: accepted, no properties.
        let welcome: [UInt8] = [0x20, 3, 0, 0, 0]
        _ = send(connection, welcome, welcome.count, Int32(MSG_NOSIGNAL))
        while retrying({ read(connection, &bytes, bytes.count) }) > 0 {}
        state.withLock { state in
            state.open -= 1
            state.ended += 1
        }
        close(connection)
    }
}

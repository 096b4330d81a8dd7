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

    private let listener: ScriptedBroker
    private let state = Monitor(State())

    var port: UInt16 { listener.port }
    var ended: Int { state.withLock { $0.ended } }
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }

    init() throws {
        let state = state
        listener = try ScriptedBroker { connection in
            state.withLock { state in
                state.open += 1
                state.mostAtOnce = max(state.mostAtOnce, state.open)
            }
            // CONNACK: accepted, no properties.
            _ = connection.send([0x20, 3, 0, 0, 0])
            while connection.receives() {}
            state.withLock { state in
                state.open -= 1
                state.ended += 1
            }
        }
    }
}

import Foundation
import Testing

@testable import ServedProgram

/// Every test of a target is a notification on somebody's phone: over the network each target and each broker is tried once in
/// ten seconds. One whose file has changed begins anew, and who sits at the gateway is not kept waiting.
@Test func theNetworkTriesATargetOnceInTenSeconds() throws {
    let folders = try Folders()
    let phone = try LoopbackServer(status: 200)
    let file = "\(folders.root)/mesh-gateway.conf"
    for folder in ["targets.d", "brokers.d"] {
        try FileManager.default.createDirectory(
            atPath: "\(folders.root)/\(folder)", withIntermediateDirectories: true)
    }
    func write(_ name: String, _ text: String) throws {
        try text.write(toFile: "\(folders.root)/\(name)", atomically: true, encoding: .utf8)
    }
    try write("mesh-gateway.conf", "")
    let conf = "kind = ntfy\nallow-local = yes\nurl = \(phone.url)"
    try write("targets.d/phone.conf", "\(conf)/one\n")
    try write("targets.d/other.conf", "\(conf)/other\n")
    try write("brokers.d/house.conf", "url = mqtt://127.0.0.1:9\n")
    let environment = ["MESH_GATEWAY_CONFIG": file]
    var gateway = try ServedGateway(device: "simulated", in: folders, environment: environment)
    try gateway.authorize(scopes: ["admin"])
    try gateway.waitUntilLive()
    let client = gateway.client
    /// So many at once: whether the first is let in, and how long the others are to wait.
    func post(_ path: String) throws {
        let answers = try (0..<4).map { _ in try client.post("/api/v1/\(path)/test", [:]) }
        #expect(answers.map(\.status) == [200] + [Int](repeating: 429, count: 3), "\(path): \(answers.map(\.text))")
        for answer in answers.dropFirst() {
            let seconds = try #require(answer.headers["retry-after"].flatMap { Int($0) })
            #expect((1...10).contains(seconds))
        }
    }
    let tested = ContinuousClock.now
    for path in ["targets/phone", "targets/other", "mqtt/house"] { try post(path) }
    for path in ["targets/nobody", "mqtt/nobody"] {
        #expect(try client.post("/api/v1/\(path)/test", [:]).status == 404)
    }
    try gateway.eventually("both have arrived") { phone.received.count == 2 }

    try write("targets.d/phone.conf", "\(conf)/two\n")
    try write("brokers.d/house.conf", "url = mqtt://127.0.0.1:9\nkeep-alive = 30\n")
    gateway.program.signal(SIGHUP)
    _ = try gateway.program.errors.line(containing: "read again")
    for path in ["targets/phone", "mqtt/house"] { try post(path) }
    // What was not changed still waits, unless this machine took longer than its ten seconds.
    let again = try client.post("/api/v1/targets/other/test", [:]).status
    #expect(again == 429 || ContinuousClock.now >= tested + .seconds(10))
    for _ in 0..<3 {
        let test = try Program(["target", "test", "other"], in: folders, environment: environment)
        #expect(try test.exitCode() == 0, "\(test.errors.text)")
    }
    try gateway.program.stop()
}

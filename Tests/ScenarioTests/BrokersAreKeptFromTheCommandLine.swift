import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// Brokers are files: what is right is connected to, what is not is named wherever problems are, and both are seen by command and
/// by REST.
@Test func brokersAreKeptFromTheCommandLine() throws {
    let folders = try Folders()
    let here = try RadioHere()
    let file = "\(folders.root)/mesh-gateway.conf"
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    let brokers = "\(folders.root)/brokers.d"
    try FileManager.default.createDirectory(atPath: brokers, withIntermediateDirectories: true)
    let (place, port) = try placeForMosquitto()
    defer { close(place) }
    let mosquitto = try mosquitto(port, in: folders)
    defer { mosquitto.signal(SIGKILL) }
    let environment = ["MESH_GATEWAY_CONFIG": file]
    func type(_ line: String, exitCode: Int32 = 0) throws -> (output: String, errors: String) {
        let command = try Program(line.split(separator: " ").map(String.init), in: folders, environment: environment)
        #expect(try command.exitCode() == exitCode, "\(line): \(command.errors.text)")
        return (command.output.text, command.errors.text)
    }

    var gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: environment)
    try gateway.authorize(scopes: ["read", "mqtt:write"])
    try gateway.waitUntilLive()
    #expect(try type("mqtt").output.contains("mesh-gateway mqtt add house"))

    // A file and a reload, and it is connected.
    try "url = mqtt://127.0.0.1:\(port)\nhome-assistant = all\n".write(
        toFile: "\(brokers)/house.conf", atomically: true, encoding: .utf8)
    gateway.program.signal(SIGHUP)
    try gateway.eventually("its devices are there") {
        try gateway.client.get("/api/v1/mqtt").json["brokers"].rows.first?["devices"].integer ?? 0 > 1
    }
    #expect(try type("mqtt status").output.contains("live"))
    let test = try type("mqtt test house").output
    #expect(test.contains("publishing   allowed") && test.contains("gateway"), "\(test)")
    #expect(try type("mqtt refresh house").output.contains("live"))
    #expect(try type("mqtt test nobody", exitCode: 66).errors.contains("mesh-gateway mqtt status"))

    // A mistake is named everywhere, and the other broker stays.
    let broken = "\(brokers)/broken.conf"
    try "url = mqtt://u:secret@house\n".write(toFile: broken, atomically: true, encoding: .utf8)
    gateway.program.signal(SIGHUP)
    _ = try gateway.program.errors.line(containing: "broker-broken: \(broken):1:")
    #expect(try type("config check", exitCode: 78).errors.hasPrefix("\(broken):1: "))
    #expect(try type("status").output.contains("broker-broken: \(broken):1:"))
    #expect(try gateway.client.get("/api/v1/problems").text.contains("broker-broken"))
    let shown = try type("mqtt").output
    #expect(shown.contains("broken") && shown.contains("live") && !shown.contains("secret"), "\(shown)")

    // What is wrong elsewhere is shown in Home Assistant, too.
    let targets = "\(folders.root)/targets.d"
    try FileManager.default.createDirectory(atPath: targets, withIntermediateDirectories: true)
    try "nonsense\n".write(toFile: "\(targets)/phone.conf", atomically: true, encoding: .utf8)
    gateway.program.signal(SIGHUP)
    let told = try messages(of: "mesh-gateway/+/gateway/state", at: port, until: "target-broken")
    #expect(told.contains("broker-broken") && !told.contains(folders.root), "\(told)")
    // A broker that is gone: the test says so, and ends with 69.
    mosquitto.signal(SIGKILL)
    #expect(try type("mqtt test house", exitCode: 69).errors.contains("not connected to mqtt://127.0.0.1:\(port): "))
    try gateway.program.stop()
    #expect(try type("mqtt test house", exitCode: 69).errors.contains("mesh-gateway serve"))
    #expect(try type("mqtt").output.contains("stopped"))
}

func mosquitto(_ port: Int, in folders: Folders) throws -> Program {
    let path = "\(folders.root)/mosquitto.conf"
    let user = geteuid() == 0 ? "user root\n" : ""
    try "listener \(port) 127.0.0.1\nallow_anonymous true\n\(user)".write(
        toFile: path, atomically: true, encoding: .utf8)
    return try Program(["-c", path], in: folders, executable: "/usr/sbin/mosquitto")
}

/// What a broker has and gets below a filter, until some text is among it.
private func messages(of filter: String, at port: Int, until text: String) throws -> String {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var (address, patience) = (sockaddr_in(), timeval(tv_sec: 60, tv_usec: 0))
    address.sin_family = sa_family_t(AF_INET)
    (address.sin_addr.s_addr, address.sin_port) = (UInt32(0x7F00_0001).bigEndian, UInt16(port).bigEndian)
    let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    try #require(result == 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    // MQTT 3.1.1: CONNECT as "home" with a clean session, SUBSCRIBE.
    let name = Array(filter.utf8)
    let packets: [UInt8] =
        [0x10, 16, 0, 4] + Array("MQTT".utf8) + [4, 2, 0, 0, 0, 4] + Array("home".utf8)
        + [0x82, UInt8(name.count + 5), 0, 1, 0, UInt8(name.count)] + name + [0]
    try #require(send(descriptor, packets, packets.count, Int32(MSG_NOSIGNAL)) == packets.count)
    var (found, bytes) = ("", [UInt8](repeating: 0, count: 4_096))
    while !found.contains(text) {
        let count = recv(descriptor, &bytes, bytes.count, 0)
        try #require(count > 0, "no \"\(text)\" in: \(found)")
        found += String(decoding: bytes.prefix(count), as: UTF8.self)
    }
    return found
}

/// Mosquitto sets SO_REUSEADDR, and may listen there; nobody else is given the port while the socket is open.
func placeForMosquitto() throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var yes = Int32(1)
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
        }
    }
    try #require(result == 0)
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
}

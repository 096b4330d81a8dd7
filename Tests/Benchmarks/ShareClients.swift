import Gateway
import Glibc
import Log
import MeshProtocol
import RadioLink
import RadioShare
import RadioSimulator
import Store

/// How long clients of a shared radio wait for their handshake, from connect(2) to config_complete_id: one at a time, and the
/// last of eight at once. And how much memory eight connected clients need.
func measureShare(database: String, nodes: Int) throws {
    var options = SimulatorOptions()
    (options.nodes, options.chatter, options.limitsRates) = (nodes, 0, false)
    let radio = try SimulatedRadio(options)
    radio.start()
    let store = try Store(path: database)
    let gateway = try Gateway(store: store, logger: .silent) {
        RadioLink(address: .connection(name: "simulated"), connect: { try radio.connect() }, delegate: $0)
    }
    let share = RadioShare(
        gateway: gateway, ports: [SharedPort(address: "127.0.0.1", port: 0, right: .send)], logger: .silent)
    try share.start()
    gateway.start()
    let port = share.status[0].port
    // The first waits for the radio's own handshake.
    close(handshakes(1, at: port)[0].descriptor)
    var one: [Double] = []
    for _ in 0..<20 {
        let client = handshakes(1, at: port)[0]
        close(client.descriptor)
        one.append(client.milliseconds)
        // A list of nodes serves those who come within a second.
        usleep(1_100_000)
    }
    print("share-\(nodes)-one-ms \(one.sorted()[one.count / 2])")
    let before = residentKilobytes()
    let eight = handshakes(8, at: port)
    print("share-\(nodes)-last-of-eight-ms \(eight.map(\.milliseconds).max() ?? 0)")
    usleep(2_000_000)
    print("share-\(nodes)-kB-a-client \(Double(residentKilobytes() - before) / 8)")
    for client in eight { close(client.descriptor) }
    share.stop()
    gateway.stop()
    store.close()
    radio.stop()
}

/// Connects so many at once, and reads with all until each has everything.
private func handshakes(_ count: Int, at port: UInt16) -> [(descriptor: Int32, milliseconds: Double)] {
    let begun = monotonicTime()
    var clients = (0..<count).map { _ in (descriptor: connected(to: port), milliseconds: 0.0) }
    let request = StreamFrame.encode(ToRadio.wantConfig(4711).encoded())
    for client in clients { _ = send(client.descriptor, request, request.count, 0) }
    let end = StreamFrame.encode(FromRadio.configComplete(4711).encoded())
    var tails = [[UInt8]](repeating: [], count: count)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while clients.contains(where: { $0.milliseconds == 0 }) {
        var waiting = clients.map {
            pollfd(fd: $0.milliseconds == 0 ? $0.descriptor : -1, events: Int16(POLLIN), revents: 0)
        }
        poll(&waiting, nfds_t(count), -1)
        for place in 0..<count where waiting[place].revents != 0 {
            let size = read(clients[place].descriptor, &buffer, buffer.count)
            precondition(size > 0, "a client was turned away")
            tails[place] = Array((tails[place] + buffer[..<size]).suffix(end.count))
            if tails[place] == end { clients[place].milliseconds = Double(monotonicTime() - begun) / 1e6 }
        }
    }
    return clients
}

private func connected(to port: UInt16) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    precondition(result == 0, "nobody listens")
    return descriptor
}

private func residentKilobytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 128)
    fgets(&text, 128, file)
    let pages = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
        separator: " ")
    return Int(pages[1]).map { $0 * 4 } ?? 0
}

import Glibc
import Platform
import Testing

/// A broker that knows no MQTT 5: in front of a real one, it refuses a CONNECT of that version and hands on everything else.
final class VersionGate: Sendable {
    let port: Int
    private let listener: Int32

    init(to target: Int) throws {
        let (descriptor, port) = try listening()
        (listener, self.port) = (descriptor, port)
        FakeBroker.detach(named: "version gate") {
            while true {
                let client = nextClient(descriptor)
                guard client >= 0 else { break }
                FakeBroker.detach(named: "gated") { Self.serve(client, target) }
            }
            close(descriptor)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func serve(_ client: Int32, _ target: Int) {
        defer { end(client) }
        let connect = FakeBroker.readPacket(client)
        guard connect.count > 8 else { return }
        // Behind "MQTT" with its length. 0x84: unsupported protocol version.
        if connect[8] == 5 {
            _ = writeAll([0x20, 3, 0, 0x84, 0] as [UInt8], to: client)
            return
        }
        let broker = connected(to: target)
        guard broker >= 0 else { return }
        defer { end(broker) }
        guard writeAll(connect, to: broker) == 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            var ends = [client, broker].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard retrying({ Int(poll(&ends, 2, -1)) }) > 0 else { return }
            for (from, to) in [(0, 1), (1, 0)] where ends[from].revents != 0 {
                let count = retrying { read(ends[from].fd, &bytes, bytes.count) }
                guard count > 0, writeAll(bytes.prefix(count), to: ends[to].fd) == 0 else { return }
            }
        }
    }
}

import Glibc
import Platform
import Testing

/// A server on the loopback that answers each connection with bytes of a test's choice.
final class FakeBroker: Sendable {
    let port: Int
    private let listener: Int32
    private let served = Monitor(0)

    /// - Parameter serve: is given each connection in turn, and closes nothing.
    init(_ serve: @escaping @Sendable (Int32) -> Void) throws {
        let (descriptor, port) = try listening()
        (listener, self.port) = (descriptor, port)
        let served = served
        Self.detach(named: "fake broker") {
            while true {
                let connection = nextClient(descriptor)
                guard connection >= 0 else { break }
                serve(connection)
                end(connection)
                served.notify { $0 += 1 }
            }
            // Here alone: closed by others, its number could be that of the next test's listener when this accepts.
            close(descriptor)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// A thread with all signals blocked: a client that has closed is no reason to end.
    static func detach(named name: String, _ run: @escaping @Sendable () -> Void) {
        Platform.Thread.detach(named: name) {
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, nil)
            run()
        }
    }

    /// Waits until so many connections have been served.
    func waitForConnections(_ count: Int) -> Bool {
        served.wait(seconds: 300) { $0 >= count ? true : nil } ?? false
    }

    /// Reads one packet of at most some hundred bytes.
    static func readPacket(_ connection: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = retrying { read(connection, &bytes, bytes.count) }
        return Array(bytes.prefix(max(0, count)))
    }

    /// Reads a CONNECT. That of conversations is to be answered; the other connection of a broker's file is told that it is
    /// not authorized, and does not come again.
    static func isTalk(_ connection: Int32) -> Bool {
        let connect = readPacket(connection)
        if connect.firstRange(of: Array("-talk".utf8)) != nil { return true }
        _ = writeAll([0x20, 3, 0, 0x87, 0] as [UInt8], to: connection)
        return false
    }

    /// CONNACK of MQTT 5: accepted, no properties.
    static let welcome: [UInt8] = [0x20, 3, 0, 0, 0]
}

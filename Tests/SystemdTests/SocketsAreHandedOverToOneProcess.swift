import Glibc
import Testing

@testable import Systemd

@Suite struct SocketsAreHandedOverToOneProcess {
    private let me = "\(getpid())"

    /// LISTEN_FDS, LISTEN_PID: what is not for this process, or is no number of sockets, hands nothing over.
    @Test(arguments: [
        (nil, nil), ("1", nil), (nil, "me"), ("1", "1"), ("0", "me"), ("-1", "me"), ("x", "me"), ("", "me"),
        ("99999999999", "me"), ("70000", "me"),
    ])
    func nothingIsTakenThatIsNotOurs(count: String?, process: String?) {
        let found = HandedSocket.all(count: count, process: process == "me" ? me : process, names: nil)
        #expect(found == [])
    }

    /// What the descriptor is, is looked at by whoever listens on it.
    @Test func theyComeWithTheirNames() throws {
        let descriptor = open("/dev/null", O_RDONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        func found(_ names: String?) -> [HandedSocket] {
            HandedSocket.all(count: "1", process: me, names: names, from: descriptor)
        }
        #expect(found("mesh-gateway.socket:other").map(\.descriptor) == [descriptor])
        #expect(found("mesh-gateway.socket:other").map(\.name) == ["mesh-gateway.socket"])
        #expect(found(nil).map(\.name) == [""])
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }
}

import Glibc
import HTTPServer
import Testing

@Suite struct WhyItCannotListenIsSaid {
    private func failure(_ listener: Listener) -> HTTPServerError? {
        do {
            _ = try HTTPServer(listeners: [listener], handler: echo)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: ["127.0.0.1", ""]) func whenThePortIsTaken(host: String) throws {
        let first = try TestServer(listeners: [.tcp(host: host, port: 0)])
        let error = failure(.tcp(host: host, port: first.port))
        let place = host.isEmpty ? "port \(first.port)" : "127.0.0.1:\(first.port)"
        #expect(error == .portTaken(address: place))
        #expect("\(error!)".contains("already in use by another program"))
    }

    /// Addresses of TEST-NET-1 (RFC 5737) and the documentation prefix (RFC 3849) are nobody's.
    @Test(arguments: ["192.0.2.1", "2001:db8::1"]) func whenTheAddressIsElsewhere(host: String) {
        #expect(failure(.tcp(host: host, port: 0)) == .addressNotHere(host: host))
    }

    @Test func whenTheNameIsUnknown() {
        guard case .unknownHost(let host, let reason) = failure(.tcp(host: "no-such-host.invalid", port: 0)) else {
            Issue.record("found")
            return
        }
        #expect(host == "no-such-host.invalid")
        #expect(!reason.isEmpty)
    }

    @Test func whenTheSocketsPathIsTooLong() {
        let path = "/tmp/" + String(repeating: "x", count: 103)
        #expect(path.utf8.count == 108)
        #expect(failure(.unix(path: path, mode: 0o600, group: nil)) == .socketPathTooLong(path: path, longest: 107))
    }

    @Test func whenTheSocketsDirectoryIsMissing() {
        let path = "/nonexistent/mesh-gateway/x.sock"
        #expect(failure(.unix(path: path, mode: 0o600, group: nil)) == .socketDirectoryMissing(path: path))
    }

    @Test func whenAnotherServerHasTheSocket() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/x.sock"
        let first = try TestServer(listeners: [.unix(path: path, mode: 0o600, group: nil)])
        #expect(failure(.unix(path: path, mode: 0o600, group: nil)) == .socketInUse(path: path))
        #expect(access(path, F_OK) == 0)
        withExtendedLifetime(first) {}
    }

    @Test func whenTheFileIsNoSocket() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/important"
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        #expect(failure(.unix(path: path, mode: 0o600, group: nil)) == .notASocket(path: path))
        #expect(access(path, F_OK) == 0)
    }

    @Test func whenTheInheritedDescriptorIsNothing() {
        #expect(failure(.inherited(descriptor: 9999)) == .notAStreamSocket(name: "socket"))
    }

    @Test func whenTheInheritedSocketTakesDatagramsOrIsAConnection() {
        var ends: [Int32] = [0, 0]
        for (kind, error) in [
            (SOCK_DGRAM, HTTPServerError.notAStreamSocket(name: "it")), (SOCK_STREAM, .notListening(name: "it")),
        ] {
            #expect(socketpair(AF_UNIX, Int32(kind.rawValue), 0, &ends) == 0)
            defer { ends.forEach { close($0) } }
            #expect(failure(.inherited(descriptor: ends[0], name: "it")) == error)
        }
    }
}

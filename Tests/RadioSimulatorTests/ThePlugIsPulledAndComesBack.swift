import Glibc
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@Suite struct ThePlugIsPulledAndComesBack {
    @Test func everyLineEndsAndIsRefusedUntilThen() throws {
        try withRadio { radio, host in
            let port = try radio.listen()
            let client = try Host(tcp: port)
            client.handshake()
            radio.unplug()
            #expect(host.waitForEnd())
            #expect(client.waitForEnd())
            #expect(throws: SimulatorError.unplugged) { try radio.connect() }
            #expect(throws: SimulatorError.unplugged) { try radio.openPty() }
            #expect((try? Host(tcp: port)) == nil, "nobody listens")

            try radio.replug()
            let again = Host(try radio.connect())
            try booted(again)
            again.handshake()
            let newClient = try Host(tcp: port)
            newClient.handshake()
        }
    }

    @Test func thePtyAndItsLinkComeBack() throws {
        let folder = try temporaryFolder()
        defer { rmdir(folder) }
        let link = folder + "/radio"
        try withRadio { radio, _ in
            try radio.openPty(link: link)
            let host = try Host(pty: link)
            host.handshake()
            radio.unplug()
            #expect(host.waitForEnd())
            #expect(access(link, F_OK) != 0)
            try radio.replug()
            let again = try Host(pty: link)
            try booted(again)
            again.handshake()
        }
        #expect(access(link, F_OK) != 0, "a stopped radio leaves no link")
    }

    @Test func whatIsNoLinkIsNotReplaced() throws {
        let folder = try temporaryFolder()
        let path = folder + "/file"
        defer {
            unlink(path)
            rmdir(folder)
        }
        close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        try withRadio { radio, _ in
            #expect(throws: SimulatorError.linkIsTaken(path)) { try radio.openPty(link: path) }
        }
        #expect(access(path, F_OK) == 0)
    }

    /// While it boots the radio is deaf.
    private func booted(_ host: Host) throws {
        var answer: Bool?
        for nonce in 2...200 as ClosedRange<UInt32> where answer == nil {
            host.send(.heartbeat(nonce: nonce))
            answer = host.wait(0.1) { if case .queueStatus = $0 { true } else { nil } }
        }
        try #require(answer == true)
    }

    private func temporaryFolder() throws -> String {
        var template = Array("/tmp/simulator-XXXXXX".utf8CString)
        return try template.withUnsafeMutableBufferPointer { buffer in
            String(cString: try #require(mkdtemp(buffer.baseAddress!)))
        }
    }
}

import Glibc
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@Suite struct HostsComeAndGo {
    @Test func aNewCableReplacesTheOldOne() throws {
        try withRadio { radio, host in
            host.handshake()
            let second = Host(try radio.connect())
            #expect(host.waitForEnd())
            second.handshake(8)
        }
    }

    @Test func theNewestTCPClientWins() throws {
        try withRadio { radio, _ in
            let port = try radio.listen()
            let first = try Host(tcp: port)
            first.handshake()
            let second = try Host(tcp: port)
            #expect(first.waitForEnd())
            second.handshake(8)
        }
    }

    @Test func aPtyCanBeOpenedAgainAndAgain() throws {
        try withRadio { radio, _ in
            let path = try radio.openPty()
            for nonce in 1...5 as ClosedRange<UInt32> {
                let host = try Host(pty: path)
                host.handshake(nonce)
            }
        }
    }

    /// Over a cable the radio does not notice that the host is gone; after `disconnect` it keeps what comes
    /// (SerialReference 14.11).
    @Test func onlyAfterDisconnectAreMessagesKept() throws {
        try withRadio { radio, host in
            let friend = radio.nodes[0].number
            host.handshake()
            host.send(.disconnect)
            host.send(.heartbeat(nonce: 9))
            #expect(host.wait { if case .queueStatus = $0 { true } else { nil } } == true)
            host.hangUp()
            let kept = radio.sendText(from: friend, "kept")

            let second = Host(try radio.connect())
            second.handshake()
            #expect(second.wait { if case .packet(let packet) = $0, packet.id == kept { true } else { nil } } == true)
            second.hangUp()
            let lost = radio.sendText(from: friend, "lost")

            let third = Host(try radio.connect())
            third.handshake()
            third.settle(radio)
            #expect(!third.meshPackets.contains { $0.id == lost })
        }
    }

    /// After 15 minutes without a word from the host, here none at all, packets stop; a heartbeat does not bring them
    /// back (SerialReference 2.5).
    @Test func aSilentHostIsForgotten() throws {
        try withRadio({ $0.silenceLimit = 0.2 }) { radio, host in
            host.handshake()
            // Longer than the limit: a poll on an idle line.
            _ = host.wait(0.5) { if case .rebooted = $0 { true } else { nil } }
            let id = radio.sendText(from: radio.nodes[0].number, "too late")
            host.send(.heartbeat(nonce: 9))
            #expect(host.wait { if case .queueStatus = $0 { true } else { nil } } == true)
            #expect(!host.meshPackets.contains { $0.id == id })
            let mark = host.frames.count
            host.send(.wantConfig(8))
            #expect(
                host.wait(since: mark) { if case .packet(let packet) = $0, packet.id == id { true } else { nil } }
                    == true)
        }
    }

    /// In a process of its own, in which every descriptor is this radio's.
    @Test func manyConnectsLeakNoDescriptors() async {
        await #expect(processExitsWith: .success) {
            func count() -> Int {
                guard let folder = opendir("/proc/self/fd") else { return 0 }
                defer { closedir(folder) }
                var count = 0
                while readdir(folder) != nil { count += 1 }
                return count
            }
            try withRadio { radio, _ in
                let port = try radio.listen()
                let before = count()
                for round in 0..<400 {
                    let host = Host(try radio.connect())
                    host.send(.heartbeat(nonce: 2))
                    if round % 4 == 0 {
                        let client = try Host(tcp: port)
                        client.send(.heartbeat(nonce: 2))
                        #expect(client.wait { if case .queueStatus = $0 { true } else { nil } } == true)
                        let pty = try Host(pty: try radio.openPty())
                        pty.send(.heartbeat(nonce: 2))
                        #expect(pty.wait { if case .queueStatus = $0 { true } else { nil } } == true)
                    }
                }
                // The last hosts may not have been seen to leave.
                let now = count()
                precondition(now < before + 20, "\(before) descriptors before, \(now) after")
            }
        }
    }

    @Test func aStoppedRadioEndsEverything() throws {
        let radio = try SimulatedRadio()
        radio.start()
        let host = Host(try radio.connect())
        radio.stop()
        #expect(host.waitForEnd())
        #expect(throws: SimulatorError.unplugged) { try radio.connect() }
        #expect(radio.waitForPacket(timeout: 30) { _ in true } == nil)
    }
}

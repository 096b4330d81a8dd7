import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@Suite struct TheParserHasTheFirmwaresWeaknesses {
    private static let heartbeat: [UInt8] = [0x94, 0xC3, 0, 4, 0x3A, 2, 8, 2]

    /// Whether a heartbeat after these bytes is answered; a second one, after enough filling, always is.
    @Test(
        arguments: [
            ([], true),
            ([0x94], false),  // the C3 that follows 94 94 is not looked at again
            ([0x94, 0x94], true),  // 94 94 is thrown away as a pair
            ([0x94, 0x94, 0x94], false),
            ([0x94, 0x94, 0x94, 0x94], true),
            ([0xC3, 0xC3, 0xC3, 0xC3], true),  // the flush that hosts use
            ([0x94, 0xC3, 0xFF, 0xFF], true),  // too long to be a frame
            ([0x94, 0xC3, 0, 0], true),  // an empty frame
            ([0x94, 0xC3, 0, 9, 1, 2], false),  // a frame left half written eats the beginning of the next
            ([0x94, 0xC3, 0, 3, 0xFF, 0xFF, 0xFF], true),  // a frame that is no ToRadio
        ] as [([UInt8], Bool)])
    func leading(_ bytes: [UInt8], _ isAnswered: Bool) throws {
        try withRadio { _, host in
            host.write(bytes + Self.heartbeat)
            host.write([UInt8](repeating: 0xC3, count: 516))
            host.write(StreamFrame.encode(ToRadio.wantConfig(7).encoded()))
            #expect(host.wait { $0 == .configComplete(7) ? true : nil } == true)
            let answers = host.frames.filter { if case .queueStatus = $0 { true } else { false } }
            #expect(answers.count == (isAnswered ? 1 : 0))
        }
    }

    /// Heartbeat 1 makes the radio announce itself; all that comes back is the queue status of that packet.
    @Test func heartbeatOneIsACommand() throws {
        try withRadio { radio, host in
            host.handshake()
            let mark = host.frames.count
            host.send(.heartbeat(nonce: 1))
            let status = host.wait(since: mark) { if case .queueStatus(let status) = $0 { status } else { nil } }
            #expect(status?.packetID != 0)
        }
    }

    @Test func anOversizePayloadIsMetWithSilence() throws {
        try withRadio { radio, host in
            host.handshake()
            host.send(text(String(repeating: "x", count: 235), to: .broadcast, id: 4, from: radio))
            host.settle(radio)
            #expect(
                !host.frames.contains { if case .queueStatus(let status) = $0 { status.packetID == 4 } else { false } })
        }
    }
}

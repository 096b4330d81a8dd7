import MeshModel
import MeshProtocol
import Testing

/// Whole frames (SerialReference 1.1).
@Suite struct TheTestVectorsReadAndWrite {
    static let toRadioVectors: [(ToRadio, String)] = [
        (.wantConfig(1), "94 c3 00 02 18 01"),
        (.wantConfig(69420), "94 c3 00 04 18 ac 9e 04"),
        (.wantConfig(69421), "94 c3 00 04 18 ad 9e 04"),
        (.heartbeat(nonce: 0), "94 c3 00 02 3a 00"),
        (.heartbeat(nonce: 2), "94 c3 00 04 3a 02 08 02"),
        (.disconnect, "94 c3 00 02 20 01"),
        (
            .packet(
                MeshPacket(
                    from: NodeNumber(0x1234_5678), to: .broadcast, id: 0x0bad_cafe,
                    payload: .decoded(MeshData(port: .textMessage, payload: Array("hi".utf8))), hopLimit: 3,
                    wantAck: true)),
            "94 c3 00 1d 0a 1b 0d 78 56 34 12 15 ff ff ff ff 22 06 08 01 12 02 68 69 35 fe ca ad 0b 48 03 50 01"
        ),
    ]

    static let fromRadioVectors: [(FromRadio, String)] = [
        (.configComplete(69420), "94 c3 00 04 38 ac 9e 04"),
        (.rebooted, "94 c3 00 02 40 01"),
        (
            .queueStatus(QueueStatus(result: 0, free: 16, capacity: 16, packetID: 0)),
            "94 c3 00 06 5a 04 10 10 18 10"
        ),
        (.empty, "94 c3 00 00"),
    ]

    @Test(arguments: toRadioVectors) func toRadio(_ message: ToRadio, _ hex: String) {
        let frame = bytes(hex)
        #expect(StreamFrame.encode(message.encoded()) == frame)
        #expect(MeshProtocolTests.toRadio(Array(frame.dropFirst(4))) == message)
    }

    @Test(arguments: fromRadioVectors) func fromRadio(_ message: FromRadio, _ hex: String) {
        let frame = bytes(hex)
        #expect(StreamFrame.encode(message.encoded()) == frame)
        #expect(MeshProtocolTests.fromRadio(Array(frame.dropFirst(4))) == message)
    }
}

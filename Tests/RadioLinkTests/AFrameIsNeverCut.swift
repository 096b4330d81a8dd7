import Glibc
import MeshModel
import MeshProtocol
import RadioLink
import Testing

/// A radio that takes nothing for a while, behind a socket that holds less than a frame or two.
@Test func aFrameIsNeverCut() throws {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    var size: Int32 = 1
    for end in ends { setsockopt(end, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size)) }
    let answers = RadioAnswers()
    let listener = Listener()
    let end = ends[0]
    let link = RadioLink(address: .connection(name: "slow"), connect: { end }, delegate: listener)
    link.start()

    // By hand, as this radio does not read on its own.
    var decoder = StreamDecoder<ToRadio>(decode: { ToRadio(decoding: $0) })
    var received: [ToRadio] = []
    var garbage = 0
    func read(until isEnough: ([ToRadio]) -> Bool) throws {
        var buffer = [UInt8](repeating: 0, count: 7)
        while !isEnough(received) {
            var poller = pollfd(fd: ends[1], events: Int16(POLLIN), revents: 0)
            try #require(poll(&poller, 1, 90_000) == 1)
            let count = recv(ends[1], &buffer, buffer.count, 0)
            try #require(count > 0)
            buffer.withUnsafeBytes {
                decoder.feed(UnsafeRawBufferPointer(rebasing: $0[..<count]), now: 0) { output in
                    switch output {
                    case .frame(let message, _): received.append(message)
                    case .text(_, let raw): garbage += raw.count
                    case .garbage(let count): garbage += count
                    }
                }
            }
        }
    }
    for nonce in [ToRadio.configOnlyNonce, ToRadio.nodesOnlyNonce] {
        try read { $0.contains(.wantConfig(nonce)) }
        for message in answers.handshake(nonce) {
            let frame = StreamFrame.encode(message.encoded())
            #expect(send(ends[1], frame, frame.count, Int32(MSG_NOSIGNAL)) == frame.count)
        }
    }
    #expect(listener.waitUntilLive())
    let packets = (1...40).map { id in
        MeshPacket(
            from: answers.number, to: .broadcast, id: PacketID(id),
            payload: .decoded(MeshData(port: .privateApp, payload: [UInt8](repeating: 0x94, count: 230))))
    }
    packets.forEach(listener.offer)
    for id in packets.map(\.id) {
        link.wake()
        try read { $0.contains { if case .packet(let packet) = $0 { packet.id == id } else { false } } }
        let status = FromRadio.queueStatus(QueueStatus(result: 0, free: 16, capacity: 16, packetID: id))
        let frame = StreamFrame.encode(status.encoded())
        #expect(send(ends[1], frame, frame.count, Int32(MSG_NOSIGNAL)) == frame.count)
    }
    let sent = received.compactMap {
        if case .packet(let packet) = $0, packet.decoded?.port == .privateApp { packet } else { nil }
    }
    #expect(sent == packets)
    // Nothing but the 32 bytes that wake the radio's parser.
    #expect(garbage == 32)
    link.stop()
    close(ends[1])
}

@Test func aPortThatWasLeftInMidFrameIsFlushed() {
    var session = RadioSession(pace: .unlimited, wallClock: { 0 })
    session.begin(at: 0, isDirty: true)
    let first = session.nextFrame(at: 0) { _ in .wait(until: nil) }
    #expect(first?.bytes == [UInt8](repeating: 0xC3, count: 516))
}

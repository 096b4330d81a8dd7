import MeshModel
import MeshProtocol

/// What a session writes, and how fast.
extension RadioSession {
    /// The next bytes to write; nil when there are none or it is too early for them.
    ///
    /// - Parameter offer: asks the delegate for a packet, given the free places in the radio's queue.
    public mutating func nextFrame(at now: MonotonicTime, offer: (Int) -> PacketOffer) -> Frame? {
        guard now >= writableAt else { return nil }
        if !toWrite.isEmpty { return frame(for: toWrite.removeFirst(), at: now) }
        guard phase == .live, outbox.mayAsk(at: now) else { return nil }
        switch offer(outbox.room(at: now)) {
        case .wait(let until):
            outbox.askAt = until
            return nil
        case .waitForRoom:
            guard outbox.isToAskForRoom(at: now) else { return nil }
            return frame(for: .message(.heartbeat(nonce: 0)), at: now)
        case .send(let packet): return hand(packet.id, ToRadio.packet(packet).encoded(), at: now)
        case .pass(let packet): return hand(packet.id, packet.toRadio, at: now)
        }
    }

    private mutating func hand(_ id: PacketID, _ payload: [UInt8], at now: MonotonicTime) -> Frame {
        outbox.hand(id, at: now)
        live.hasPacketWaiting = true
        return frame(payload, packetID: id, at: now)
    }

    /// The delegate has something new to send.
    public mutating func wake() { outbox.askAt = 0 }

    enum WakeUp: Int {
        /// What the reference client sends.
        case usual = 32
        /// Ends even the longest frame that somebody may have begun.
        case wholeFrame = 516
    }

    private mutating func frame(for item: ToWrite, at now: MonotonicTime) -> Frame {
        switch item {
        case .wakeUp(let count):
            // 0xC3 alone means nothing; as a frame's rest it ends one that an earlier client has left unfinished.
            let bytes = [UInt8](repeating: 0xC3, count: count)
            pauseAfter(bytes.count, at: now)
            return Frame(bytes: bytes, packetID: nil)
        case .message(let message):
            if phase == .live, case .heartbeat = message { live.heartbeatWasWritten(at: now) }
            return frame(message.encoded(), packetID: nil, at: now)
        }
    }

    private mutating func frame(_ payload: [UInt8], packetID: PacketID?, at now: MonotonicTime) -> Frame {
        let bytes = StreamFrame.encode(payload)
        pauseAfter(bytes.count, at: now)
        return Frame(bytes: bytes, packetID: packetID)
    }

    private mutating func pauseAfter(_ count: Int, at now: MonotonicTime) {
        guard case .serial = pace else { return }
        let byteTime: MonotonicTime = 86_806  // ten bits at 115200 baud
        writableAt = now + 25_000_000 + MonotonicTime(count) * byteTime
    }
}

import Foundation
import Glibc
import MeshModel
import MeshProtocol
import RadioLink
import Testing

/// Does not come back from the first packet until it may, as a process that is stopped or waits for a disk.
private final class Stopped: RadioLinkDelegate, Sendable {
    let hasStopped = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)
    let listener = Listener()

    func radioLink(_ event: RadioEvent) {
        listener.radioLink(event)
        guard event.packet?.id == 1 else { return }
        hasStopped.signal()
        mayGoOn.wait()
    }

    func expire(at now: MonotonicTime) -> MonotonicTime? { nil }
    func nextPacket(at now: MonotonicTime, queueFree: Int) -> PacketOffer { .wait(until: nil) }
}

extension RadioEvent {
    fileprivate var packet: MeshPacket? {
        if case .received(.packet(let packet), _) = self { packet } else { nil }
    }
}

/// Longer than a frame's rest is waited for.
@Test func whatWaitedInTheKernelIsNotLate() throws {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let (host, other) = (ends[0], ends[1])
    let radio = ScriptedRadio(on: other)
    let stopped = Stopped()
    let link = RadioLink(address: .connection(name: "patient"), connect: { host }, delegate: stopped)
    link.start()
    #expect(stopped.listener.waitUntilLive())
    // Nothing of its own may come in between: the clock is set, and this radio answers no more.
    #expect(stopped.listener.wait { $0.contains { $0.packet?.decoded?.port == .routing } })
    radio.stop()

    let packets = (1...3).map { (id: UInt32) in
        let text = MeshData(port: .textMessage, payload: Array("number \(id)".utf8))
        return MeshPacket(from: NodeNumber(7), to: .broadcast, id: PacketID(id), payload: .decoded(text))
    }
    let frames = packets.flatMap { StreamFrame.encode(FromRadio.packet($0).encoded()) }
    let cut = frames.count / 2
    radio.write(Array(frames[..<cut]))
    #expect(stopped.hasStopped.wait(timeout: .now() + 90) == .success)
    poll(nil, 0, 1_100)
    radio.write(Array(frames[cut...]))
    stopped.mayGoOn.signal()

    #expect(stopped.listener.wait { $0.contains { $0.packet?.id == 3 } })
    #expect(stopped.listener.events.compactMap(\.packet).filter { $0.decoded?.port == .textMessage } == packets)
    link.stop()
    close(other)
}

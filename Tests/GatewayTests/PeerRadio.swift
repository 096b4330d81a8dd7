import Foundation
import Glibc
import MeshModel
import MeshProtocol

/// A radio whose every word is the test's: it introduces itself when asked, and answers the host's own settings. What
/// becomes of other packets the test decides. One cable at a time.
final class PeerRadio: @unchecked Sendable {
    /// Who answers want_config. Guarded by the lock, like everything that changes.
    struct Identity: Sendable {
        var number = own
        var deviceID = [UInt8](1...16)
        var rebootCount: UInt32 = 0
        var lora: LoRaSettings? = LoRaSettings(region: 3, hopLimit: 3)
        var networkProtocols: UInt32 = 0
        var channels = [Channel(index: 0, role: .primary, psk: [1])]
        /// The other nodes of its memory.
        var nodes: [NodeInfo] = []
        /// Its own names.
        var user: User?
        /// What it sends between my_info's stage and the second one.
        var early: [FromRadio] = []
    }

    private let changed = NSCondition()
    private var identity = Identity()
    private var descriptor: Int32 = -1
    private var isPlugged = true
    private var packets: [MeshPacket] = []
    /// Whether a packet is told to be in the transmit queue, as a radio does.
    private var takesPackets = true
    private var keepsAdminPackets = false

    init(_ change: (inout Identity) -> Void = { _ in }) { change(&identity) }

    struct Unplugged: Error {}

    // MARK: The cable

    /// For the link: a new cable, whose other end this radio reads.
    func connect() throws -> Int32 {
        guard changed.withLock({ isPlugged }) else { throw Unplugged() }
        var ends: [Int32] = [-1, -1]
        precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        let mine = ends[0]
        changed.withLock { descriptor = mine }
        Thread { [weak self] in
            Self.read(mine) { self?.receive($0) }
            self?.forget(mine)
            close(mine)
        }.start()
        return ends[1]
    }

    private func forget(_ ended: Int32) {
        changed.withLock {
            if descriptor == ended { descriptor = -1 }
            changed.broadcast()
        }
    }

    func unplug() {
        changed.withLock {
            isPlugged = false
            if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
            descriptor = -1
        }
    }

    /// Waits until nobody is at the other end.
    ///
    /// - Returns: false when somebody stays.
    func waitUntilLeft(seconds: Double = 90) -> Bool {
        let limit = Date(timeIntervalSinceNow: seconds)
        return changed.withLock {
            while descriptor >= 0, changed.wait(until: limit) {}
            return descriptor < 0
        }
    }

    /// Another radio, or the same with other settings, at the same place.
    func replug(_ change: (inout Identity) -> Void = { _ in }) {
        changed.withLock {
            change(&identity)
            isPlugged = true
        }
    }

    func become(_ change: (inout Identity) -> Void) { changed.withLock { change(&identity) } }

    // MARK: What the host sends

    /// All packets but the host's own admin ones, oldest first.
    var received: [MeshPacket] { changed.withLock { packets } }

    /// From now on the gateway's admin packets count like others.
    func keepAdminPackets() { changed.withLock { keepsAdminPackets = true } }

    func ignorePackets() { changed.withLock { takesPackets = false } }

    /// Waits for so many packets.
    func wait(for count: Int, seconds: Double = 90) -> [MeshPacket] {
        let limit = Date(timeIntervalSinceNow: seconds)
        return changed.withLock {
            while packets.count < count, changed.wait(until: limit) {}
            return packets
        }
    }

    private static func read(_ descriptor: Int32, _ receive: (ToRadio) -> Void) {
        var decoder = StreamDecoder<ToRadio>(decode: { ToRadio(decoding: $0) })
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count <= 0 { return }
            buffer.withUnsafeBytes { bytes in
                decoder.feed(UnsafeRawBufferPointer(rebasing: bytes[..<count]), now: 0) { output in
                    if case .frame(let message, _) = output { receive(message) }
                }
            }
        }
    }

    private func receive(_ message: ToRadio) {
        switch message {
        case .wantConfig(let nonce): send(handshake(nonce))
        case .heartbeat: send([.queueStatus(QueueStatus(result: 0, free: 16, capacity: 16, packetID: 0))])
        // Some builds lose the answers to local admin packets, and so does this one: a packet in between would be in
        // every test's way.
        case .packet(let packet) where packet.isOfTheLink || !keeps(packet): break
        case .packet(let packet):
            // Before a test learns of the packet: what it then lets the radio say comes behind this.
            if changed.withLock({ takesPackets }) {
                send([.queueStatus(QueueStatus(result: 0, free: 15, capacity: 16, packetID: packet.id))])
            }
            changed.withLock {
                packets.append(packet)
                changed.broadcast()
            }
        default: break
        }
    }

    private func keeps(_ packet: MeshPacket) -> Bool {
        packet.decoded?.port != .admin || changed.withLock { keepsAdminPackets }
    }

    // MARK: What it says

    func send(_ messages: [FromRadio]) {
        var bytes = messages.flatMap { StreamFrame.encode($0.encoded()) }[...]
        // Two threads speak, and a number that was closed can belong to another test.
        changed.withLock {
            while !bytes.isEmpty {
                // A host that has left must not end the whole test run by SIGPIPE.
                let count = bytes.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count <= 0 { return }
                bytes = bytes.dropFirst(count)
            }
        }
    }

    /// SerialReference 2.3.
    private func handshake(_ nonce: UInt32) -> [FromRadio] {
        let identity = changed.withLock { self.identity }
        var frames: [FromRadio] = []
        if nonce != ToRadio.nodesOnlyNonce {
            frames.append(
                .myInfo(
                    MyNodeInfo(
                        number: identity.number, rebootCount: identity.rebootCount, deviceID: identity.deviceID,
                        nodeDBCount: 1 + UInt32(identity.nodes.count))))
        }
        frames += [
            .nodeInfo(NodeInfo(number: identity.number, user: identity.user)),
            .metadata(DeviceMetadata(firmwareVersion: "2.7.26.54e0d8d")),
        ]
        for index in 0..<8 {
            frames.append(.channel(identity.channels.first { $0.index == index } ?? Channel(index: index)))
        }
        frames += (1...10).compactMap { (tag: UInt32) -> FromRadio? in
            switch tag {
            case 1: .config(.device(role: 0))
            case 4: .config(.network(enabledProtocols: identity.networkProtocols))
            case 6: identity.lora.map { .config(.lora($0)) }
            default: .config(.other(tag: tag))
            }
        }
        frames += (1...16).map { .moduleConfig(ModuleConfigSection(tag: $0)) }
        if nonce != ToRadio.configOnlyNonce { frames += identity.nodes.map { .nodeInfo($0) } }
        return frames + [.configComplete(nonce)] + (nonce == ToRadio.configOnlyNonce ? identity.early : [])
    }
}

extension MeshPacket {
    /// The link sets the radio's clock by itself.
    fileprivate var isOfTheLink: Bool {
        guard let data = decoded, case .admin(.setTimeOnly) = PacketContent(data) else { return false }
        return true
    }
}

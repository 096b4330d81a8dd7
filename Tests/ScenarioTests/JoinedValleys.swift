import Foundation
import MeshModel
import Platform
import RadioSimulator
import Testing

@testable import ServedProgram

/// Two valleys, each with a mesh of its own, that join their channel 1 over a broker: two gateways are in the first valley and
/// one is in the second. A fourth gateway has the conversation without a bridge.
final class JoinedValleys {
    let (hut, hall, barn, office): (TalkingDaemon, TalkingDaemon, TalkingDaemon, TalkingDaemon)
    private let broker: PersistentBroker
    private let folders: [Folders]
    private let air: SharedAir
    private var packets: PacketID = 0x0100_0000

    static let anna = NodeNumber(0xA1B2_C3D4)
    static let bert = NodeNumber(0xB1B2_C3D4)

    /// - Parameters:
    ///   - isSealed: else their texts are JSON.
    ///   - hallOptions: of the second gateway's bridge.
    init(isSealed: Bool, hallOptions: String = "") throws {
        broker = try PersistentBroker()
        try broker.start()
        folders = try (0..<4).map { _ in try Folders() }
        let daemons = try ["hut", "hall", "barn", "office"].enumerated().map { [broker, folders] index, name in
            try TalkingDaemon(name, at: broker.port, in: folders[index], seed: UInt64(index + 1))
        }
        (hut, hall, barn, office) = (daemons[0], daemons[1], daemons[2], daemons[3])
        air = SharedAir([hut.here.radio, hall.here.radio])
        for daemon in daemons {
            try daemon.start()
            try daemon.gateway.waitUntilLive()
            try daemon.addConversation(isJSON: !isSealed)
        }
        if isSealed {
            let key = try folders[3].file("key", office.type("conversation key club --new"))
            for daemon in [hut, hall, barn] { try daemon.type("conversation key club --import \(key)") }
        }
        for (daemon, options) in [(hut, ""), (hall, hallOptions), (barn, "")] {
            try daemon.type("conversation edit club --bridge 1 --texts-per-hour 60 \(options)")
        }
        // What comes in the first ten seconds of a connection lay at the broker.
        if !isSealed { sleep(11) }
    }

    deinit { air.stop() }

    // MARK: what is said

    func sayInTheFirstValley(_ text: String) { say(text, by: Self.anna, to: [hut, hall]) }
    func sayInTheSecondValley(_ text: String) { say(text, by: Self.bert, to: [barn]) }

    private func say(_ text: String, by node: NodeNumber, to daemons: [TalkingDaemon]) {
        packets += 1
        let data = MeshData(port: .textMessage, payload: Array(text.utf8), bitfield: 1)
        let packet = MeshPacket.heard(data, from: node, on: 1, id: packets)
        for daemon in daemons { daemon.here.radio.inject(packet) }
    }

    // MARK: what came of it

    /// The words of all packets that gateways have sent on the channel of a valley.
    func sent(by daemons: TalkingDaemon...) -> [String] {
        daemons.flatMap { daemon in
            var ids: Set<PacketID> = []
            // Until the radio has accepted it, a packet may come again under its id.
            return daemon.here.radio.received.filter { $0.isText && ids.insert($0.id).inserted }.map(\.words)
        }
    }

    /// Longer than anything waits.
    func rest() { sleep(12) }

    func wait(seconds: Int, _ what: () -> String, until isSo: () throws -> Bool) throws {
        for _ in 0..<seconds * 5 {
            if try isSo() { return }
            usleep(200_000)
        }
        let isSo = try isSo()
        try #require(isSo, "waited in vain: \(what())")
    }
}

/// What one radio sends, the others hear.
private final class SharedAir: Sendable {
    private let isStopped = Monitor(false)

    init(_ radios: [SimulatedRadio]) {
        for (index, radio) in radios.enumerated() {
            let others = radios.enumerated().filter { $0.offset != index }.map(\.element)
            Thread.detachNewThread { [isStopped] in
                var known: Set<PacketID> = []
                while !isStopped.withLock({ $0 }) {
                    let next = radio.waitForPacket(timeout: 0.5) { $0.isText && !known.contains($0.id) }
                    guard let packet = next, let data = packet.decoded else { continue }
                    known.insert(packet.id)
                    let heard = MeshPacket.heard(data, from: radio.number, on: packet.channel, id: packet.id)
                    for other in others { other.inject(heard) }
                }
            }
        }
    }

    func stop() { isStopped.withLock { $0 = true } }
}

extension MeshPacket {
    fileprivate static func heard(
        _ data: MeshData, from node: NodeNumber, on channel: UInt32, id: PacketID
    ) -> MeshPacket {
        MeshPacket(
            from: node, to: .broadcast, channel: channel, id: id, payload: .decoded(data),
            rxTime: UInt32(Date().timeIntervalSince1970), rxSNR: 5.5, rxRSSI: -80, hopLimit: 3, hopStart: 3,
            transport: .lora)
    }

    fileprivate var isText: Bool { to.isBroadcast && decoded?.port == .textMessage }
    fileprivate var words: String { String(decoding: decoded?.payload ?? [], as: UTF8.self) }
}

import Gateway
import Glibc
import MQTTBridge
import MeshModel

/// What a broker sends to the gateway; the first byte says in which version of MQTT. Then each byte is a step:
///
///     0 connects   1 is gone   2 N lets N * N milliseconds pass   3 has lost its memory
///     4 T N ...    sends N bytes on topic T of ``CarriedBroker/topics``, or on one that they name
///     5 T N ...    the same, retained
///     6 T N ...    the same on topic T of ``CarriedBroker/commands``; a first byte of 0 stands for "PRESS"
///
/// Whatever it is: each step brings a bounded number of messages, and after a refresh the broker has what is to be shown.
final class BrokersMessages: FuzzTarget {
    private static let inputs = 2_000
    private static let name = "broker.db"

    private let folder: String
    private var used = 0
    private var gateway: FuzzedGateway

    init(folder: String) throws {
        self.folder = folder
        gateway = try FuzzedGateway(path: "\(folder)/\(Self.name)")
        try fill()
    }

    deinit { gateway.stop() }

    func run(_ input: [UInt8]) throws {
        guard let first = input.first else { return }
        try renew()
        let broker = try CarriedBroker(of: gateway.gateway, isOld: first.isMultiple(of: 2), at: FuzzedGateway.now)
        var rest = input[1...].prefix(2_048)
        var steps = 0
        while let step = rest.popFirst() {
            steps += 1
            take(step, &rest, broker)
        }
        try check(broker.published < 1_000 + steps * 300, "\(broker.published) messages in \(steps) steps")
        broker.disconnect()
        broker.connect()
        broker.pass(milliseconds: 60_000)
        broker.refresh()
        broker.pass(milliseconds: 60_000)
        // The last one is nobody's.
        let wanted = Set(broker.topics.dropFirst(3).dropLast())
        let ours = broker.shown.filter { broker.topics.contains($0) }
        try check(ours == wanted, "it shows \(ours.sorted()) instead of \(wanted.sorted())")
        try check(broker.kept[broker.topics[0]] == Array("online".utf8), "its status is not online")
        // What is remembered is the next input's beginning: the same for each.
        try gateway.store.commit { try $0.forgetBroker("made-up") }
    }

    private func take(_ step: UInt8, _ rest: inout ArraySlice<UInt8>, _ broker: CarriedBroker) {
        switch step % 7 {
        case 0: broker.connect()
        case 1: broker.disconnect()
        case 2:
            let root = Int64(rest.popFirst() ?? 0)
            broker.pass(milliseconds: root * root)
        case 3: broker.forget()
        case 6:
            let (place, count) = (Int(rest.popFirst() ?? 0), Int(rest.popFirst() ?? 0))
            let payload = rest.first == 0 ? Array("PRESS".utf8) : Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            broker.say(broker.commands[place % broker.commands.count], payload, isRetained: false)
        case let kind:
            let (place, count) = (Int(rest.popFirst() ?? 0), Int(rest.popFirst() ?? 0))
            let payload = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            let topic = place < broker.topics.count ? broker.topics[place] : String(decoding: payload, as: UTF8.self)
            broker.say(topic, payload, isRetained: kind == 5)
        }
    }

    /// Two nodes, one of which has told what it measures.
    private func fill() throws {
        let source = gateway.source
        try gateway.store.commit { writer in
            for number in [FuzzedGateway.peer, NodeNumber(0x0000_0042)] {
                try writer.updateNode(number, in: source, at: FuzzedGateway.now) { node in
                    (node.longName, node.lastHeard) = ("Peer", FuzzedGateway.now / 1000)
                    (node.latitude, node.longitude) = (46.2, 6.1)
                }
            }
        }
    }

    private func renew() throws {
        used += 1
        guard used > Self.inputs else { return }
        used = 0
        gateway.stop()
        for ending in ["", "-wal", "-shm", ".lock"] { unlink("\(folder)/\(Self.name)\(ending)") }
        gateway = try FuzzedGateway(path: "\(folder)/\(Self.name)")
        try fill()
    }
}

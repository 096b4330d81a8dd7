import MeshModel
@testable import RadioSimulator

@testable import Gateway
@testable import Store

/// A world, what happens in it, and what must be so in the end.
final class Story {
    let world: World
    private var unplugged = 0.0
    private var holdsTexts = false
    private var wasResent: Set<PacketID> = []

    /// - Parameters:
    ///   - chatter: Packets a minute that the mesh sends by itself.
    ///   - retention: What the database keeps.
    init(seed: UInt64, chatter: Double = 0, retention: Retention = .unlimited) throws {
        world = try World(seed: seed, chatter: chatter, retention: retention)
    }

    func tell() throws -> [String] {
        world.run(seconds: 20)
        for _ in 1...Int.random(in: 10...40, using: &world.dice) {
            try happen()
            world.run(seconds: Double.random(in: 0.05...12, using: &world.dice))
        }
        try calmDown()
        try check()
        return world.ledger.violations
    }

    func chance(_ percent: Int) -> Bool { Int.random(in: 1...100, using: &world.dice) <= percent }

    func happen() throws {
        let die = Int.random(in: 1...100, using: &world.dice)
        world.ledger.note("die \(die)", at: world.clock.now)
        switch die {
        case 1...38: for _ in 1...Int.random(in: 1...4, using: &world.dice) { try post() }
        case 39...41: world.repeatText()
        case 42...44: try world.mark(chance(70))
        // The radio has a new key and with it a new number, in the middle of a session.
        case 45: world.misbehave(.liveNumberChange)
        case 46...55: world.say(from: Int.random(in: 0...11, using: &world.dice))
        case 56...62: try look()
        case 63...68:
            world.unplug()
            if chance(20) { try post() }
            world.run(seconds: Double.random(in: 0.1...(chance(30) ? 300 : 20), using: &world.dice))
            world.plug(withPower: chance(50))
        case 69...73: world.reboot(silently: chance(50))
        case 74...78: world.loseFrames(Int.random(in: 1...6, using: &world.dice))
        case 79...84:
            let faults: [Misbehaviour] = [
                .duplicateFrames, .fullQueue, .reorderedStatuses, .debugTextInsideFrames, .truncatedFrames, .stalls,
                .fullFavorites, .barrenNodes, [],
            ]
            world.misbehave(faults.randomElement(using: &world.dice)!)
        case 85...90: try world.kill(downtime: Double.random(in: 0...(chance(30) ? 300 : 10), using: &world.dice))
        case 91...93:
            let hour: Int64 = 3_600_000
            world.clock.jump(milliseconds: [-hour, hour, 30_000, -30_000].randomElement(using: &world.dice)!)
        case 94...96: try cancel()
        default: try resend()
        }
    }

    private func post() throws {
        let isDirect = chance(50)
        let node = world.radio.nodes.isEmpty ? nil : world.radio.nodes.randomElement(using: &world.dice)
        let waits = chance(40)
        let isHeld = isDirect && waits && chance(30)
        let count = world.ledger.promised.count
        let parts = (1...(chance(15) ? 3 : 1)).map { "text \(count).\($0)" }
        var text = OutgoingText(
            parts: parts, destination: isDirect && node != nil ? .node(node!.number) : .channel(0), waits: waits,
            untilHeard: isHeld, lifetime: 200_000)
        if node == nil { text.untilHeard = false }
        guard let messages = try? world.gateway.send(text, by: .cli, to: world.source) else { return }
        for message in messages { world.ledger.promise(message, isHeld: text.untilHeard) }
        world.settle()
    }

    private var anyPromise: PacketID? { world.ledger.promised.randomElement(using: &world.dice)?.id }

    private func cancel() throws {
        guard let id = anyPromise else { return }
        _ = try? world.gateway.cancel(messageID: String(id), in: world.source)
        world.settle()
    }

    private func resend() throws {
        guard let id = anyPromise else { return }
        if (try? world.gateway.resend(messageID: String(id), waits: true, lifetime: 200_000, in: world.source)) != nil {
            // Later parts can have come with it.
            wasResent.formUnion(world.ledger.promised.map(\.id))
        }
        world.settle()
    }

    func look() throws {
        let source = try world.source
        for (id, _, _, _) in world.ledger.promised {
            guard let message = try world.store.read({ try $0.message(packetID: id, from: nil, in: source) }) else {
                world.ledger.fail("message \(id) is not in the database")
                continue
            }
            world.ledger.seen(message, resent: wasResent.remove(id) != nil)
        }
    }

    /// Nothing goes wrong any more, everybody is heard, and everything has the time that it may take.
    func calmDown() throws {
        world.misbehave([])
        world.plug(withPower: true)
        world.run(seconds: 60)
        for index in 0..<12 { world.say(from: index) }
        world.run(seconds: 600)
        // Its list shows which favourites it has.
        world.reboot(silently: false)
        world.run(seconds: 60)
        try look()
    }

    func check() throws {
        let source = try world.source
        var order: [PacketID] = []
        for (id, _, text, isHeld) in world.ledger.promised {
            guard let message = try world.store.read({ try $0.message(packetID: id, from: nil, in: source) }),
                let delivery = message.delivery
            else { continue }
            if message.text != text { world.ledger.fail("message \(id) has other words") }
            let attempts = try world.store.read { try $0.attempts(of: message, in: source) }
            let ids = [id] + attempts.map(\.packetID)
            let isGiven = ids.contains { world.ledger.written.contains($0) }
            switch (delivery.state, delivery.cause) {
            case (.queued, _), (.handed, _), (.accepted, _):
                world.ledger.fail("message \(id) is still \(delivery.state)")
            case (.failed, .expired), (.failed, .cancelled), (.failed, .earlierPart):
                if world.ledger.written.contains(ids.last!) {
                    world.ledger.fail("message \(id) is said to be unsent and was given to the radio")
                }
            case (.failed, .noAnswer), (.relayed, _), (.confirmed, _):
                if !isGiven { world.ledger.fail("message \(id) is said to be sent and was never given to the radio") }
            case (.failed, _): break
            }
            if !isHeld { order.append(id) }
        }
        let given = world.ledger.written.filter { order.contains($0) }
        if given != order.filter({ given.contains($0) }) { world.ledger.fail("texts overtook each other") }
        let left = try world.store.read { try $0.outbox(in: source) }
        if left.contains(where: { $0.packet.port == .textMessage }) { world.ledger.fail("the outbox is not empty") }
        for (id, sender, _) in world.ledger.heard
        where try world.store.read({ try $0.message(packetID: id, from: sender, in: source) }) == nil {
            world.ledger.fail("message \(id) of \(sender.id) was heard and is not in the database")
        }
        try checkRepeats(source)
        try checkFavorites(source)
    }

    /// A text is one message, however often a server repeats it, and our own is nobody's forgery.
    private func checkRepeats(_ source: SourceID) throws {
        for (id, sender) in world.ledger.repeats
        where try world.store.read({ try $0.message(packetID: id, from: sender, in: source) }) != nil {
            world.ledger.fail("the repetition \(id) became a message of its own")
        }
        for (id, _, _, _) in world.ledger.promised
        where try world.store.read({ try $0.message(packetID: id, from: nil, in: source) })?.spoofSuspected == true {
            world.ledger.fail("our own message \(id) is taken for a forgery")
        }
    }

    /// The radio has each favourite, or the node says that it does not.
    private func checkFavorites(_ source: SourceID) throws {
        for there in world.radio.nodes where !there.isForgotten {
            guard let here = try world.store.read({ try $0.node(there.number, in: source) }) else { continue }
            let isMissing = here.isFavorite && !there.isFavorite
            if isMissing != (here.favoriteMissingSince != nil) {
                world.ledger.fail("of \(there.number.id) the favourite is missing: \(isMissing), and it says otherwise")
            }
        }
    }
}

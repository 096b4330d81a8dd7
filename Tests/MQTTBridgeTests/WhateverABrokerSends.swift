import MeshModel
import Testing

@testable import MQTTBridge

/// Stories drawn from a seed: a broker that sends anything, forgets, comes and goes, and people and nodes in between. In the end,
/// after a refresh, it has exactly what is to be shown.
@Suite struct WhateverABrokerSends {
    @Test(arguments: 0..<200) func theEndIsTheSame(seed: Int) {
        var random = Seeded(state: UInt64(seed))
        var home = FakeHome(Device.house(4), version: seed.isMultiple(of: 2) ? .mqtt5 : .mqtt311)
        var nodes: Set<UInt32> = [0x100, 0x101, 0x102, 0x103]
        for _ in 0..<60 { step(&home, &nodes, &random) }
        if home.isLive { home.disconnect() }
        home.connectAndSettle()
        home.plan.refresh(at: home.now)
        home.pass(seconds: 60)
        let wanted = Set(["gateway", "radio_89abcdef"] + nodes.map { DeviceID.node(NodeNumber($0)).object })
        #expect(Set(home.shown) == wanted, "seed \(seed)")
        for (topic, kept) in home.kept where FakeHome.names.object(ofConfiguration: topic) != nil {
            #expect(mistakes(inConfiguration: kept.payload, at: topic) == [], "seed \(seed)")
        }
        // Nothing is left behind of those that are gone.
        for topic in home.kept.keys where topic.hasPrefix(FakeHome.names.base + "/") {
            let level = topic.split(separator: "/")[2]
            #expect(
                wanted.contains(String(level)) || ["status", "generation"].contains(level), "seed \(seed): \(topic)")
        }
        #expect(home.kept[FakeHome.names.status]?.payload == Array("online".utf8), "seed \(seed)")
    }

    private func step(_ home: inout FakeHome, _ nodes: inout Set<UInt32>, _ random: inout Seeded) {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: if home.isLive { home.disconnect() }
        case 1: if !home.isLive { home.connect() }
        case 2: home.pass(seconds: .random(in: 0...120, using: &random))
        case 3: if home.isLive { home.homeStarts() }
        case 4:
            guard !home.isLive else { return }
            for topic in home.kept.keys.sorted() where !Bool.random(using: &random) { home.kept[topic] = nil }
        case 5: home.restart(devices(nodes, at: home.now.wall))
        case 6:
            let number = UInt32.random(in: 0x100..<0x108, using: &random)
            nodes.insert(number)
            home.plan.show([.node(number, at: home.now.wall)], at: home.now)
            home.work()
        case 7:
            guard let number = nodes.sorted().randomElement(using: &random) else { return }
            nodes.remove(number)
            home.plan.show([], gone: [.node(NodeNumber(number))], at: home.now)
            home.work()
        case 8:
            guard let number = nodes.sorted().randomElement(using: &random) else { return }
            home.delete(.node(NodeNumber(number)))
        case 9:
            home.now.wall += .random(in: -100_000_000...100_000_000, using: &random)
        default: say(&home, &random)
        }
    }

    /// Something that others publish.
    private func say(_ home: inout FakeHome, _ random: inout Seeded) {
        let object = ["gateway", "radio_89abcdef", "00000100", "00000107", "x", "00000999", ""].randomElement(
            using: &random)!
        let names = FakeHome.names
        let topic = [
            names.configuration(object), names.status, names.generation, names.birth, "\(names.base)/x/y", "#", "",
        ].randomElement(using: &random)!
        let payload: [UInt8] = [[], Array("{}".utf8), Array("online".utf8), [0xFF], Array("7".utf8)].randomElement(
            using: &random)!
        // What others say of devices is an act of a person, or put right while we are there.
        guard home.isLive else {
            if names.object(ofConfiguration: topic) != nil, !payload.isEmpty {
                home.kept[topic] = .init(payload: payload)
            }
            return
        }
        if names.object(ofConfiguration: topic) != nil {
            home.kept[topic] = payload.isEmpty ? nil : .init(payload: payload)
        }
        if topic == names.status { home.kept[topic] = payload.isEmpty ? nil : .init(payload: payload) }
        home.plan.received(topic, payload, isRetained: Bool.random(using: &random), at: home.now)
        home.work()
    }

    private func devices(_ nodes: Set<UInt32>, at now: Int64) -> [Device] {
        Device.house(0, at: now) + nodes.sorted().map { .node($0, at: now) }
    }
}

import Foundation
import Gateway
import Log
import MeshModel
import Platform
import RadioLink
import Testing

@testable import Rules
@testable import Store

/// A room says only that something is different now. The rules ask what, and tell each beginning and each end once.
@Suite struct EachOfTheGatewaysProblemsIsToldOnce {
    private struct NoRadio: Error {}

    private static let kinds: [Problem.Kind] = [
        .bridgeStopped, .brokerAway, .brokerBroken, .changesDropped, .conversationFlooded, .conversationRefused,
        .pushFailing, .ruleBroken, .shareClosed, .targetBroken, .targetFailing,
    ]

    private let here: RulesHere
    private let store: Store
    private let gateway: Gateway
    private let clock = Monitor(Moment(at: noon, uptime: 1_000_000))
    private let present = Monitor<[Problem.Kind]>([])

    init() throws {
        here = try RulesHere()
        store = try Store(path: here.root + "/mesh.db")
        gateway = try Gateway(store: store, logger: .silent) { delegate in
            RadioLink(address: .connection(name: "none"), connect: { throw NoRadio() }, delegate: delegate)
        }
    }

    private func told() throws -> [String] {
        try store.readCommitted { try $0.feed(after: 0, limit: 100) }
            .map { "\($0.rule ?? ""): " + ($0.state.map { "\($0)" } ?? "") }
    }

    private func eventually(_ isSo: () throws -> Bool) throws {
        for _ in 0..<1_200 where try !isSo() { usleep(50_000) }
        #expect(try isSo())
    }

    @Test func asItBeginsAndAsItEnds() throws {
        defer { store.close() }
        for kind in Self.kinds { try here.write(kind.rawValue, "when = problem \(kind.rawValue)\n") }
        let rules = RunningRules(
            gateway, folder: here.folder, logger: .silent, clock: { [clock] in clock.withLock { $0 } })
        defer { rules.stop() }
        gateway.problems.add { [present] _ in present.withLock { $0 }.map { Problem($0, "It is so.") } }
        rules.reload()
        try eventually { try store.readCommitted { try $0.rules() }.count == Self.kinds.count }
        // The gateway has run for long enough.
        clock.withLock { $0 = Moment(at: $0.at + 3 * minute, uptime: $0.uptime + 3 * minute) }
        var wanted: [String] = []
        for kind in Self.kinds {
            for (problems, state) in [([kind], FeedRow.State.begins), ([], .ends)] {
                present.withLock { $0 = problems }
                wanted.append("\(kind.rawValue): \(state)")
                // Whoever says it twice has it told once.
                for _ in 0..<2 { gateway.problems.changed() }
                try eventually { try told().count >= wanted.count }
            }
        }
        #expect(try told() == wanted)
    }

    /// Which problems these are is what the gateway says, not what somebody has kept.
    @Test func exceptWhatHasATriggerOfItsOwn() throws {
        defer { store.close() }
        gateway.problems.add { _ in [Problem(.diskFailing, "It is full."), Problem(.shareClosed, "It is taken.")] }
        let found = try store.read { StoreFacts($0, gateway).problems() }
        #expect(found[.gateway] == ["share-closed"])
    }
}

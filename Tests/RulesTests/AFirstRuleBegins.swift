import Foundation
import Gateway
import MeshModel
import RadioLink
import Synchronization
import Testing

@testable import Rules
@testable import Store

/// A rule that is added while the gateway runs knows the links, and how long the gateway has run: of what begins from then on it
/// tells the same as its twin that was there at the start.
@Suite struct AFirstRuleBegins {
    private static let rules = [
        "battery": "when = battery below 20 %\nresolved = yes", "back": "when = radio back after 2m",
        "key": "when = key changed", "lost": "when = radio lost for 2m", "now": "when = radio lost",
        "problem": "when = problem", "rebooted": "when = rebooted", "silent": "when = node silent for 6h",
        "use": "when = channel use above 25 % for 5m\nnode = Bob",
    ]

    /// Both are there at the start of the gateway, one of them without rules.
    private final class Twins {
        let all: [StoredMesh]
        private var toldBefore = 0

        init(_ rules: [String: String] = AFirstRuleBegins.rules) throws {
            all = try [StoredMesh(rules, beginLater: true), StoredMesh(rules, beginLater: true)]
            try all[0].begin()
        }

        func each(_ body: (StoredMesh) throws -> Void) throws { for mesh in all { try body(mesh) } }

        func pass(_ time: Int64) throws {
            try each { mesh in
                let end = mesh.now.at + time
                try mesh.live(until: end) {}
            }
        }

        /// The second one's rules are added.
        func add() throws {
            try all[1].begin()
            toldBefore = all[0].told.count
        }

        /// What either has told since then: rule, state, title and when.
        func told() throws -> [[String]] {
            try all.map { mesh in
                let rows = try mesh.feed()
                return (mesh === all[0] ? Array(rows.dropFirst(toldBefore)) : rows).map { row in
                    "\((row.createdAt - noon) / minute) \(row.rule ?? "") \(row.state.map { "\($0)" } ?? "") \(row.title)"
                }
            }
        }
    }

    /// A day of what rules are about, from now on.
    private func live(_ twins: Twins) throws {
        try twins.each { mesh in
            try mesh.measure(bob, battery: 10)
            try mesh.report(bob, "channelUtilization", 40)
            try mesh.report(bob, "uptimeSeconds", 9_000)
            try mesh.work()
        }
        try twins.pass(6 * minute)
        try twins.each { mesh in
            try mesh.report(bob, "channelUtilization", 50)
            try mesh.report(bob, "uptimeSeconds", 20)
            try mesh.happen(Happening(.problem, at: mesh.now.at, source: mesh.source, name: "region-unset"))
            try mesh.happen(Happening(.key, at: mesh.now.at, source: mesh.source, node: bob, name: "key-changed"))
            try mesh.happen(Happening(.link, at: mesh.now.at, source: mesh.source, name: "lost"))
            try mesh.work()
        }
        try twins.pass(5 * minute)
        try twins.each { mesh in
            try mesh.happen(Happening(.link, at: mesh.now.at, source: mesh.source, name: "live"))
            try mesh.measure(bob, battery: 90)
            try mesh.work()
        }
        // Anna was heard last before the rule was added.
        for _ in 0..<16 {
            try twins.pass(30 * minute)
            try twins.each { mesh in
                try mesh.hear(bob)
                try mesh.work()
            }
        }
    }

    private func begin(_ twins: Twins, after delay: Int64) throws {
        let step = min(delay, hour)
        for _ in 0..<(delay / step) {
            try twins.each { mesh in
                try mesh.hear(anna)
                try mesh.measure(bob, battery: 50)
                try mesh.report(bob, "channelUtilization", 5)
                try mesh.work()
            }
            try twins.pass(step)
        }
        try twins.add()
    }

    @Test(arguments: [30 * second, 3 * minute, 24 * hour]) func asItsTwinThatWasThere(_ delay: Int64) throws {
        let twins = try Twins()
        try begin(twins, after: delay)
        try live(twins)
        let told = try twins.told()
        #expect(told[0] == told[1])
        let rules = Set(told[1].map { $0.split(separator: " ")[1] })
        #expect(rules == Set(Self.rules.keys.map { $0[...] }), "each of them: \(told[1])")
    }

    /// An hour of a live link counts once, also when the clock was set in between, or the radio was away.
    @Test(arguments: [-26 * hour, 0, 26 * hour]) func anHourCountsOnce(_ leap: Int64) throws {
        let twins = try Twins(["silent": "when = node silent for 6h"])
        try begin(twins, after: 2 * hour)
        let late = try Twins(["silent": "when = node silent for 6h"])
        for twins in [twins, late] {
            try twins.each { mesh in
                try mesh.hear(anna)
                try mesh.work()
            }
            try twins.pass(hour)
            if leap != 0 {
                try twins.each { mesh in
                    let before = mesh.now.at
                    try mesh.setClock(by: leap)
                    try mesh.happen(Happening(.clockSet, at: mesh.now.at, since: before))
                    try mesh.work()
                }
            }
            for name in ["lost", "live"] {
                try twins.pass(hour)
                try twins.each { mesh in
                    try mesh.happen(Happening(.link, at: mesh.now.at, source: mesh.source, name: name))
                    try mesh.work()
                }
            }
        }
        try late.add()
        for twins in [twins, late] {
            try twins.pass(10 * hour)
            let told = try twins.told()
            #expect(told[0] == told[1], "\(told)")
            #expect(told[1].count { $0.hasSuffix("Anna has been silent for 6 h") } == 1, "\(told)")
        }
    }

    /// What is so already is not told: of a radio that is away, too, whether it ever was there or not.
    @Test func whatIsSoAlready() throws {
        let mesh = try StoredMesh(Self.rules, beginLater: true)
        try mesh.hear(anna)
        try mesh.pass(10 * hour)
        try mesh.happen(Happening(.link, at: mesh.now.at, source: mesh.source, name: "lost"))
        try mesh.happen(Happening(.problem, at: mesh.now.at, source: mesh.source, name: "region-unset"))
        try mesh.pass(hour)
        try mesh.begin()
        try mesh.pass(3 * hour)
        #expect(mesh.told == [])
        try mesh.happen(Happening(.link, at: mesh.now.at, source: mesh.source, name: "live"))
        try mesh.pass(3 * minute)
        #expect(mesh.told == ["back: The radio is back"])
    }

    /// By the folder, with the service's thread: the clock is in hand, and everything else as it is.
    @Test func byAReload() throws {
        struct NoRadio: Error {}
        let here = try RulesHere()
        let store = try Store(path: here.root + "/mesh.db")
        defer { store.close() }
        let gateway = try Gateway(store: store, logger: .silent) { delegate in
            RadioLink(address: .connection(name: "none"), connect: { throw NoRadio() }, delegate: delegate)
        }
        let clock = Clock(Moment(at: noon, uptime: 1_000_000))
        let rules = RunningRules(gateway, folder: here.folder, logger: .silent, clock: { clock.now })
        defer { rules.stop() }
        let source = try store.read { try $0.sources()[0].id }
        rules.reload()
        try store.commit { try $0.insert(Happening(.link, at: noon, source: source, name: "live")) }
        func cursor() throws -> Int64? { try store.readCommitted { try $0.cursor(WorkingRules.reader) } }
        func measure(_ level: Double) throws {
            let now = clock.now.at
            try store.commit(as: .live) { writer in
                try writer.updateNode(anna, in: source, at: now) { ($0.longName, $0.lastHeard) = ("Anna", now / 1000) }
                try writer.insertTelemetry(
                    Telemetry(kind: .device, values: [.init("batteryLevel", level)]), from: anna, packet: nil,
                    in: source, at: now)
            }
        }
        func eventually(_ isSo: () throws -> Bool) throws {
            for _ in 0..<1_200 where try !isSo() { usleep(50_000) }
            #expect(try isSo())
        }
        for round in 1...2 {
            clock.pass(3 * minute)
            try measure(50)
            // Nothing of rules is there without them.
            #expect(try cursor() == nil)
            #expect(try store.readCommitted { try $0.rules() }.isEmpty)
            try here.write("low", "when = battery below 20 %\n")
            rules.reload()
            try eventually { try cursor() != nil }
            clock.pass(second)
            try measure(10)
            try eventually { try store.readCommitted { try $0.feed(after: 0, limit: 9) }.count == round }
            try here.remove("low")
            rules.reload()
            try eventually { try cursor() == nil }
        }
    }
}

private final class Clock: Sendable {
    private let moment: Mutex<Moment>

    init(_ moment: Moment) { self.moment = Mutex(moment) }

    var now: Moment { moment.withLock { $0 } }

    func pass(_ time: Int64) {
        moment.withLock { ($0.at, $0.uptime) = ($0.at + time, $0.uptime + time) }
    }
}

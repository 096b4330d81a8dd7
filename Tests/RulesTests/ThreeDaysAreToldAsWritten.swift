import MeshModel
import Store
import Testing

@testable import Rules

/// Three days of a mesh with ten rules. What they tell was written down beforehand, by hand.
@Suite struct ThreeDaysAreToldAsWritten {
    private static let rules = [
        "battery": "when = battery below 20 %\nagain = battery above 25 %\nrepeat = 24h",
        "busy": "when = channel use above 40 %\nagain = channel use below 30 %\nresolved = yes",
        "direct": "when = direct message",
        "doubt": "when = key changed\nresolved = yes",
        "help": "when = message\nwords = sos help",
        "lost": "when = radio lost for 2m",
        "mention": "when = mention",
        "new": "when = new node",
        "restart": "when = rebooted",
        "silent": "when = node silent for 6h\nnode = favourites\nresolved = yes",
    ]

    private let mesh = FakeMesh()
    private let carl = NodeNumber(0xCA71_0003)

    /// The hour, the rule, and what it tells.
    private static let expected = [
        "0:05 new New node: Anna", "0:05 new New node: Bob",
        "1 battery begins: Bob: battery 18 %",
        "2 busy begins: Base Camp: channel use 55 %",
        "3 busy ends: Base Camp: channel use 25 % again",
        "5 direct Direct message from Anna",
        "5 help Anna on LongFast", "5 mention Anna mentions you on LongFast",
        // Anna was heard last at 5; the radio was away from 8 to 9, so that it is an hour later.
        "8 lost begins: The radio Home is lost", "9 lost ends: The radio Home is back",
        "12 silent begins: Anna has been silent for 6 h",
        "20 silent ends: Anna was heard again",
        "25 battery lasts: Bob: battery still 24 %",
        "26 doubt begins: Bob has another key than before",
        "30 doubt ends: Bob's key is settled",
        "40 new New node: Node !ca710003",
        "41 restart Node !ca710003 has started again",
        "49 battery lasts: Bob: battery still 24 %",
        "60 battery begins: Bob: battery 19 %",
        "70 silent begins: Anna has been silent for 6 h",
    ]

    @Test func asWritten() throws {
        try mesh.use(Self.rules)
        try mesh.start()
        try at(0, 5) {
            try mesh.hear(anna) { $0.isFavorite = true }
            try mesh.hear(bob)
        }
        // Every ten minutes Bob measures; around its threshold it says nothing new.
        try at(1) { try mesh.measure(bob, ["batteryLevel": 18]) }
        try at(2) { try mesh.measure(ownNode, ["channelUtilization": 55]) }
        try at(2, 30) { try mesh.measure(ownNode, ["channelUtilization": 35]) }
        try at(3) { try mesh.measure(ownNode, ["channelUtilization": 25]) }
        for minute in stride(from: 10, to: 50, by: 10) as StrideTo<Int64> {
            try at(4, minute) { try mesh.measure(bob, ["batteryLevel": minute % 20 == 0 ? 24 : 17]) }
        }
        try at(5) {
            try mesh.hear(anna)
            try mesh.write("are you there?", channel: -1, id: 1)
            try mesh.write("help, Base Camp!", id: 2)
            try mesh.write("just talking", id: 3)
            try mesh.write("helpful", id: 4) { $0.isOwn = true }
        }
        try at(7, 58) { try mesh.link("lost") }
        try at(9) { try mesh.link("live") }
        try at(15) { try mesh.hear(bob, origin: .listed) }
        try at(20) { try mesh.hear(anna) }
        for hour in 21..<65 as Range<Int64> { try at(hour, 30) { try mesh.hear(anna) } }
        try at(72) {}
        #expect(told == Self.expected)
        // Each state has an id of its own from its beginning to its end: two of the battery, two of Anna's silence, and one each
        // of the channel, the radio and Bob's key.
        let episodes = Dictionary(grouping: mesh.firings.filter { $0.row.episode != nil }, by: \.row.episode!)
        let states = episodes.values.map { rows in rows.compactMap(\.row.state).map { "\($0)" }.joined(separator: " ") }
        #expect(
            states.sorted() == [
                "begins", "begins", "begins ends", "begins ends", "begins ends", "begins ends", "begins lasts lasts",
            ])
        #expect(Set(mesh.firings.map(\.row.uuid)).count == mesh.firings.count)
    }

    @Test func nothingWakesThemInASilentMesh() throws {
        try mesh.use(Self.rules)
        try mesh.start()
        for number in [anna, bob, carl] { try mesh.hear(number) { $0.isFavorite = true } }
        try mesh.measure(bob, ["batteryLevel": 90])
        let before = mesh.wakes
        try mesh.pass(10 * minute)
        #expect(mesh.wakes == before)
        try mesh.pass(6 * hour)
        #expect(mesh.wakes > before, "their silence has a deadline")
    }

    private var told: [String] {
        mesh.firings.filter { $0.fate == .told }.map { firing in
            let minutes = (firing.row.createdAt - noon) / minute
            let time =
                minutes % 60 == 0 || firing.row.rule != "new" ? "\(minutes / 60)" : "\(minutes / 60):0\(minutes % 60)"
            let state = firing.row.state.map { "\($0): " } ?? ""
            return "\(time) \(firing.row.rule ?? "") \(state)\(firing.row.title)"
        }
    }

    /// What happens at other hours, by the hour.
    private func at(_ hour: Int64, _ minutes: Int64 = 0, _ body: () throws -> Void) throws {
        let end = noon + hour * 60 * minute + minutes * minute
        for (time, what) in Self.others
        where mesh.now.at < noon + time * 60 * minute && noon + time * 60 * minute <= end {
            try mesh.pass(noon + time * 60 * minute - mesh.now.at)
            try what(mesh, carl)
        }
        try mesh.pass(end - mesh.now.at)
        try body()
    }

    private static let others: [(Int64, @Sendable (FakeMesh, NodeNumber) throws -> Void)] = [
        (
            26,
            { mesh, _ in
                try mesh.hear(bob) { $0.announcedKey = .of(9) }
                try mesh.happen(Happening(.key, at: mesh.now.at, source: home, node: bob, name: "key-changed"))
            }
        ),
        (30, { mesh, _ in try mesh.hear(bob) { $0.announcedKey = nil } }),
        (
            40,
            { mesh, carl in
                try mesh.hear(carl)
                try mesh.measure(carl, ["uptimeSeconds": 9_000])
            }
        ),
        (41, { mesh, carl in try mesh.measure(carl, ["uptimeSeconds": 60]) }),
        (55, { mesh, _ in try mesh.measure(bob, ["batteryLevel": 90]) }),
        (60, { mesh, _ in try mesh.measure(bob, ["batteryLevel": 19]) }),
    ]
}

extension PublicKey {
    static func of(_ byte: UInt8) -> PublicKey { PublicKey(Array(repeating: byte, count: 32))! }
}

import MeshModel
import Store
import Testing

@testable import Rules

/// A process is killed at any moment: no firing is lost that is younger than an hour, and none is told twice by its key. What
/// follows and the place are one commit (AReaderActsOnce); here what is looked at again.
@Test(arguments: 1...20 as ClosedRange<UInt64>) func noKillTellsTwice(_ seed: UInt64) throws {
    var random = Draws(state: seed)
    let killed = try KilledMesh([
        "battery": "when = battery below 20 %\nagain = battery above 25 %", "direct": "when = direct message",
        "new": "when = new node",
    ])
    let mesh = killed.mesh
    try mesh.hear(anna)
    try mesh.hear(bob)
    var (texts, level, falls) = (0, 50.0, 0)
    for kill in 0..<10 as Range<UInt32> {
        for step in 0..<20 as Range<UInt32> {
            switch random.next() % 4 {
            case 0:
                try mesh.write("x", channel: -1, id: kill * 100 + step + 1)
                texts += 1
            case 1:
                let next = random.next() % 2 == 0 ? 10.0 : 50.0
                if next < level { falls += 1 }
                level = next
                try mesh.measure(bob, ["batteryLevel": level])
            default: try mesh.hear(anna)
            }
            try mesh.pass(30 * second)
        }
        try killed.kill()
    }
    let fired = mesh.firings.filter { $0.row.type != "more" }
    let keys = fired.map { "\($0.row.rule ?? "") \($0.key)" }
    #expect(Set(keys).count == keys.count, "seed \(seed)")
    #expect(fired.count { $0.row.rule == "direct" } == texts, "seed \(seed)")
    #expect(fired.count { $0.row.rule == "battery" } == falls, "seed \(seed)")
    #expect(fired.count { $0.row.rule == "new" } == 2, "seed \(seed)")
}

private struct Draws {
    var state: UInt64

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

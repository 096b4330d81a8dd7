import Foundation
import MeshModel
import Testing

@testable import Gateway
@testable import Store

// A gateway that simply runs: a mesh that talks all day, a person who writes now and then, and every few hours something
// that goes wrong, the process being killed included. The clock is virtual, so that a month takes minutes.
//
// What must be so in the end: all that `NothingThatWasSaidGetsLost` asks for, every text that was heard is a message, and
// the tables hold what Retention keeps and no more.

/// MESH_GATEWAY_TEST_DAYS=30 asks for so many; `deploy/soak --month` does.
private let days = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_DAYS"].flatMap(Int.init) ?? 1

@Test func aMonthGoesByWithoutALoss() throws {
    let retention = Retention(
        telemetry: 5 * day, positions: 5 * day, packets: day, messages: nil, size: 200_000_000)
    let story = try Story(seed: 30, chatter: 6, retention: retention)
    story.world.ledger.notes = false
    for number in 1...days {
        try story.passDay()
        if days > 1 {
            print("day \(number): \(story.world.ledger.heard.count) texts heard, \(kilobytes()) kB resident")
        }
    }
    try story.calmDown()
    try story.check()
    let violations = story.world.ledger.violations
    #expect(violations.isEmpty, "\(violations.prefix(5).joined(separator: "; "))")
    #expect(story.world.ledger.heard.count > 500 * days)

    let source = try story.world.source
    let (count, oldest) = try story.world.store.read { reader in
        let count = try reader.packetCount(PacketQuery(in: source))
        return (count, try reader.packets(PacketQuery(in: source, limit: 1, offset: count - 1)).first?.at)
    }
    // Deleting is by the way, in slices: an hour late is soon enough.
    #expect(try #require(oldest) > story.world.clock.wall - day - 3_600_000)
    #expect(count > 3000, "the log is not empty either")
}

/// In milliseconds, as the database counts.
private let day: Int64 = 86_400_000

extension Story {
    fileprivate func passDay() throws {
        for _ in 1...8 {
            for _ in 1...Int.random(in: 1...4, using: &world.dice) {
                try happen()
                world.run(seconds: Double.random(in: 1...900, using: &world.dice))
            }
            // Nobody leaves a radio that way for hours.
            world.misbehave([])
            world.plug(withPower: true)
            world.run(seconds: 9000)
            try look()
        }
    }
}

/// Of this process, which is what it is beside the tests that run with it.
private func kilobytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS") } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
}

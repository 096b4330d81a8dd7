import JSON
import MeshModel
import Testing

@testable import MQTTBridge

/// The allowance of commands, and how often refusals are told, go by the clock that is never set.
@Suite struct AClockThatLeapsCommandsNothing {
    @Test(arguments: [3_600_000, -3_600_000, 86_400_000, -86_400_000] as [Int64]) func more(leap: Int64) throws {
        let house = try HandledBridge { $0.takesCommands = true }
        defer { house.stop() }
        let radio = house.test.radio
        for number in 0..<30 { house.command(radio, "text_1", "\(number)") }
        house.command(radio, "text_1", "too many")
        house.pass(1)
        #expect(try house.own().count == 30)
        house.now.wall += leap
        for number in 0..<14 { house.command(radio, "text_1", "too many, \(number)") }
        house.pass(1)
        #expect(try house.own().count == 30, "the leap counted as time")
        // Ten one by one, under ids of their own, and the other five together when the minute is over.
        func refused() -> [JSONValue] { house.outcomes.filter { $0.type == "refused" } }
        #expect(refused().count == 10, "\(refused().count)")
        house.pass(10_000)
        house.command(radio, "text_1", "a sixth of a minute later")
        #expect(try house.own().count == 31 && house.own().last == "a sixth of a minute later")
        house.pass(50_000)
        #expect(refused().count == 11 && refused().last?["count"]?.integer == 5)
        #expect(Set(house.ids).count == house.ids.count)
        // And back.
        house.now.wall -= leap
        house.pass(1)
        #expect(refused().count == 11)
        #expect(try house.own().count == 31)
    }
}

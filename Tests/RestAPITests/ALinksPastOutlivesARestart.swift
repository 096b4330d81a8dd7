import Foundation
import MeshModel
import Testing

@testable import Gateway
@testable import RestAPI
@testable import Store

/// A client that was away while the gateway was started again is told which problems began and ended before, and of the status
/// the newest once.
@Suite struct ALinksPastOutlivesARestart {
    private let problem = Problem(.regionUnset, "set it")
    private let other = Problem(.packetsWithheld, "wait")

    /// What happens while nobody follows, and a gateway behind it.
    private func away(_ first: TestGateway, _ target: String) throws -> (id: String, again: TestGateway) {
        let reader = try EventReader(first, target)
        _ = try reader.read()
        let radio = first.gateway.radios.all[0]
        radio.tell(.problem(other))
        try first.store.commit { _ in }
        let id = try #require(try reader.read().last { $0.id != nil }?.id)
        radio.tell(.problem(problem))
        radio.tell(.link(.lost(problem)))
        radio.tell(.solved(problem))
        radio.tell(.problem(other))
        first.stop()
        return (id, try TestGateway(after: first))
    }

    @Test func problemsAreToldAndTheStatusOnce() throws {
        let first = try TestGateway()
        let (id, again) = try away(first, "/api/v1/events?kinds=problem,solved,status")
        let reader = try EventReader(
            again, "/api/v1/events?kinds=problem,solved,status", as: first.token, lastEventID: id)
        let told = try reader.read()
        try #require(told.map(\.kind) == ["start", "problem", "solved", "problem", "status"])
        #expect(told[1].data.contains("region-unset") && told[2].data.contains("region-unset"))
        #expect(told[3].data.contains("packets-withheld"))
        #expect(told.filter { $0.kind == "problem" }.allSatisfy { $0.data.contains(again.uuid) })
        // From each place in between it goes on behind that.
        for place in 1..<4 {
            let rest = try EventReader(
                again, "/api/v1/events?kinds=problem,solved,status", as: first.token, lastEventID: told[place].id)
            #expect(try rest.read().map(\.kind) == ["start"] + told[(place + 1)...].map(\.kind))
        }
        // What happens now comes once, and nothing of before.
        again.gateway.radios.all[0].tell(.solved(other))
        #expect(try reader.read().map(\.kind) == ["solved", "status"])
        let late = try EventReader(
            again, "/api/v1/events?kinds=problem,solved", as: first.token, lastEventID: reader.lastID)
        #expect(try late.read().map(\.kind) == ["start"])
    }

    @Test func onlyWhoMayKnowIsTold() throws {
        let first = try TestGateway()
        let some = try first.token(["messages:read"])
        let place = try #require(try EventReader(first, as: some).read().last { $0.id != nil }?.id)
        let (id, again) = try away(first, "/api/v1/events?kinds=problem,solved,status")
        #expect(try EventReader(again, as: some, lastEventID: place).read().allSatisfy { $0.kind == "start" })
        // A new client begins with what is.
        #expect(try EventReader(again, "/api/v1/events?kinds=problem,solved,status").read().map(\.kind) == ["start"])
        let solved = try EventReader(again, "/api/v1/events?kinds=solved", as: first.token, lastEventID: id)
        #expect(try solved.read().map(\.kind) == ["start", "solved"])
    }

    /// Weeks of it are told in pieces, without one missing.
    @Test func howeverMuchItWas() throws {
        let first = try TestGateway()
        let reader = try EventReader(first, "/api/v1/events?kinds=problem,status")
        _ = try reader.read()
        first.gateway.radios.all[0].tell(.problem(other))
        let id = try #require(try reader.read().last { $0.id != nil }?.id)
        let (source, next) = (first.id, first.gateway.conditions.next)
        try first.store.commit { writer in
            for number in 0..<500 as Range<Int64> {
                try writer.insert(
                    Happening(
                        .problem, at: TestGateway.now + number * 3_600_000, source: source,
                        sequence: next + UInt64(number), name: "problem-\(number)", text: "x"))
            }
        }
        first.stop()
        let again = try TestGateway(after: first)
        let told = try EventReader(again, "/api/v1/events?kinds=problem,status", as: first.token, lastEventID: id)
            .read()
        #expect(told.filter { $0.kind == "problem" }.count == 500)
        #expect(told.filter { $0.kind == "status" }.count == 1)
    }
}

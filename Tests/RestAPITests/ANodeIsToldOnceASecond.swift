import Foundation
import MeshModel
import Platform
import Routes
import Testing

@testable import RestAPI

/// A node that changes with every packet is told at most once a second, and its last state in any case.
@Suite struct ANodeIsToldOnceASecond {
    private func names(_ told: [EventReader.Told]) throws -> [String] {
        try told.filter { $0.kind == "node" }.map { try #require(try $0.json["longName"] as? String) }
    }

    private func rename(_ test: TestGateway, _ name: String) throws {
        try test.update(TestGateway.peer) { $0.longName = name }
    }

    @Test func andItsLastStateIsNotLost() throws {
        let test = try TestGateway()
        let reader = try EventReader(test, "/api/v1/events?kinds=node")
        _ = try reader.read()
        let began = MonotonicClock.nanoseconds()
        var (told, number) = ([] as [String], 0)
        while MonotonicClock.nanoseconds() < began + 2_500_000_000 {
            number += 1
            try rename(test, "\(number)")
            told += try names(reader.read())
        }
        let passed = (MonotonicClock.nanoseconds() - began) / 1_000_000_000
        #expect(told.first == "1" && told.count <= Int(passed) + 1, "\(told)")
        // It is brought back for it by the sweeper; here by hand.
        while told.last != "\(number)" { told += try names(reader.read()) }
    }

    /// Who leaves while the last state was still to come is told it when he comes back.
    @Test func norIsItWhenTheReaderLeaves() throws {
        let test = try TestGateway()
        let reader = try EventReader(test, "/api/v1/events?kinds=node,message")
        _ = try reader.read()
        try rename(test, "first")
        _ = try reader.read()
        try rename(test, "second")
        try test.insert("hello", packetID: 1, at: TestGateway.now)
        let told = try reader.read()
        // On a slow machine the second may be over already.
        guard !told.contains(where: { $0.kind == "node" }) else { return }
        #expect(told.map(\.kind) == ["message"])
        let again = try EventReader(
            test, "/api/v1/events?kinds=node,message", lastEventID: reader.lastID
        ).news()
        #expect(again.map(\.kind) == ["node"])
        #expect(try names(again) == ["second"])
    }
}

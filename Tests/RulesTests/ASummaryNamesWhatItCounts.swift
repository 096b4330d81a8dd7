import MeshModel
import Store
import Testing

@testable import Rules

/// A summary of a quiet night has the last five titles as its target may have them, and then the counts.
@Suite struct ASummaryNamesWhatItCounts {
    private static let quiet = "tell = phone\nquiet = 22:00-07:00"

    private func mesh(_ rules: [String: String]) throws -> StoredMesh {
        let mesh = try StoredMesh(rules, targets: ["phone"], zone: LocalZone { _ in 0 })
        try mesh.measure(anna, battery: 50)
        try mesh.pass(noon + 11 * hour - mesh.now.at)
        return mesh
    }

    @Test func withTextsWhereTheRuleGivesThem() throws {
        let mesh = try mesh([
            "text": "when = message\ntext = yes\n\(Self.quiet)", "battery": "when = battery below 20 %\n\(Self.quiet)",
        ])
        for id in 1...4 as ClosedRange<PacketID> {
            try mesh.write("number\n\(id)", id: id, channel: 0)
            try mesh.work()
        }
        try mesh.measure(bob, battery: 10)
        try mesh.work()
        #expect(
            try mesh.held().map(\.titles) == [
                (1...4).map { "Anna on channel 0: number \($0)" } + ["Bob: battery 10 %"]
            ])
        // A text that a person deletes is in no summary either.
        let ids = try mesh.feed().compactMap(\.messageID)
        try mesh.change { writer, source, _ in _ = try writer.deleteMessage(id: ids[0], in: source) }
        try mesh.measure(anna, battery: 9)
        try mesh.work()
        #expect(
            try mesh.held().map(\.titles) == [
                (2...4).map { "Anna on channel 0: number \($0)" } + ["Bob: battery 10 %", "Anna: battery 9 %"]
            ])
        #expect(try mesh.held().map(\.counts) == [[.init(rule: "text", count: 4), .init(rule: "battery", count: 2)]])
    }

    /// Nor what a waypoint is called.
    @Test func withoutThemElsewhere() throws {
        let mesh = try mesh(["text": "when = message\n\(Self.quiet)", "point": "when = waypoint\n\(Self.quiet)"])
        try mesh.write("geheim", id: 1, channel: 0)
        try mesh.change { writer, source, now in
            let point = Waypoint(id: 5, latitudeI: 0, longitudeI: 0, name: "geheim", description: "geheim")
            try writer.upsertWaypoint(point, from: anna, channel: 0, in: source, at: now)
        }
        try mesh.work()
        #expect(try mesh.held().map(\.titles) == [["Message from Anna on channel 0", "Anna shares a waypoint"]])
    }

    /// What waits for a target that does not answer is summed up likewise.
    @Test func alsoOfWhatWaited() throws {
        let mesh = try mesh(["battery": "when = battery below 20 %\ntell = phone"])
        try mesh.store.commit { writer in
            for number in 1...30 {
                let row = FeedRow(at: noon, in: nil, type: "battery", title: "\(number)", body: "", needs: [.info])
                try writer.insert(row)
                try writer.insert(Dispatch(to: "phone", at: noon, row))
            }
            try writer.foldDispatches(of: "phone", sparing: nil, at: noon)
        }
        let summary = try #require(try mesh.waiting().first(where: \.isSummary))
        #expect(summary.titles == (21...25).map { "\($0)" })
    }
}

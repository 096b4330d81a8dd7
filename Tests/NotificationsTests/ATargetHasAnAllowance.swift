import Foundation
import JSON
import MeshModel
import Platform
import Store
import Testing

@testable import Notifications
@testable import ServedProgram

private let minute: Int64 = 60_000
private let hour: Int64 = 3_600_000

/// A phone's free service takes so many notifications a day, and a stranger in the mesh can make one a second. What is over waits,
/// and is one summary an hour.
@Suite struct ATargetHasAnAllowance {
    private let server: LoopbackServer
    private let mesh: ToldMesh
    private let passed = Monitor<Int64>(0)

    init() throws {
        server = try LoopbackServer(status: 200)
        mesh = try ToldMesh()
    }

    private func start(_ lines: String = "") throws {
        try mesh.file("phone.conf", "kind = ntfy\nurl = \(server.url)/topic\nallow-local = yes\n\(lines)\n")
        try run()
    }

    private func run() throws {
        try mesh.start(clock: { [passed] in
            let time = passed.withLock { $0 }
            return SendTime(at: WallClock.milliseconds() + time, uptime: MonotonicClock.milliseconds() + time)
        })
    }

    private func pass(_ time: Int64) {
        passed.withLock { $0 += time }
        mesh.running.wake()
    }

    private var now: Int64 { WallClock.milliseconds() + passed.withLock { $0 } }

    private func tell(
        _ count: Int, _ title: String = "node", type: String = "new-node", _ priority: FeedRow.Priority? = nil
    )
        throws
    {
        for _ in 0..<count {
            let row = FeedRow(
                at: now, in: nil, type: type, title: title, body: title, needs: [.info], priority: priority, rule: title
            )
            try mesh.store.commit { writer in
                try writer.insert(row)
                try writer.insert(Dispatch(to: "phone", at: row.createdAt, row))
            }
        }
        mesh.running.wake()
    }

    /// How many have come under each title; of summaries, how many they count.
    private func came() throws -> [String: Int] {
        try server.received.reduce(into: [:]) { found, request in
            let json = try #require(JSONValue(request.body))
            found[json["title"]?.string ?? json["message"]?.string ?? "", default: 0] += 1
        }
    }

    private func eventually(_ wanted: [String: Int], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let isSo = try mesh.eventually { try came() == wanted }
        let found = try came()
        #expect(isSo, "\(found)", sourceLocation: sourceLocation)
    }

    /// Few at a time: more than twenty that wait are summed up in any case.
    private func tellAll(_ count: Int, _ title: String) throws {
        let before = try came()[title] ?? 0
        for part in stride(from: 0, to: count, by: 10) {
            try tell(min(10, count - part), title)
            let wanted = before + min(part + 10, count)
            #expect(try mesh.eventually { try came()[title] == wanted })
        }
    }

    private var isOver: Bool { mesh.running.progress(of: "phone")?.summaryAt != nil }

    @Test func whatIsOverIsOneSummaryAnHour() throws {
        try start("retry-for = 1m")
        try tellAll(50, "node")
        try tell(30)
        #expect(try mesh.eventually { isOver })
        // What is urgent goes past it, and what tells of the radio, the disk or a problem in any case.
        try tell(12, "alarm", .high)
        try eventually(["node": 50, "alarm": 10])
        for type in ["radio-lost", "radio-back", "storage-failing", "problem"] { try tell(2, "radio", type: type) }
        try eventually(["node": 50, "alarm": 10, "radio": 8])
        #expect(try mesh.store.read { try $0.dispatchCounts() }["phone"] ?? 0 > 0)
        // It uses up none of the minute for which each is tried.
        pass(50 * minute)
        try tell(1, "radio", type: "radio-lost")
        try eventually(["node": 50, "alarm": 10, "radio": 9])
        pass(12 * minute)
        try eventually(["node": 50, "alarm": 10, "radio": 9, "32 notifications": 1])
        let summary = try #require(server.received.last.flatMap { JSONValue($0.body)?["message"]?.string })
        #expect(summary.contains("node: 30") && summary.contains("alarm: 2"), "\(summary)")
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        // Then there is room again.
        pass(10 * minute)
        try tell(1, "later")
        try eventually(["node": 50, "alarm": 10, "radio": 9, "32 notifications": 1, "later": 1])
    }

    /// It would have been used up again after each restart.
    @Test func aRestartGivesNothingBack() throws {
        try start("per-hour = 5")
        for round in 0..<4 {
            try tell(4)
            try tell(1, "radio \(round)", type: "radio-lost")
            #expect(try mesh.eventually { try came()["radio \(round)"] == 1 })
            #expect(try mesh.eventually { try mesh.waiting().count == 4 * round && came()["node"] == 4 })
            pass(5 * minute)
            mesh.kill()
            try run()
        }
        #expect(try mesh.eventually { isOver })
        #expect(try came()["node"] == 4)
    }

    @Test func aNumberOrNoIsWritten() throws {
        try start("per-hour = 3")
        try tell(5)
        try eventually(["node": 3])
        try mesh.file("phone.conf", "kind = ntfy\nurl = \(server.url)/topic\nallow-local = yes\nper-hour = no\n")
        mesh.running.reload()
        try eventually(["node": 5])
        try tellAll(100, "more")
        for value in ["0", "-1", "many", "10001", "1.5"] {
            let file = TargetFile(
                "kind = ntfy\nurl = https://ntfy.sh/topic\nper-day = \(value)\n", name: "phone", path: "phone.conf")
            #expect(
                file.mistakes.map(\.text) == ["per-day is a number from 1 to 10000, or no for as many as there are"])
        }
    }

    /// One alone that was over is told as it is.
    @Test func oneAloneIsNoSummary() throws {
        try start("per-hour = 2")
        try tell(2)
        try eventually(["node": 2])
        try tell(1, "third")
        #expect(try mesh.eventually { mesh.running.progress(of: "phone")?.summaryAt != nil })
        pass(hour + minute)
        try eventually(["node": 2, "third": 1])
    }

    @Test func webhooksHaveNoneUnlessItIsWritten() throws {
        try mesh.file("a.secret", "whsec_" + Data([UInt8](repeating: 1, count: 32)).base64EncodedString())
        try mesh.file(
            "phone.conf", "kind = webhook\nurl = \(server.url)/h\nsecret-file = a.secret\nallow-local = yes\n")
        try run()
        try tell(300)
        #expect(try mesh.eventually { try mesh.waiting().isEmpty })
        let rows = try mesh.store.read { try $0.targets() }
        #expect(rows.allSatisfy { $0.sent.isEmpty }, "who has no allowance pays nothing for it")
    }
}

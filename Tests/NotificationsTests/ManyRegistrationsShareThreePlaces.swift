import Foundation
import JSON
import Platform
import Store
import Testing

@testable import Notifications
@testable import ServedProgram

/// A thousand notifications for 64 registrations at one host, all at once.
@Test(.timeLimit(.minutes(30))) func manyRegistrationsShareThreePlaces() throws {
    struct Counts {
        var running: [String: Int] = [:]
        var mostOfOne = 0
        var mostOfAll = 0
    }
    let counts = Monitor(Counts())
    let server = try LoopbackServer { request, connection in
        counts.withLock { counts in
            counts.running[request.line, default: 0] += 1
            counts.mostOfOne = max(counts.mostOfOne, counts.running[request.line]!)
            counts.mostOfAll = max(counts.mostOfAll, counts.running.values.reduce(0, +))
        }
        usleep(2_000)
        // Before the answer: what comes next may be here at once.
        counts.withLock { $0.running[request.line]! -= 1 }
        say("HTTP/1.1 201 X\r\nContent-Length: 0\r\n\r\n", connection)
    }
    let mesh = try ToldMesh()
    try mesh.start(push: .allowing(server))
    let browsers = (0..<64).map { _ in ToldBrowser() }
    var targets: [String] = []
    for (number, browser) in browsers.enumerated() {
        // A token has eight at most.
        targets.append(
            try mesh.register(browser, at: "\(server.url)/push/\(number)", token: "token \(number / 8)").target)
    }
    let token = try mesh.token("one more")
    let more = ToldBrowser().address("\(server.url)/push/more")
    #expect(try mesh.store.commit { try $0.register(more, for: token, name: nil, rules: nil, at: 1) } == nil)

    for start in stride(from: 0, to: 1_000, by: 100) {
        try mesh.store.commit { [targets] writer in
            for number in start..<start + 100 {
                let row = FeedRow(
                    at: WallClock.milliseconds(), in: nil, type: "rebooted", title: "\(number)", body: "",
                    needs: [.info],
                    rule: "rule")
                try writer.insert(row)
                for target in targets { try writer.insert(Dispatch(to: target, at: row.createdAt, row)) }
            }
        }
        mesh.running.wake()
    }
    #expect(try mesh.eventually { try mesh.waiting().isEmpty })
    let most = counts.withLock { $0 }
    #expect(
        most.mostOfOne == 1 && (1...3).contains(most.mostOfAll), "\(most.mostOfOne) of one, \(most.mostOfAll) of all")

    for (number, browser) in browsers.enumerated() {
        let own = server.received.filter { $0.line == "POST /push/\(number) HTTP/1.1" }
        let told = own.compactMap { browser.open($0.body) }
        #expect(told.count == own.count && Set(told.compactMap { $0["id"]?.string }).count == told.count)
        let total = told.reduce(0) { sum, one in
            let isSummary = one["type"]?.string == "summary"
            return sum + (isSummary ? Int((one["title"]?.string ?? "").split(separator: " ")[0]) ?? 0 : 1)
        }
        #expect(total == 1_000, "registration \(number): \(total)")
        #expect(told.count <= 66)
    }
}

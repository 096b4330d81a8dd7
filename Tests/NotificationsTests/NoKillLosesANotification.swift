import Foundation
import JSON
import Platform
import Testing

@testable import Notifications
@testable import ServedProgram

/// The gateway ends at any moment, again and again, while its target answers, fails, hangs up or takes its time. What was to be
/// told arrives or is counted in a summary, in its order, and what arrives twice has its id.
@Test(.timeLimit(.minutes(60))) func noKillLosesANotification() throws {
    var random = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...999_999, using: &random)
    var draws = Draws(state: seed)
    // How the next request is answered.
    let mood = Monitor(0)
    let server = try LoopbackServer { _, connection in
        switch mood.withLock({ $0 }) {
        case 0, 1: say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", connection)
        case 2: say("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", connection)
        case 3: break
        default:
            usleep(20_000)
            say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", connection)
        }
    }
    let mesh = try ToldMesh()
    let conf = "kind = ntfy\nurl = \(server.url)/topic\nallow-local = yes\nper-hour = no\nper-day = no\n"
    try mesh.file("phone.conf", conf)
    var told: [String] = []
    for kill in 0..<200 {
        try mesh.start()
        // Changed, it is tried at once, however long it has failed.
        try mesh.file("phone.conf", conf + "retry-for = \(20 + kill % 2)h\n")
        mesh.running.reload()
        for _ in 0..<Int(draws.next() % 4) { told.append(try mesh.tell("phone", "\(told.count)")) }
        if kill % 50 == 25 {
            // However fast they would go out one by one.
            mood.withLock { $0 = 2 }
            for _ in 0..<30 { told.append(try mesh.tell("phone", "\(told.count)")) }
        }
        mood.withLock { $0 = Int(draws.next() % 5) }
        usleep(UInt32(draws.next() % 60_000))
        mesh.kill()
    }
    mood.withLock { $0 = 0 }
    // A restart waits as long as was told on disk; a change of the target that it has taken over tries it at once.
    try mesh.start()
    #expect(try mesh.eventually { mesh.running.progress(of: "phone") != nil })
    try mesh.file("phone.conf", conf + "retry-for = 23h\n")
    mesh.running.reload()
    #expect(try mesh.eventually { try mesh.waiting().isEmpty }, "seed \(seed)")

    // What the server has said yes to, or may have.
    var (counted, arrived, order) = (0, Set<String>(), [Int]())
    var summaries: [String: Int] = [:]
    for request in server.received {
        let json = try #require(JSONValue(request.body))
        let id = try #require(json["sequence_id"]?.string)
        let title = json["title"]?.string ?? ""
        if let number = Int(title) {
            arrived.insert(id)
            if order.last != number { order.append(number) }
        } else {
            let number = try #require(title.split(separator: " ").first.flatMap { Int($0) }, "\(title)")
            #expect(summaries[id] == nil || summaries[id] == number)
            summaries[id] = number
        }
    }
    counted = summaries.values.reduce(0, +)
    #expect(arrived.isSubset(of: told), "seed \(seed)")
    #expect(arrived.count + counted == told.count, "seed \(seed): \(arrived.count) and \(counted) of \(told.count)")
    #expect(order == order.sorted(), "seed \(seed)")
    #expect(!summaries.isEmpty, "nothing was summed up")
}

struct Draws {
    var state: UInt64

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

import CSQLite
import Foundation
import MeshModel
import Platform
import RadioSimulator
import Testing

@testable import ServedProgram

/// Browsers register, again and again, people write, and the program is killed at any moment: before an answer, amid a
/// transaction, while a request is out. No registration is lost that was answered; what is told after that arrives at least once,
/// and what arrives twice has its id.
///
/// 20 kills, 200 when MESH_GATEWAY_TEST_FULL is set, in five minutes at most. A failure names the seed of the moments
/// (MESH_GATEWAY_TEST_SEED).
@Test(.timeLimit(.minutes(15))) func noKillLosesARegistration() throws {
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["MESH_GATEWAY_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    var random = Seeded(seed)
    let moods = Monitor(Seeded(seed &+ 1))
    let server = try LoopbackServer { _, connection in
        // At once, after a while, or so late that most are killed before.
        let mood = moods.withLock { $0.next() } % 8
        usleep(mood < 4 ? 0 : mood < 7 ? 20_000 : 200_000)
        say("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", connection)
    }
    let folders = try Folders()
    let file = "\(folders.root)/mesh-gateway.conf"
    try "push-hosts = 127.0.0.1:\(server.port)\n".write(toFile: file, atomically: true, encoding: .utf8)
    let here = try RadioHere { $0.nodes = 3 }
    let device = "tcp:127.0.0.1:\(try here.radio.listen())"
    var token: String?
    func start() throws -> ServedGateway {
        var gateway = try ServedGateway(device: device, in: folders, environment: ["MESH_GATEWAY_CONFIG": file])
        if token == nil { try gateway.authorize() }
        token = token ?? gateway.client.token
        gateway.client.token = token
        try gateway.waitUntilLive()
        return gateway
    }

    var browsers = (0..<8).map { Registering(endpoint: "\(server.url)/push/\($0)") }
    var kills = Kills(wanted: isFullRun ? 200 : 20, minutes: 5)
    // Registrations get no more than fifty an hour one by one.
    let (most, database) = (40, folders.state + "/mesh-gateway/mesh.db")
    var texts = 0
    while kills.goOn {
        let gateway = try start()
        let (place, name, before) = (kills.count % 8, "name \(kills.count)", server.received.count)
        let client = gateway.client
        let (body, answered) = (browsers[place].request(as: name), Monitor<Answer?>(nil))
        let isOver = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            let answer = try? client.post("/api/v1/push/register", body)
            answered.withLock { $0 = answer }
            isOver.signal()
        }
        if number("SELECT count(*) FROM feed WHERE rule = 'direct-message'", in: database) ?? 0 < most {
            here.radio.sendText(
                from: NodeNumber(0x0BAD_0000 + UInt32(texts)), "text \(texts)", to: here.radio.number)
            texts += 1
        }
        // Amid the answer, or later amid what is sent.
        usleep(.random(in: 0..<(kills.count % 3 == 0 ? 10_000 : 500_000), using: &random))
        gateway.program.signal(SIGKILL)
        #expect(try gateway.program.exitCode() == -SIGKILL)
        isOver.wait()
        let answer = answered.withLock { $0 }
        try browsers[place].take(answer, as: name, seed)
        kills.add(amidWork: answer == nil || server.received.count > before)
    }
    kills.report()

    let gateway = try start()
    let list = "/api/v1/push/registrations"
    // A dispatch is written with its row of the feed, and goes when it has arrived.
    let feed = try gateway.eventually("everything is sent") {
        let feed = try toldRows(in: database)
        return number("SELECT count(*) FROM dispatches", in: database) == 0 ? feed : nil
    }
    let rows = try gateway.client.get(list).data["registrations"].rows
    for browser in browsers {
        guard let id = browser.id else { continue }
        let row = rows.first { $0["id"].integer == id }
        let name = row?["name"].string ?? "none"
        #expect(browser.names.contains(name), "seed \(seed): \(id) is \(name), and not of \(browser.names)")
    }
    try gateway.program.stop()

    for (place, browser) in browsers.enumerated() {
        var (ids, summaries): ([String: Set<String>], [String: Int]) = ([:], [:])
        for request in server.received where request.line == "POST \(browser.path) HTTP/1.1" {
            let json = try JSONDecoder().decode(
                JSON.self, from: Data(#require(browser.keys.open(request.body), "seed \(seed): not for it")))
            let id = try #require(json["id"].string)
            guard json["type"] == "summary" else {
                ids[json["body"].string ?? "", default: []].insert(id)
                continue
            }
            summaries[id] = Int((json["title"].string ?? "").split(separator: " ").first ?? "") ?? 0
        }
        #expect(ids.values.allSatisfy { $0.count == 1 }, "seed \(seed): one text, two ids: \(ids)")
        let arrived = Set(ids.values.flatMap(\.self))
        let wanted = feed.filter { $0.at > browser.since ?? .max }.map(\.uuid)
        // More than twenty that wait are summed up.
        let (missing, summed) = (Set(wanted).subtracting(arrived).count, summaries.values.reduce(0, +))
        #expect(missing <= summed, "seed \(seed): \(missing) of \(wanted.count) for \(place), \(summed) summed up")
    }
    print("noKillLosesARegistration: \(feed.count) told, \(server.received.count) requests")
    #expect(kills.proveSomething && !feed.isEmpty, "\(kills.amidWork) of \(kills.count), \(feed.count) told")
}

/// What the feed has of direct messages, and when it was told by the host's clock.
private func toldRows(in database: String) throws -> [(uuid: String, at: Int64)] {
    try rows("SELECT uuid, at FROM feed WHERE rule = 'direct-message' ORDER BY id", in: database).map {
        ($0[0], try #require(Int64($0[1])))
    }
}

/// A browser that registers again and again, and what it was answered.
private struct Registering {
    let keys = PushedBrowser()
    let endpoint: String
    private(set) var id: Int?
    /// From when on it was there for sure, in host milliseconds.
    private(set) var since: Int64?
    /// The name that it has for sure, and those that nobody has answered since.
    private(set) var names: [String] = []

    init(endpoint: String) { self.endpoint = endpoint }

    var path: String { String(endpoint.dropFirst("http://".count).drop { $0 != "/" }) }

    func request(as name: String) -> JSON {
        [
            "endpoint": .string(endpoint), "name": .string(name),
            "keys": ["p256dh": .string(keys.p256dh), "auth": .string(keys.auth)],
        ]
    }

    /// - Parameter answer: nil if there was none.
    mutating func take(_ answer: Answer?, as name: String, _ seed: UInt64) throws {
        guard let answer else {
            names.append(name)
            return
        }
        #expect(answer.status == 200, "seed \(seed): \(answer.text)")
        let new = try #require(try answer.json["id"].integer)
        #expect(id == nil || id == new, "seed \(seed): \(id ?? 0) has become \(new)")
        if id == nil { since = Int64(Date().timeIntervalSince1970 * 1000) }
        (id, names) = (new, [name])
    }
}

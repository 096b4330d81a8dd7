import Foundation
import Platform
import Store
import Testing

@testable import Notifications
@testable import ServedProgram

/// Receivers check webhooks with the library of Standard Webhooks. It vouches for each of ours: one that is tried again, a summary,
/// what a fallback gets, any letters; and for none that somebody has changed on its way, or that was signed for somebody else.
@Test func theStandardsLibraryVouchesForEachWebhook() throws {
    let isBusy = Monitor(true)
    let server = try LoopbackServer { _, connection in
        let status = isBusy.withLock { isBusy in
            defer { isBusy = false }
            return isBusy ? 503 : 200
        }
        say("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n", connection)
    }
    let (refusing, taking) = (try LoopbackServer(status: 410), try LoopbackServer(status: 200))
    let mesh = try ToldMesh()
    let secrets = (1...3).map { "whsec_" + Data([UInt8](repeating: UInt8($0), count: 32)).base64EncodedString() }
    for (index, secret) in secrets.enumerated() { try mesh.file("\(index).secret", secret) }
    func hook(_ server: LoopbackServer, _ secret: Int, _ more: String = "") -> String {
        "kind = webhook\nurl = \(server.url)/h\nsecret-file = \(secret).secret\nallow-local = yes\n\(more)"
    }
    try mesh.file("hook.conf", hook(server, 0))
    try mesh.file("away.conf", hook(refusing, 1, "fallback = other\n"))
    try mesh.file("other.conf", hook(taking, 2))
    try mesh.start()
    // More than twenty at once become a summary.
    try mesh.store.commit { writer in
        for number in 0..<30 {
            let row = FeedRow(
                at: WallClock.milliseconds(), in: nil, type: "mention", title: "Grüße \"\(number)\" \u{1F50B}\n\\",
                body: "vom Berg", needs: [.info], rule: "r")
            try writer.insert(row)
            try writer.insert(Dispatch(to: "hook", at: row.createdAt, row))
        }
    }
    mesh.running.wake()
    try mesh.tell("away", "elsewhere")
    #expect(try mesh.eventually { try mesh.waiting().isEmpty })

    let toHook = server.received
    let last = try #require(toHook.last)
    #expect(toHook.count >= 7 && toHook[0].headers["webhook-id"] == toHook[1].headers["webhook-id"])
    #expect(toHook.contains { $0.text.contains("notification.summary") })
    var lines: [(secret: String, request: LoopbackServer.Received)] = toHook.map { (secrets[0], $0) }
    lines += refusing.received.map { (secrets[1], $0) } + taking.received.map { (secrets[2], $0) }
    let count = lines.count
    // Changed on its way: its text, its id, its time; or signed for another receiver.
    var changed = last
    changed.body = Array(changed.text.replacingOccurrences(of: "Berg", with: "Bern").utf8)
    var renamed = last
    renamed.headers["webhook-id"] = "other"
    var later = last
    later.headers["webhook-timestamp"] = "\(WallClock.milliseconds() / 1000 + 1)"
    lines += [(secrets[0], changed), (secrets[0], renamed), (secrets[0], later), (secrets[2], last)]

    let input = try lines.map { secret, request in
        let webhook: [String: Any] = ["secret": secret, "headers": request.headers, "body": request.text]
        return String(decoding: try JSONSerialization.data(withJSONObject: webhook), as: UTF8.self) + "\n"
    }
    let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"
    let script = (#filePath as NSString).deletingLastPathComponent + "/verify-webhooks.py"
    let library = try Program([python, script], in: Folders(), input: input.joined(), executable: "/usr/bin/env")
    #expect(try library.exitCode() == 0, "set MESH_GATEWAY_TEST_PYTHON as deploy/test does: \(library.errors.text)")
    let words = library.output.text.split(separator: "\n").map(String.init)
    #expect(words == [String](repeating: "good", count: count) + [String](repeating: "refused", count: 4))
}

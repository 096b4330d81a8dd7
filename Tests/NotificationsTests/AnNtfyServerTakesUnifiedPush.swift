import Foundation
import JSON
import Platform
import Testing

@testable import Notifications
@testable import ServedProgram

// A server that plays ntfy as a push service of UnifiedPush (docs.ntfy.sh, "Config: UnifiedPush" and "Publish: UnifiedPush";
// unifiedpush.org, AND_3): it takes what those say, and refuses the rest in its words. Written here by what the documents say,
// nothing was copied.

private final class UnifiedPushServer: Sendable {
    /// Topics that a distributor has subscribed to.
    let subscribed = Monitor<Set<String>>([])
    /// What it has passed on.
    let passedOn = Monitor<[[UInt8]]>([])

    func serve() throws -> LoopbackServer {
        try LoopbackServer { [subscribed, passedOn] request, connection in
            func answer(_ status: Int, _ body: String) {
                say(
                    "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
                    connection)
            }
            func refuse(_ status: Int, _ code: Int, _ text: String) {
                answer(status, #"{"code":\#(code),"http":\#(status),"error":"\#(text)"}"#)
            }
            let word = /POST \/(up[A-Za-z0-9]{12})\?up=1 HTTP\/1\.1/
            guard let topic = request.line.wholeMatch(of: word)?.output.1 else {
                return refuse(404, 40401, "page not found")
            }
            guard request.headers["content-encoding"] == "aes128gcm", (1...4_096).contains(request.body.count) else {
                return refuse(400, 40050, "invalid request: not a message of UnifiedPush")
            }
            guard let time = request.headers["ttl"].flatMap({ Int($0) }), time >= 0 else {
                return refuse(400, 40044, "TTL is missing")
            }
            guard ["very-low", "low", "normal", "high"].contains(request.headers["urgency"] ?? "normal") else {
                return refuse(400, 40045, "urgency")
            }
            guard request.headers["authorization"]?.hasPrefix("vapid t=") == true else {
                return refuse(401, 40101, "unauthorized")
            }
            guard subscribed.withLock({ $0.contains(String(topic)) }) else {
                return refuse(507, 50701, "cannot publish to UnifiedPush topic without previously active subscriber")
            }
            passedOn.withLock { $0.append(request.body) }
            answer(200, #"{"id":"x","time":1,"event":"message","topic":"\#(topic)","encoding":"base64"}"#)
        }
    }
}

@Test func anNtfyServerTakesUnifiedPush() throws {
    let ntfy = UnifiedPushServer()
    let server = try ntfy.serve()
    let passed = Monitor<Int64>(0)
    let (mesh, app) = (try ToldMesh(), ToldBrowser())
    try mesh.start(
        clock: {
            let time = passed.withLock { $0 }
            return SendTime(at: WallClock.milliseconds() + time, uptime: MonotonicClock.milliseconds() + time)
        }, push: .allowing(server))
    let one = try mesh.register(app, at: "\(server.url)/upAbCdEfGhIjKl?up=1")
    try mesh.tell(one.target, "hello")
    #expect(
        try mesh.eventually {
            mesh.running.registrationProgress(one.id)?.row.error?.contains("answered 507 (nobody") == true
        })
    #expect(try mesh.eventually { try mesh.registrations.first?.unheardSince != nil })
    // Somebody subscribes, and it is tried again.
    ntfy.subscribed.withLock { _ = $0.insert("upAbCdEfGhIjKl") }
    passed.withLock { $0 += 60_000 }
    mesh.running.wake()
    #expect(try mesh.eventually { try mesh.waiting().isEmpty })
    #expect(ntfy.passedOn.withLock { $0 }.map { app.open($0)?["title"]?.string } == ["hello"])
    #expect(try mesh.eventually { try mesh.registrations.first?.unheardSince == nil })
    // Nobody does for a week any more.
    ntfy.subscribed.withLock { $0 = [] }
    func attempts() -> Int { mesh.running.registrationProgress(one.id)?.row.attempts ?? 0 }
    for day in 0..<9 {
        let before = attempts()
        try mesh.tell(one.target, "day \(day)", at: WallClock.milliseconds() + passed.withLock { $0 })
        // Its answer is taken before the next day begins, in which the pause that follows would not pass.
        #expect(try mesh.eventually { try attempts() > before || mesh.registrations.isEmpty })
        passed.withLock { $0 += 86_400_000 }
        mesh.running.wake()
    }
    #expect(try mesh.eventually { try mesh.registrations.isEmpty })
}

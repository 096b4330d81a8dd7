import Foundation
import HTTPServer
import Routes
import Synchronization
import Testing

@testable import RestAPI

/// One who follows `GET …/events`, in the process of the test.
final class EventReader {
    /// One block with data.
    struct Told {
        let kind: String
        /// Nil: none of its own.
        let id: String?
        let data: String

        var json: NSDictionary {
            get throws { try #require(try JSONSerialization.jsonObject(with: Data(data.utf8)) as? NSDictionary) }
        }
    }

    let response: Response
    private let body: LiveBody
    /// Bytes of the largest chunk.
    private(set) var largestChunk = 0
    private(set) var chunks = 0
    private(set) var lastID: String?
    private(set) var isOver = false
    private var rest = ""
    /// How often it was brought back.
    let woken = Counter()

    final class Counter: Sendable {
        private let value = Atomic<Int>(0)
        var count: Int { value.load(ordering: .sequentiallyConsistent) }
        func add() { value.add(1, ordering: .sequentiallyConsistent) }
    }

    init(
        _ test: TestGateway, _ target: String = "/api/v1/events", as token: APIToken? = nil, lastEventID: String? = nil,
        peer: Peer = .tcp(address: "127.0.0.1")
    ) throws {
        var headers = [(name: "Authorization", value: "Bearer " + (token ?? test.token).text)]
        if let lastEventID { headers.append((name: "Last-Event-ID", value: lastEventID)) }
        let request = Request(method: "GET", target: target, headers: headers, body: [], peer: peer)
        // Beside others it may be looked for aside.
        response = test.api.respond(request).awaited()
        guard case .live(let body) = response.body else {
            throw NoStream(answer: try Answer(response))
        }
        self.body = body
    }

    struct NoStream: Error { let answer: Answer }

    /// What there is; then it would wait.
    func read() throws -> [Told] {
        reading: while !isOver {
            switch try body.next(resume: { [woken] in woken.add() }) {
            case .bytes(let chunk):
                largestChunk = max(largestChunk, chunk.count)
                chunks += 1
                rest += String(decoding: chunk, as: UTF8.self)
            case .nothing, .pause: break reading
            case .end: isOver = true
            }
        }
        var told: [Told] = []
        while let end = rest.range(of: "\n\n") {
            let block = rest[..<end.lowerBound].split(separator: "\n")
            rest = String(rest[end.upperBound...])
            func field(_ name: String) -> String? {
                block.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
            }
            let id = field("id")
            lastID = id ?? lastID
            if let data = field("data") { told.append(Told(kind: field("event") ?? "message", id: id, data: data)) }
        }
        return told
    }

    /// The events without the first one.
    func news() throws -> [Told] { try read().filter { $0.kind != "start" } }
}

extension TestGateway {
    /// What makes the ids of a token's events.
    func seal(_ token: APIToken? = nil) throws -> EventSeal {
        let asked = (token ?? self.token).text
        let caller = try api.tokens.check(authorization: "Bearer " + asked, now: Self.now)
        return EventSeal(key: try store.read { try $0.eventKey() }, token: caller.token)
    }

    /// The place that an id stands for.
    func place(_ id: String?, of token: APIToken? = nil) throws -> EventPlace {
        let id = try #require(id)
        return try #require(try seal(token).place(id))
    }
}

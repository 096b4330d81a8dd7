import Foundation
import HTTPServer
import Routes
import Store
import Testing

@testable import Notifications
@testable import RestAPI

/// Tokens of different scopes over every GET, the event stream and what is pushed, against marks in everything that can be hidden.
@Suite struct NothingIsShownThatAScopeDoesNotGive {
    private static let tokens: [[String]] = [
        ["traceroute:read"], ["info:read"], ["info:read", "channel_0:viewOnMap"], ["nodes:read"],
        ["nodes:read", "channel_0:viewOnMap"], ["nodes:read", "traceroute:read", "channel_1:viewOnMap"],
        ["messages:read"], ["messages:read", "channel_0:read"],
        ["nodes:read", "messages:read", "channel_1:read"], ["packetmonitor:read"],
        ["packetmonitor:read", "messages:read"], ["packetmonitor:read", "channel_0:read"],
        ["nodes:read", "messages:read", "packetmonitor:read", "channel_database:read"], ["read"],
        ["notifications:read"], ["notifications:read", "info:read"],
        ["notifications:read", "messages:read", "channel_1:read"],
        ["notifications:read", "nodes:read", "channel_0:viewOnMap"],
    ]

    private func isShown(_ mark: MarkedMesh.Mark, in answer: String, at target: String) -> Bool {
        // What was asked for by its name may be said in return.
        !target.contains(mark.text) && answer.contains(mark.text)
    }

    @Test func thereIsSomethingToHide() throws {
        let mesh = try MarkedMesh()
        let token = try mesh.test.token(["admin"])
        let reader = try EventReader(mesh.test, as: token)
        _ = try reader.read()
        for channel in MarkedMesh.channels { try mesh.talk(on: channel) }
        try mesh.talkOverABroker()
        try mesh.talkOverABridge()
        let told = try reader.read().map(\.data).joined(separator: "\n")
        let answers = try mesh.targets.map { (target: $0, answer: try mesh.test.ask("GET", $0, as: token)) }
        // What is asked of the radio: it is away.
        let asked = ["/channels.svg", "/radio/settings"]
        let failed = answers.filter { answer in
            answer.answer.status >= 500 && !asked.contains { answer.target.hasSuffix($0) }
        }
        #expect(failed.isEmpty, "\(failed)")
        #expect(answers.filter { $0.answer.status == 200 }.count > 120)
        let events = mesh.marks.filter { told.contains($0.text) }
        #expect(events.count > mesh.marks.count / 2)
        for mark in mesh.marks {
            let places = answers.filter { isShown(mark, in: $0.answer.text, at: $0.target) }
            #expect(!places.isEmpty, "\(mark) is nowhere")
        }
    }

    @Test(arguments: tokens) func byNoGETAndNoEvent(_ scopes: [String]) throws {
        let mesh = try MarkedMesh()
        let (token, rights) = (try mesh.test.token(scopes), try MarkedMesh.Rights(scopes))
        let reader = try EventReader(mesh.test, as: token)
        let first = try #require(try reader.read().first?.id)
        for channel in MarkedMesh.channels { try mesh.talk(on: channel) }
        try mesh.talkOverABroker()
        try mesh.talkOverABridge()
        let marks = mesh.marks
        for target in mesh.targets {
            let answer = try mesh.test.ask("GET", target, as: token)
            let text = answer.text + (answer.response.headers.map(\.value).joined(separator: "\n"))
            for mark in marks where isShown(mark, in: text, at: target) {
                #expect(mark.isShown(rights, target), "\(target) shows \(mark) to \(scopes)")
            }
        }
        // What comes at once, and what one gets who comes back.
        for told in try reader.read() + EventReader(mesh.test, as: token, lastEventID: first).read() {
            let place = told.kind == "packet" ? "/packets" : "/events"
            for mark in marks where told.data.contains(mark.text) {
                #expect(mark.isShown(rights, place), "\(told.kind) tells \(mark) to \(scopes)")
            }
            guard let id = told.id else { continue }
            #expect(id.utf8.count == 86 && !marks.contains { id.contains($0.text) })
        }
    }

    /// A push has what the token's GETs show, and nothing else.
    @Test(arguments: tokens) func byNoPush(_ scopes: [String]) throws {
        let mesh = try MarkedMesh()
        let (token, rights) = (try mesh.test.token(scopes), try MarkedMesh.Rights(scopes))
        for channel in MarkedMesh.channels { try mesh.talk(on: channel) }
        try mesh.talkOverABroker()
        let shown = try mesh.test.ask("GET", "/api/v1/notifications?after=1&limit=200", as: token)
        let rows = (try? shown.json["notifications"] as? [NSDictionary]) ?? []
        let pushed = try mesh.pushed(to: token)
        #expect(pushed.map(\.row.uuid) == rows.map { $0["id"] as? String })
        #expect(pushed.map(\.row.title) == rows.map { $0["title"] as? String })
        #expect(pushed.map(\.row.body) == rows.map { $0["body"] as? String })
        for mark in mesh.marks {
            for push in pushed where push.body.contains(mark.text) {
                #expect(mark.isShown(rights, "/notifications"), "a push shows \(mark) to \(scopes)")
            }
        }
        guard scopes == ["read"] else { return }
        #expect(mesh.marks.filter { mark in pushed.contains { $0.body.contains(mark.text) } }.count > 8)
    }

    /// What a token may not know of changes nothing that it is answered: no body, no tag, no count, no status.
    @Test(arguments: tokens) func andNothingChangesByIt(_ scopes: [String]) throws {
        let mesh = try MarkedMesh()
        let (token, rights) = (try mesh.test.token(scopes), try MarkedMesh.Rights(scopes))
        for channel in MarkedMesh.channels { try mesh.talk(on: channel) }
        try mesh.talkOverABroker()
        try mesh.talkOverABridge()
        let hidden = MarkedMesh.channels.filter { channel in
            !rights.hears(channel) && !rights.sees(channel) && !(channel >= 0 && rights.reads(.traceroute))
        }
        // Of all channels by MeshMonitor's contract, or new each time.
        let others = ["/telemetry/count", "/ping"]
        let targets = mesh.targets.filter { target in !others.contains { target.hasSuffix($0) } }
        // `network` has the time of its answer.
        func withoutTime(_ answer: Answer) -> String {
            answer.text.replacing(#/"lastUpdated":\d+/#, with: #""lastUpdated":0"#)
        }
        func answers() throws -> [Answer] { try targets.map { try mesh.test.ask("GET", $0, as: token) } }
        let before = try answers()
        for channel in hidden { try mesh.talk(on: channel, round: 1) }
        if !rights.reads(.messages) { try mesh.talkOverABroker(round: 1) }
        if !rights.reads(.messages) || !rights.hears(1) { try mesh.talkOverABridge(round: 1) }
        for (target, (old, new)) in zip(targets, zip(before, try answers())) {
            let (oldText, newText) = (withoutTime(old), withoutTime(new))
            #expect(old.status == new.status && oldText == newText, "\(target) is different for \(scopes)")
            #expect(old.header("ETag") == new.header("ETag"), "\(target) has another tag for \(scopes)")
        }
    }
}

extension MarkedMesh {
    /// What a registration of the token would be sent of the whole feed, oldest first: the rows, and the bodies as they are sealed.
    fileprivate func pushed(to token: APIToken) throws -> [(row: FeedRow, body: String)] {
        let feed = FeedOfTokens(test.gateway)
        return try test.store.read { reader in
            let owner = try #require(try reader.tokens().first { $0.hash == token.hash.bytes })
            return try reader.feed(after: 0, limit: 1_000).compactMap { row in
                var dispatch = Dispatch(to: "push:1", at: row.createdAt, row)
                guard let seen = try feed.seen(dispatch, by: owner.id, reader) else { return nil }
                dispatch.row = seen
                let told = Outgoing(dispatch, in: test.uuid, isShort: false)
                return (seen, String(decoding: PushBody.bytes(of: told), as: UTF8.self))
            }
        }
    }
}

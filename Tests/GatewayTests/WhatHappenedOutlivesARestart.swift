import Foundation
import MeshModel
import MeshProtocol
import RadioLink
import Store
import Testing

@testable import Gateway

/// Links that came and went, problems, restarts, notices and key events are rows; those of keys are there with the node's row.
@Suite struct WhatHappenedOutlivesARestart {
    private func rows(_ test: TestGateway) throws -> [Happening] {
        try test.settle()
        return try test.store.read { try $0.happenings(limit: .max) }
    }

    @Test func aLinkThatCameAndWent() throws {
        let test = try TestGateway()
        let source = try test.source
        let live = try #require(try rows(test).last)
        #expect(live.kind == .link && live.name == "live" && live.source == source && live.at == noon)
        // Which way, and to what.
        #expect(live.text?.contains("firmware ") == true, "\(live)")
        #expect(try test.store.read { try $0.liveLinks() } == [live])
        test.radio.unplug()
        try test.waitForLoss()
        let lost = try #require(try rows(test).last)
        #expect(lost.kind == .link && lost.name == "lost" && lost.text?.isEmpty == false)
        #expect(try test.store.read { try $0.liveLinks() }.isEmpty)
        // They are numbered as they are told.
        let told = test.gateway.conditions.listen(after: 0).nextEvents {}.events.filter { $0.kind == .link }
        #expect(told.contains { $0.sequence == live.sequence } && told.contains { $0.sequence == lost.sequence })
    }

    @Test func problemsRestartsAndNotices() throws {
        let test = try TestGateway()
        let before = try rows(test).count
        let problem = Problem(.packetsWithheld, "wait")
        test.tell(.problem(problem))
        test.tell(.rebooted("its uptime began again"))
        test.tell(
            .received(
                .clientNotification(ClientNotification(replyID: nil, time: 0, level: 30, message: "hot")), raw: []))
        test.tell(.solved(problem))
        let found = try rows(test).dropFirst(before)
        #expect(found.map(\.kind) == [.problem, .restart, .notice, .solved])
        #expect(found.map(\.name) == ["packets-withheld", nil, nil, "packets-withheld"])
        #expect(found.map(\.text) == ["wait", "its uptime began again", "hot", "wait"])
        // What has no number among the conditions is found by no stream.
        #expect(found.map { $0.sequence != nil } == [true, false, false, true])
    }

    @Test func aKeyEventIsInTheTransactionOfItsNode() throws {
        let test = try TestGateway()
        try test.hear(.heard(.nodeInfo, User(longName: "A", publicKey: key(1)).encoded(), id: 6))
        let before = try rows(test).count
        try test.hear(.heard(.nodeInfo, User(longName: "A", publicKey: key(2)).encoded(), id: 7))
        let found = try rows(test).dropFirst(before)
        #expect(found.map(\.kind) == [.key] && found.first?.name == "key-changed" && found.first?.node == alice)
        // One commit has brought both.
        let changes = try test.store.read { try $0.changes(after: 0, kinds: [.node, .happened], limit: 10_000) }.changes
        let row = try #require(found.first)
        let happened = try #require(changes.last { $0.what == .happened(row: row.id) })
        #expect(changes.contains { $0.what == .node(alice) && abs($0.number - happened.number) <= 2 })
        #expect(happened.origin == .live)
    }

    /// The service notes its start and its end, a command's own gateway does not.
    @Test func theServiceItself() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/gateway-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for isService in [false, true, true] {
            let store = try Store(path: folder + "/mesh.db")
            let gateway = try Gateway(store: store, logger: .silent) { delegate in
                RadioLink(
                    address: .connection(name: "none"), connect: { throw PeerRadio.Unplugged() }, delegate: delegate)
            }
            gateway.start(isService: isService)
            gateway.stop()
            store.close()
        }
        let store = try Store(path: folder + "/mesh.db")
        defer { store.close() }
        let found = try store.read { try $0.happenings() }.filter { $0.source == .gateway }
        #expect(found.map(\.kind) == [.started, .stopped, .started, .stopped])
    }

    /// The clock of the run before was ahead: numbers go on, and none is used twice.
    @Test func numbersGoOnAlsoWhenTheClockWasAhead() {
        let future = UInt64(Date(timeIntervalSinceNow: 400 * 86_400).timeIntervalSince1970) << 20 + 17
        let events = LiveEvents(capacity: 64, after: future)
        #expect(events.start > future && events.start % 64 == 0)
        #expect(LiveEvents(after: 5).start > 5)
    }
}

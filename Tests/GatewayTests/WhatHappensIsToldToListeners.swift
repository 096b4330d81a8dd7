import Foundation
import MeshModel
import MeshProtocol
import RadioLink
import Store
import Synchronization
import Testing

@testable import Gateway

extension LiveEvents.Listener {
    /// What has been told by now.
    fileprivate func all() -> [Event] {
        var found: [Event] = []
        while true {
            let (missed, events) = nextEvents(orWake: {})
            #expect(missed == 0)
            if events.isEmpty { return found }
            found += events
        }
    }

    /// Waits for the next events.
    fileprivate func wait() throws -> [Event] {
        let woken = DispatchSemaphore(value: 0)
        while true {
            let events = nextEvents(orWake: { woken.signal() }).events
            if !events.isEmpty { return events }
            try #require(woken.wait(timeout: .now() + 90) == .success, "nothing is told")
        }
    }
}

/// A word for each event.
private func words(_ events: [Event]) -> [String] {
    events.map { event in
        switch event.what {
        case .received(let packet, _): "packet \(packet.id)"
        case .sent(let packet): "sent \(String(decoding: packet.decoded?.payload ?? [], as: UTF8.self))"
        case .message(let id): "message \(id.split(separator: "_").last ?? "")"
        case .delivery(_, let delivery): "\(delivery.state)"
        case .node(let number): "node \(number)"
        case .key(let number, let name, _): "\(name) \(number)"
        case .link(let state): state.name
        case .problem(let problem): "problem \(problem.name)"
        case .solved(let problem): "solved \(problem.name)"
        case .restarted: "restarted"
        case .notice(let text): "notice \(text)"
        case .debugText(let text): "debug \(text)"
        }
    }
}

@Suite struct WhatHappensIsToldToListeners {
    @Test func inTheOrderInWhichItHappens() throws {
        let test = try TestGateway()
        let listener = test.gateway.events.listen()
        try test.hear(.text("hello", id: 5))
        try test.hear(.text("hello", id: 5))
        try test.hear(.heard(.nodeInfo, User(longName: "A", publicKey: key(1)).encoded(), id: 6))
        try test.hear(.heard(.nodeInfo, User(longName: "A", publicKey: key(2)).encoded(), id: 7))
        let told = listener.all()
        // The repetition of the text is a packet, and no second message.
        #expect(
            words(told) == [
                "packet 5", "node \(alice)", "message 5", "packet 5", "packet 6", "packet 7", "key-changed \(alice)",
            ])
        #expect(told.map(\.sequence) == (0..<7).map { told[0].sequence + $0 })
        let source = try test.source
        #expect(told.allSatisfy { $0.time == noon && $0.source == source })
    }

    @Test func aPacketShowsTheFrameThatItCameIn() throws {
        let test = try TestGateway()
        let listener = test.gateway.events.listen()
        let packet = MeshPacket.text("hello", id: 5)
        try test.hear(packet)
        guard case .received(let shown, let raw) = try #require(listener.all().first).what else {
            Issue.record("no packet")
            return
        }
        #expect(shown == packet)
        guard case .packet(let again) = raw.withUnsafeBytes({ FromRadio(decoding: $0) }) else {
            Issue.record("\(raw)")
            return
        }
        #expect(again == packet)
    }

    @Test func aMessageIsThereWhenItIsTold() throws {
        let test = try TestGateway()
        let (listener, source) = (test.gateway.events.listen(), try test.source)
        for id in 1...20 as ClosedRange<PacketID> {
            test.radio.send([.packet(.text("number \(id)", id: id))])
            var found: String?
            while found == nil {
                for case .message(let id) in try listener.wait().map(\.what) { found = id }
            }
            let message = try test.store.read { try $0.message(id: found!, in: source) }
            #expect(message?.packetID == id)
        }
    }

    @Test func theWayOfAnOwnMessageIsTold() throws {
        let test = try TestGateway()
        let listener = test.gateway.events.listen()
        let message = try test.sendAndHand("hello", to: .node(alice))
        try test.settle()
        try test.hear(.queueStatus(QueueStatus(result: 0, free: 15, capacity: 16, packetID: message.packetID)))
        try test.hear(.report(.none, on: message.packetID, from: own))
        try test.hear(.report(.none, on: message.packetID, from: alice))
        let told = listener.all()
        let states = words(told).filter { ["queued", "handed", "accepted", "relayed", "confirmed"].contains($0) }
        #expect(states == ["handed", "accepted", "relayed", "confirmed"])
        #expect(words(told).first == "message \(message.packetID)")
        #expect(words(told).contains("sent hello"))
        let ids = told.compactMap { event -> String? in
            if case .delivery(let id, _) = event.what { id } else { nil }
        }
        #expect(Set(ids) == [message.id])
    }

    @Test func theLinkIsTold() throws {
        let test = try TestGateway(startsLive: false)
        let listener = test.gateway.events.listen(after: 0)
        try test.waitUntilLive()
        let links = words(listener.all()).filter { ["opening", "configuring", "live"].contains($0) }
        #expect(links == ["opening", "configuring", "live"])
        test.stop()
        #expect(words(listener.all()).last == "stopped")
    }

    @Test func debugTextOnlyWhileSomebodyListensToIt() throws {
        let test = try TestGateway()
        let listener = test.gateway.events.listen()
        test.tell(.debugText("nobody cares"))
        #expect(words(listener.all()) == [])
        do {
            let curious = test.gateway.events.listen(wantsDebugText: true)
            test.tell(.debugText("DEBUG | hello"))
            #expect(words(curious.all()) == ["debug DEBUG | hello"])
        }
        _ = listener.all()
        test.tell(.debugText("nobody cares any more"))
        #expect(words(listener.all()) == [])
    }
}

/// Without a gateway: the ring alone.
@Suite struct AListenerThatIsTooSlowIsToldWhatItMissed {
    private let source = SourceID(rawValue: 1)

    private func tell(_ count: Int, _ events: LiveEvents) {
        for number in 0..<count { events.tell(.notice("\(number)"), from: source, at: Int64(number)) }
    }

    @Test func andGoesOnWithTheOldestThatIsLeft() {
        let events = LiveEvents()
        let listener = events.listen()
        let first = events.next
        tell(LiveEvents.capacity + 100, events)
        let (missed, some) = listener.nextEvents(upTo: 10, orWake: {})
        #expect(missed == 100)
        #expect(some.map(\.time) == (100..<110).map { Int64($0) })
        #expect(some.map(\.sequence) == (0..<10).map { first + 100 + $0 })
        // The rest is there, unless more comes meanwhile.
        tell(5, events)
        let (more, rest) = listener.nextEvents(upTo: .max, orWake: {})
        #expect(more == 0 && rest.count == LiveEvents.capacity - 10 + 5)
    }

    @Test func whoComesBackGetsWhatFollowed() {
        let events = LiveEvents()
        tell(20, events)
        let last = events.next - 5
        #expect(events.listen(after: last).nextEvents(orWake: {}).events.map(\.time) == [16, 17, 18, 19])
        // Of an earlier run: everything that is kept of this one.
        let (missed, all) = events.listen(after: 3).nextEvents(orWake: {})
        #expect(missed == 0 && all.count == 20)
        // That was never given: nothing, until something comes.
        let listener = events.listen(after: .max)
        #expect(listener.nextEvents(orWake: {}).events.isEmpty)
        tell(1, events)
        #expect(listener.nextEvents(orWake: {}).events.count == 1)
    }

    @Test func oneIsWokenOnceForEachTimeThatItFoundNothing() {
        let events = LiveEvents()
        let wakes = Atomic<Int>(0)
        var listener: LiveEvents.Listener? = events.listen()
        tell(3, events)
        #expect(wakes.load(ordering: .relaxed) == 0)
        let wake = { @Sendable in _ = wakes.add(1, ordering: .relaxed) }
        #expect(listener?.nextEvents(orWake: wake).events.count == 3)
        tell(3, events)
        #expect(wakes.load(ordering: .relaxed) == 0, "it has not looked since")
        _ = listener?.nextEvents(orWake: wake)
        #expect(listener?.nextEvents(orWake: wake).events.isEmpty == true)
        tell(3, events)
        #expect(wakes.load(ordering: .relaxed) == 1)
        _ = listener?.nextEvents(orWake: wake)
        _ = listener?.nextEvents(orWake: wake)
        listener = nil
        tell(3, events)
        #expect(wakes.load(ordering: .relaxed) == 1)
    }

    @Test func anObserverIsCalledAfterEventsOfItsKinds() {
        let events = LiveEvents()
        let found = Mutex<[UInt64]>([])
        let start = events.next
        events.observe([.link, .problem]) { [weak events] in
            // It can ask what is so now.
            let next = events?.next ?? 0
            found.withLock { $0.append(next - start) }
        }
        tell(2, events)
        events.tell(.link(.live), from: source, at: 0)
        tell(1, events)
        events.tell(.problem(.init(.noRadio, "y")), from: source, at: 0)
        #expect(found.withLock { $0 } == [3, 5])
    }

    @Test func manyTellWhileManyListen() throws {
        let events = LiveEvents()
        let tellers = 4
        let listeners = (0..<4).map { _ in events.listen() }
        let ends = DispatchGroup()
        for _ in 0..<tellers {
            ends.enter()
            Thread.detachNewThread {
                self.tell(2000, events)
                ends.leave()
            }
        }
        let counts = Mutex<[UInt64]>([])
        for listener in listeners {
            ends.enter()
            Thread.detachNewThread {
                var total: UInt64 = 0
                let woken = DispatchSemaphore(value: 0)
                while total < UInt64(tellers) * 2000 {
                    let (missed, some) = listener.nextEvents(orWake: { woken.signal() })
                    total += missed + UInt64(some.count)
                    if some.isEmpty, woken.wait(timeout: .now() + 90) != .success { break }
                }
                counts.withLock { $0.append(total) }
                ends.leave()
            }
        }
        try #require(ends.wait(timeout: .now() + 300) == .success)
        #expect(counts.withLock { $0 } == [UInt64](repeating: 8000, count: 4))
    }
}

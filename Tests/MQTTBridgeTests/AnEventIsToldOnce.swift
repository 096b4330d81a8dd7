import MeshModel
import Testing

@testable import MQTTBridge

/// The queue of what Home Assistant hears, in virtual time.
@Suite struct AnEventIsToldOnce {
    private static let start = FakeHome.start

    private func event(_ change: Int64?, after seconds: Int64 = 0, on device: DeviceID = .gateway) -> EventQueue.Event {
        EventQueue.Event(
            device: device, change: change, at: Self.start + seconds * 1000,
            publication: Publication(topic: "\(change ?? 0)", payload: []))
    }

    private func at(_ seconds: Int64) -> HostTime {
        HostTime(wall: Self.start + seconds * 1000, steady: 1_000 + seconds * 1000)
    }

    @Test func thePlaceMovesBehindWhatIsAcknowledged() {
        var queue = EventQueue(after: 10)
        queue.add(event(12))
        queue.noteSeen(12)
        queue.add(event(15))
        queue.noteSeen(17)
        #expect(queue.place == 11)
        let told = queue.next(20, at: at(1)) { _ in .from(0) }
        #expect(told.map(\.topic) == ["12", "15"] && queue.place == 11)
        // The second one first: the first may still be lost.
        queue.settled(told[1])
        #expect(queue.place == 11)
        queue.settled(told[0])
        #expect(queue.place == 17)
        #expect(queue.next(20, at: at(2)) { _ in .from(0) }.isEmpty)
    }

    @Test func whatIsLostWithTheConnectionIsReadAgain() {
        var queue = EventQueue(after: 10)
        queue.add(event(12))
        queue.add(event(nil))
        queue.noteSeen(12)
        _ = queue.next(1, at: at(1)) { _ in .from(0) }
        queue.ended(at: queue.place)
        #expect(queue.seen == 11 && queue.place == 11)
        // What no change log has is still here.
        #expect(queue.next(20, at: at(2)) { _ in .from(0) }.map(\.topic) == ["0"])
    }

    @Test func yesterdaysIsNotTold() {
        var queue = EventQueue(after: 10)
        for (change, second) in [(11, 0), (12, 1), (13, 100)] as [(Int64, Int64)] {
            queue.add(event(change, after: second))
            queue.noteSeen(change)
        }
        #expect(queue.next(20, at: at(61)) { _ in .from(0) }.map(\.topic) == ["12", "13"])
        // What is dropped holds nothing up.
        #expect(queue.place == 11)
    }

    @Test func aDeviceIsHeardWhenItsConfigurationIsThere() {
        var queue = EventQueue(after: 0)
        let radio = DeviceID.radio("89abcdef")
        queue.add(event(1, on: radio))
        queue.add(event(2))
        queue.add(event(3, on: .node(NodeNumber(7))))
        queue.noteSeen(3)
        func hearing(_ id: DeviceID) -> Hearing { id == .gateway ? .later : id == radio ? .from(5_000) : .never }
        #expect(queue.next(20, at: at(1), hearing: hearing).isEmpty)
        #expect(queue.deadline(hearing: hearing) == 5_000)
        #expect(queue.next(20, at: at(4), hearing: hearing).map(\.topic) == ["1"])
        #expect(queue.deadline(hearing: hearing) == nil)
        #expect(queue.next(20, at: at(5)) { _ in .from(0) }.map(\.topic) == ["2"])
    }

    /// Problems and refusals give way to what comes later; what is in the change log waits there.
    @Test func itsMemoryIsBounded() {
        var queue = EventQueue(after: 0)
        for change in 1...Int64(EventQueue.most) {
            queue.add(event(change.isMultiple(of: 2) ? nil : change))
            queue.noteSeen(change)
        }
        #expect(queue.isFull)
        for _ in 0..<1_000 { queue.add(event(nil)) }
        #expect(queue.next(10_000, at: at(1)) { _ in .from(0) }.count == EventQueue.most)
        #expect(queue.place == 0)
    }
}

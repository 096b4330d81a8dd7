import MeshProtocol
import Testing

@Suite struct AnUnfinishedFrameIsGivenUp {
    static let second: UInt64 = 1_000_000_000
    static let rebooted = bytes("94 c3 00 02 40 01")

    @Test func afterTheTimeoutItIsSearched() {
        var listener = Listener()
        #expect(listener.decoder.deadline == nil)
        listener.feed(bytes("94 c3 00 20") + Self.rebooted, now: 5)
        #expect(listener.heard == [])
        #expect(listener.decoder.deadline == 5 + Self.second)
        listener.expire(now: 4 + Self.second)
        #expect(listener.heard == [])
        listener.expire(now: 5 + Self.second)
        #expect(listener.heard == [.garbage(4), .frame(bytes("40 01"))])
        #expect(listener.decoder.counters.timeouts == 1)
        listener.end()
    }

    @Test func theNextFrameAfterASilenceIsNotItsBody() {
        var listener = Listener()
        listener.feed(bytes("94 c3 00 08"), now: 0)
        listener.expire(now: 2 * Self.second)
        listener.feed(Self.rebooted + Self.rebooted, now: 2 * Self.second)
        #expect(listener.heard == [.garbage(4), .frame(bytes("40 01")), .frame(bytes("40 01"))])
        listener.end()
    }

    @Test func whatComesAfterASilenceIsNotItsRest() {
        var listener = Listener()
        listener.feed(Self.rebooted.dropLast(), now: 0)
        listener.expire(now: Self.second)
        listener.feed([1], now: Self.second)
        #expect(listener.heard == [.garbage(5)])
        listener.end()
        #expect(listener.heard == [.garbage(5), .garbage(1)])
    }

    /// A process that was stopped has heard no silence.
    @Test func whatWasReadLateMayHaveComeInTime() {
        var listener = Listener()
        listener.feed(Self.rebooted.dropLast(), now: 0)
        listener.feed([1], now: 10 * Self.second)
        #expect(listener.heard == [.frame(bytes("40 01"))])
        listener.end()
    }

    /// What can be no frame is not waited for.
    @Test func aMagicByteAloneIsNone() {
        var listener = Listener()
        listener.feed([0x94, 0x41])
        listener.end()
        #expect(listener.heard == [.garbage(2)])
        #expect(listener.decoder.counters.timeouts == 0)
    }

    @Test func slowButSteadyIsNoTimeout() {
        var listener = Listener()
        for (index, byte) in Self.rebooted.enumerated() {
            listener.feed([byte], now: UInt64(index) * (Self.second - 1))
        }
        #expect(listener.heard == [.frame(bytes("40 01"))])
        listener.end()
    }

    @Test func anUnfinishedLineComesOutToo() {
        var listener = Listener()
        listener.feed(Array("INFO  | boot".utf8), now: 0)
        #expect(listener.heard == [])
        listener.expire(now: listener.decoder.deadline ?? 0)
        #expect(listener.heard == [.text("INFO  | boot")])
        #expect(listener.decoder.counters.timeouts == 0, "it was no frame")
        #expect(listener.decoder.deadline == nil)
        listener.end()
    }

    @Test func aLostPortEndsIt() {
        var listener = Listener()
        listener.feed(bytes("94 c3 00 02 40"))
        listener.end()
        listener.feed([1] + Self.rebooted)
        listener.end()
        #expect(listener.heard == [.garbage(5), .garbage(1), .frame(bytes("40 01"))])
    }
}

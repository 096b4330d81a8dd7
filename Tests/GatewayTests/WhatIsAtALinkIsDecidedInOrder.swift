import MeshModel
import RadioLink
import Store
import Testing

@testable import Gateway
// The library of tests has one, too.
@testable import struct Gateway.Attachment

/// The value that says what is at a link, without a gateway.
@Suite struct WhatIsAtALinkIsDecidedInOrder {
    private let outboxes = Outboxes(pace: .radio)
    private let first = SourceID(rawValue: 1)
    private let second = SourceID(rawValue: 2)
    private let radio = Self.snapshot(own, 1)
    private let other = Self.snapshot(bob, 2)

    private static func snapshot(_ number: NodeNumber, _ device: UInt8) -> RadioSnapshot {
        RadioSnapshot(myInfo: MyNodeInfo(number: number, deviceID: [UInt8](repeating: device, count: 16)))
    }

    private func attachment(of source: SourceID) -> Attachment {
        Attachment(outbox: outboxes.of(source), since: noon, session: AttachedSession(isOver: true))
    }

    /// A radio introduces itself, is adopted, and that is on disk.
    private func plug(_ radio: RadioSnapshot, into link: inout Attachment, of source: SourceID) -> AttachedSession {
        let session = AttachedSession()
        _ = link.linkChanged(to: .configuring, at: noon)
        _ = link.introduced(radio, ["\(radio.number.id)"], in: session)
        link.adopted(radio, into: outboxes.of(source))
        let isThere = link.decided(in: session)
        #expect(isThere)
        _ = link.linkChanged(to: .live, at: noon)
        return session
    }

    private func unplug(_ link: inout Attachment) -> Bool {
        link.session.end()
        return link.linkChanged(to: .searching(nil), at: noon + 1)
    }

    @Test func twoLinksExchangeTheirSources() {
        var (a, b) = (attachment(of: first), attachment(of: second))
        _ = plug(radio, into: &a, of: first)
        _ = plug(other, into: &b, of: second)
        let departed = (unplug(&a), unplug(&b), again: unplug(&b))
        #expect(departed == (true, true, again: false))
        // What is at "a" now is another radio than the one of before: nothing is known of its settings.
        let session = AttachedSession()
        _ = a.linkChanged(to: .configuring, at: noon + 2)
        let isOther = a.introduced(other, ["other"], in: session)
        #expect(isOther && a.snapshot == nil && a.source == first && a.present(first) == nil)
        b.exchanged(for: outboxes.of(first))
        a.adopted(other, into: outboxes.of(second))
        let isThere = a.decided(in: session)
        #expect(isThere && a.isAdopted)
        #expect(a.source == second && a.outbox === outboxes.of(second) && a.present(second)?.number == bob)
        #expect(b.source == first && b.outbox === outboxes.of(first) && b.snapshot == nil && b.present(first) == nil)
    }

    @Test func oneRadioIsAtTwoLinks() {
        var b = attachment(of: second)
        let session = AttachedSession()
        _ = b.linkChanged(to: .configuring, at: noon)
        let isOther = b.introduced(radio, ["twin"], in: session)
        b.refused(for: "a")
        let isThere = b.decided(in: session)
        #expect(!isOther && isThere)
        #expect(b.holder == "a" && !b.isAdopted && b.source == second && b.present(second) == nil)
        // When it is adopted later, nobody holds it.
        _ = unplug(&b)
        _ = plug(radio, into: &b, of: first)
        #expect(b.holder == nil && b.isAdopted)
    }

    @Test func aDepartureEndsAnAdoptionThatIsUnderWay() {
        var a = attachment(of: first)
        let session = AttachedSession()
        _ = a.linkChanged(to: .configuring, at: noon)
        _ = a.introduced(radio, ["radio"], in: session)
        let hasDeparted = unplug(&a)
        a.adopted(radio, into: outboxes.of(first))
        let isThere = a.decided(in: session)
        #expect(hasDeparted && !isThere)
        #expect(!a.isAdopted && !a.takesPackets(of: first) && a.since == noon + 1)
        #expect(a.snapshot == radio)
    }

    @Test func theEarlierOfTwoAdoptionsEndsLater() {
        var a = attachment(of: first)
        let (earlier, later) = (AttachedSession(), AttachedSession())
        _ = a.linkChanged(to: .configuring, at: noon)
        _ = a.introduced(radio, ["radio"], in: earlier)
        earlier.end()
        _ = a.introduced(radio, ["radio"], in: later)
        a.adopted(radio, into: outboxes.of(first))
        var found: [Bool] = []
        for session in [earlier, later, earlier] { found += [a.decided(in: session), a.isAdopted] }
        #expect(found == [false, false, true, true, false, true])
    }

    @Test func itsGateOpensForTheSessionThatIsThereAlone() {
        let (outbox, session) = (outboxes.of(first), AttachedSession())
        outbox.load([], for: radio, in: session, at: 0)
        #expect(!outbox.isFree(for: .textMessage, besides: 0, at: 0, in: session))
        outbox.open(for: radio, in: session)
        #expect(outbox.isFree(for: .textMessage, besides: 0, at: 0, in: session))
        #expect(!outbox.isFree(for: .textMessage, besides: 0, at: 0, in: AttachedSession()))
        // An adoption that ends behind the departure opens nothing.
        session.end()
        #expect(outbox.end(session).isEmpty)
        outbox.open(for: radio, in: session)
        outbox.load([], for: radio, in: session, at: 0)
        #expect(!outbox.isFree(for: .textMessage, besides: 0, at: 0, in: session))
        // Nor does one that is over close what another link has opened.
        let next = AttachedSession()
        outbox.open(for: radio, in: next)
        _ = outbox.end(session)
        #expect(outbox.isFree(for: .textMessage, besides: 0, at: 0, in: next))
    }
}

import MeshModel
import Store
import Testing

@testable import Gateway

@Suite struct SeveralRadiosHaveASourceEach {
    @Test func alsoBeforeAnyRadio() throws {
        let test = try SeveralRadios(["a": nil, "b": nil])
        let sources = try test.sources.map(\.source)
        #expect(sources.map(\.name) == ["Default", "Radio 2"])
        #expect(sources.map(\.device) == ["a", "b"])
        #expect(sources.allSatisfy { $0.isEnabled && $0.deviceID == nil })
        #expect(Set(sources.map(\.uuid)).count == 2)
        for link in ["a", "b"] {
            let status = try test.status(link)
            #expect(!status.isConnected && status.device == link)
        }
        #expect(throws: SendRefusal.notConnected) { try test.send("to nobody", to: try test.source("b")) }

        test.stop()
        let again = try SeveralRadios(["a": nil, "b": nil], folder: test.folder)
        #expect(try again.sources.map(\.source) == sources)
    }

    @Test func whatEachHearsAndSendsIsItsOwn() throws {
        let test = try SeveralRadios(["a": SeveralRadios.first, "b": SeveralRadios.second])
        let (a, b) = (try test.source("a"), try test.source("b"))
        #expect(try test.sources.map(\.source.nodeNumber) == [own, bob])
        // One packet, heard by both, and one that only one hears.
        try test.hear("to everybody", id: 1, at: "a")
        try test.hear("to everybody", id: 1, at: "b")
        try test.hear("nearby", id: 2, at: "b")
        #expect(try test.texts(a) == ["to everybody"])
        #expect(try test.texts(b) == ["to everybody", "nearby"])
        #expect(try test.send("from a", to: a).from == own)
        #expect(try test.send("from b", to: b).from == bob)
        #expect(test.given("a", count: 1) == ["from a"])
        #expect(test.given("b", count: 1) == ["from b"])
        #expect(try test.texts(a) == ["to everybody", "from a"])
    }

    @Test func oneThatIsUnpluggedLeavesTheOtherAlone() throws {
        let test = try SeveralRadios(["a": SeveralRadios.first, "b": SeveralRadios.second])
        let (a, b) = (try test.source("a"), try test.source("b"))
        try test.unplug("a")
        #expect(!test.gateway.status(of: a).isConnected)
        #expect(test.gateway.status(of: b).isConnected)
        #expect(throws: SendRefusal.notConnected) { try test.send("into the void", to: a) }
        _ = try test.send("from b", to: b)
        #expect(test.given("b", count: 1) == ["from b"])
        // What waits for the one that is away can be taken back.
        #expect(try test.gateway.deleteMessages(with: alice, in: a) == 0)
        try test.plug(SeveralRadios.first, at: "a", times: 2)
        #expect(try test.source("a") == a)
        #expect(test.radio("a").received.isEmpty)
    }

    /// Whatever the port: also the texts that wait for it go where the radio is now.
    @Test func aRadioKeepsItsSourceWhereverItIsPluggedIn() throws {
        let test = try SeveralRadios(["a": SeveralRadios.first, "b": SeveralRadios.second])
        let (first, second) = (try test.source("a"), try test.source("b"))
        let before = try test.sources.map(\.source)
        try test.hear("to the first", id: 1, at: "a")
        try test.hear("to the second", id: 2, at: "b")
        test.radio("a").ignorePackets()
        let waiting = try test.send("waits", to: first)
        #expect(test.given("a", count: 1) == ["waits"])
        try test.unplug("a")
        try test.unplug("b")
        try test.plug(SeveralRadios.second, at: "a", times: 2)
        // The links have exchanged their sources, although one radio is still away.
        #expect(try test.source("a") == second)
        #expect(try test.source("b") == first)
        #expect(!test.gateway.status(of: first).isConnected)
        #expect(test.gateway.status(of: first).device == "b")
        #expect(test.gateway.status(of: second).device == "a")
        let later = OutgoingText(parts: ["waits, too"], destination: .channel(0), waits: true)
        _ = try test.gateway.send(later, by: .cli, to: first)
        try test.plug(SeveralRadios.first, at: "b", times: 2)
        #expect(test.given("b", count: 2) == ["waits", "waits, too"])
        #expect(test.radio("b").received.first?.id == waiting.packetID)

        try test.hear("to the first again", id: 3, at: "b")
        #expect(try test.texts(first) == ["to the first", "waits", "waits, too", "to the first again"])
        #expect(try test.texts(second) == ["to the second"])
        _ = try test.send("from the second", to: second)
        #expect(test.given("a", count: 2) == ["waits", "from the second"])
        let after = try test.sources.map(\.source)
        #expect(after.map(\.uuid) == before.map(\.uuid) && after.map(\.name) == before.map(\.name))
        #expect(after.map(\.deviceID) == before.map(\.deviceID))
        #expect(after.map(\.device) == ["b", "a"])
    }

    @Test func alsoWhenThatIsFoundAtTheNextStart() throws {
        let before = try SeveralRadios(["a": SeveralRadios.first, "b": SeveralRadios.second])
        let (first, second) = (try before.uuid("a"), try before.uuid("b"))
        before.stop()
        let after = try SeveralRadios(["a": SeveralRadios.second, "b": SeveralRadios.first], folder: before.folder)
        #expect(try after.sources.count == 2)
        #expect(try after.uuid("a") == second)
        #expect(try after.uuid("b") == first)
        after.stop()
        // While the radios are away, each link shows what it fed last.
        let away = try SeveralRadios(["b": nil, "a": nil], folder: before.folder)
        #expect(try away.uuid("a") == second)
        #expect(try away.uuid("b") == first)
    }

    /// Another device was added, and the kernel has exchanged the names of the ports.
    @Test func aSecondRadioDoesNotTakeTheFirstOnesSource() throws {
        let alone = try SeveralRadios(["a": SeveralRadios.first])
        let uuid = try alone.uuid("a")
        alone.stop()
        let both = try SeveralRadios(["a": nil, "b": nil], folder: alone.folder)
        #expect(try both.uuid("a") == uuid)
        try both.plug(SeveralRadios.second, at: "a", times: 1)
        try both.plug(SeveralRadios.first, at: "b", times: 1)
        #expect(try both.uuid("b") == uuid)
        #expect(try both.sources.map(\.source.isEnabled) == [true, true])
        #expect(try both.sources.map(\.source.name) == ["Default", "Radio 2"])
    }

    @Test func anotherRadioInItsPlaceDisablesASourceUntilItsRadioIsBack() throws {
        let test = try SeveralRadios(["a": SeveralRadios.first, "b": SeveralRadios.second])
        let (first, second) = (try test.source("a"), try test.source("b"))
        try test.hear("to the first", id: 1, at: "a")
        try test.unplug("a")
        try test.plug({ ($0.number, $0.deviceID) = (carol, [UInt8](repeating: 7, count: 16)) }, at: "a", times: 2)
        #expect(try test.sources.map(\.source.isEnabled) == [false, true, true])
        #expect(try test.sources.map(\.source.name) == ["Default", "Radio 2", "Radio 3"])
        // Its history can be read, and changed.
        #expect(try test.texts(first) == ["to the first"])
        #expect(!test.gateway.status(of: first).isConnected)
        #expect(test.gateway.status(of: first).device == nil)
        // Nobody is there who could hand it on.
        let text = OutgoingText(parts: ["for ever"], destination: .channel(0), waits: true)
        #expect(throws: SendRefusal.notConnected) { try test.gateway.send(text, by: .cli, to: first) }
        #expect(try test.gateway.deleteMessages(with: alice, in: first) == 1)

        try test.unplug("b")
        try test.plug(SeveralRadios.first, at: "b", times: 2)
        #expect(try test.source("b") == first)
        #expect(try test.sources.map(\.source.isEnabled) == [true, false, true])
        #expect(test.gateway.status(of: first).isConnected)
        #expect(!test.gateway.status(of: second).isConnected)
    }

    @Test func aLinkThatIsNoLongerSetHasItsSourceDisabled() throws {
        let both = try SeveralRadios(["a": SeveralRadios.first, "b": SeveralRadios.second])
        let uuids = try [both.uuid("a"), both.uuid("b")]
        both.stop()
        let one = try SeveralRadios(["b": nil], folder: both.folder)
        #expect(try one.sources.map(\.source.isEnabled) == [false, true])
        #expect(try one.uuid("b") == uuids[1])
        one.stop()
        // Set again, it is the same.
        let again = try SeveralRadios(["b": nil, "a": nil], folder: both.folder)
        #expect(try [again.uuid("a"), again.uuid("b")] == uuids)
        #expect(try again.sources.count == 2)
        again.stop()
        // A setting that is written anew is for the radio that has none now.
        let renamed = try SeveralRadios(["c": nil, "b": nil], folder: both.folder)
        #expect(try [renamed.uuid("c"), renamed.uuid("b")] == uuids)
    }

    /// On one link they followed one another under its name.
    @Test func twoThatAreThereTogetherDoNotShareAName() throws {
        let alone = try SeveralRadios(["a": SeveralRadios.first])
        try alone.unplug("a")
        try alone.plug(SeveralRadios.second, at: "a", times: 2)
        #expect(try alone.sources.map(\.source.name) == ["Default", "Default"])
        #expect(try alone.sources.map(\.source.isEnabled) == [false, true])
        alone.stop()
        let both = try SeveralRadios(["a": SeveralRadios.second, "b": SeveralRadios.first], folder: alone.folder)
        let enabled = try both.sources.map(\.source).filter(\.isEnabled)
        #expect(enabled.map(\.nodeNumber) == [own, bob])
        #expect(Set(enabled.map(\.name)).count == 2)
    }
}

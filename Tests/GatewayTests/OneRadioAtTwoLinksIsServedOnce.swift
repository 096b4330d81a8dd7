import MeshModel
import RadioLink
import Store
import Testing

@testable import Gateway

@Suite struct OneRadioAtTwoLinksIsServedOnce {
    /// By USB at "a", and in the network at "b".
    @Test func theLinkThatHadItFirstKeepsIt() throws {
        let test = try SeveralRadios(["a": SeveralRadios.first, "b": nil])
        let (a, b) = (try test.source("a"), try test.source("b"))
        let twin: @Sendable (inout PeerRadio.Identity) -> Void = {
            SeveralRadios.first(&$0)
            $0.early = [.packet(.text("over b", from: alice, id: 1))]
        }
        try test.plugTwin(twin, at: "b", times: 1)
        let status = try test.status("b")
        #expect(!status.isConnected && !status.isResponsive)
        #expect(status.link.problem?.name == "same-radio")
        #expect(status.link.problem?.advice.contains("at b is the one that is served at a") == true)
        #expect(try test.source("a") == a)
        #expect(test.gateway.status(of: a).isConnected)

        // The second link has nothing of what it heard, and the radio is left alone there.
        try test.hear("over a", id: 2, at: "a")
        #expect(try test.texts(a) == ["over a"] && test.texts(b) == [])
        #expect(try test.store.read { try $0.counts(in: b).nodes } == 0)
        #expect(throws: SendRefusal.notConnected) { try test.send("twice", to: b) }
        _ = try test.send("once", to: a)
        #expect(test.given("a", count: 1) == ["once"])
        #expect(test.radio("b").received.isEmpty)
        #expect(test.radio("b").waitUntilLeft())
    }

    @Test func theOtherTakesOverWhenItLosesTheRadio() throws {
        let test = try SeveralRadios(["a": SeveralRadios.first, "b": nil])
        let source = try test.source("a")
        try test.plugTwin(SeveralRadios.first, at: "b", times: 1)
        try test.unplug("a")
        try test.waitUntilAdopted("b")
        #expect(try test.source("b") == source)
        #expect(test.gateway.status(of: source).isConnected)
        #expect(try test.status("a").link.problem?.name != "same-radio")
        try test.hear("over b", id: 1, at: "b")
        #expect(try test.texts(source) == ["over b"])
        _ = try test.send("through b", to: source)
        #expect(test.given("b", count: 1) == ["through b"])

        try test.plugTwin(SeveralRadios.first, at: "a", times: 2)
        #expect(try test.status("a").link.problem?.name == "same-radio")
        #expect(try test.source("b") == source)
        // The link is not to blame: another radio there is welcome.
        test.radio("a").become(SeveralRadios.second)
        try test.unplug("b", times: 2)
        try test.waitUntilAdopted("a")
        try test.hear("to the second", id: 2, at: "a")
        #expect(try test.texts(try test.source("a")) == ["to the second"])
        #expect(try test.texts(source) == ["over b", "through b"])
        #expect(try test.sources.map(\.source.isEnabled) == [true, true])
    }

    @Test func alsoWhenBothMeetItAtTheFirstStart() throws {
        let test = try SeveralRadios(["a": nil, "b": nil])
        for link in ["a", "b"] { test.radio(link).replug(SeveralRadios.first) }
        let winner = try test.waitUntilOneIsAdopted()
        let other = winner == "a" ? "b" : "a"
        try test.waitForLoss(other, times: 1)
        #expect(try test.sources.map { $0.source.deviceID != nil } == [winner == "a", winner == "b"])
        #expect(try test.status(other).link.problem?.name == "same-radio")
        #expect(try test.status(winner).isConnected)
    }

    /// What is told over one link, what over another: whether that is one radio.
    @Test(arguments: [
        (["device:01", "usb:S", "node:!1"], ["device:01", "node:!1"], true),
        (["device:01", "node:!1"], ["device:02", "node:!1"], false),
        (["usb:S", "node:!1"], ["node:!1"], true), (["usb:S", "node:!1"], ["usb:T", "node:!1"], false),
        (["device:01", "usb:S", "node:!1"], ["usb:S", "node:!2"], true), (["node:!1"], ["node:!2"], false),
    ]) func theMostTrustedThatBothTellDecides(one: [String], another: [String], isOne: Bool) {
        #expect(Source.isOneRadio(one, another) == isOne)
        #expect(Source.isOneRadio(another, one) == isOne)
    }

    /// Without a device id: by USB it shows a serial number, in the network its node number alone.
    @Test func aRadioWithoutADeviceIDIsKnownInTheNetworkByItsNumber() throws {
        let test = try SeveralRadios(["a": nil, "b": nil])
        func adopt(_ identities: [String], on device: String) throws -> SourceID? {
            let adoption = try test.store.commit { writer in
                try adoptSource(identities: identities, on: device, isAlsoAt: { _ in false }, at: noon, writer) {
                    $0.nodeNumber = own
                }
            }
            guard case .adopted(let source, _) = adoption else { return nil }
            return source
        }
        let byUSB = try adopt(["usb:S", "node:" + own.id], on: "a")
        #expect(try adopt(["node:" + own.id], on: "b") == byUSB)
        #expect(try test.sources.map(\.source.deviceID) == ["usb:S", nil])
        #expect(try adopt(["usb:S", "node:" + own.id], on: "a") == byUSB)
        // With newer firmware it has one.
        #expect(try adopt(["device:01", "usb:S", "node:" + own.id], on: "a") == byUSB)
        #expect(try test.sources.map(\.source.deviceID) == ["device:01", nil])
        #expect(try adopt(["node:" + carol.id], on: "b") != byUSB)
    }
}

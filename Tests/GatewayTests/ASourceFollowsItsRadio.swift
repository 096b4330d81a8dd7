import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

@Suite struct ASourceFollowsItsRadio {
    @Test func thereIsOneBeforeAnyRadio() throws {
        let test = try TestGateway(startsLive: false)
        let source = try #require(try test.sources.first).1
        #expect(try test.sources.count == 1)
        #expect(source.isEnabled && source.name == "Default" && source.createdAt == noon)
        #expect(source.uuid.count == 36)
    }

    @Test func theFirstRadioAdoptsIt() throws {
        let before = try TestGateway(startsLive: false)
        let uuid = try before.sources[0].1.uuid
        try before.waitUntilLive()
        let source = try before.sources[0].1
        #expect(try before.sources.count == 1)
        #expect(source.uuid == uuid)
        #expect(source.deviceID == "device:0102030405060708090a0b0c0d0e0f10")
        #expect(source.nodeNumber == own)
        #expect(source.firmwareVersion == "2.7.26.54e0d8d")
        #expect(source.lora?.region == 3)
        #expect(try before.node(own)?.firmwareVersion == "2.7.26.54e0d8d")
        before.stop()
        // The next start finds the same.
        let after = try TestGateway(folder: before.folder)
        #expect(try after.sources.map(\.1.uuid) == [uuid])
    }

    private func exchange(_ test: TestGateway, times: Int, _ change: (inout PeerRadio.Identity) -> Void) throws {
        test.radio.unplug()
        test.radio.replug(change)
        try test.waitUntilLive(count: times)
    }

    @Test func anotherRadioIsAnotherSourceAndTheOldOneCanComeBack() throws {
        let test = try TestGateway()
        try test.hear(.text("to the first", id: 1))
        try exchange(test, times: 2) {
            $0.number = bob
            $0.deviceID = [UInt8](repeating: 9, count: 16)
        }
        try test.hear(.text("to the second", id: 2))
        #expect(try test.sources.map(\.1.isEnabled) == [false, true])
        #expect(try test.sources.map(\.1.nodeNumber) == [own, bob])
        #expect(try test.messages().map(\.text) == ["to the second"])

        try exchange(test, times: 3) {
            $0.number = own
            $0.deviceID = [UInt8](1...16)
        }
        try test.hear(.text("to the first again", id: 3))
        #expect(try test.sources.map(\.1.isEnabled) == [true, false])
        #expect(try test.messages().map(\.text) == ["to the first", "to the first again"])
    }

    @Test func aNewNumberIsTheSameRadio() throws {
        let test = try TestGateway()
        try test.hear(.text("before", id: 1))
        try exchange(test, times: 2) { $0.number = carol }
        try test.hear(.text("after", id: 2))
        #expect(try test.sources.map(\.1.nodeNumber) == [carol])
        #expect(try test.messages().map(\.text) == ["before", "after"])
        #expect(try test.send("now").from == carol)
    }

    @Test func aRadioWithoutAnIDIsKnownByItsNumber() throws {
        let test = try TestGateway(radio: withoutID(), startsLive: false)
        try test.waitUntilLive()
        #expect(try test.sources.map(\.1.deviceID) == ["node:" + own.id])
        try exchange(test, times: 2) { $0.number = carol }
        #expect(try test.sources.map(\.1.deviceID) == ["node:" + own.id, "node:" + carol.id])
    }

    private func withoutID() -> PeerRadio {
        let radio = PeerRadio()
        radio.become { $0.deviceID = [] }
        return radio
    }

    /// device id, USB serial -> identities in order of trust
    @Test func theMostTrustedIdentityCountsFirst() {
        let none = [UInt8](repeating: 0, count: 16)
        #expect(
            Source.identities(deviceID: [0xAB, 1], usbSerial: "S1", number: own)
                == ["device:ab01", "usb:S1", "node:!12345678"])
        #expect(Source.identities(deviceID: none, usbSerial: "S1", number: own) == ["usb:S1", "node:!12345678"])
        #expect(Source.identities(deviceID: [], usbSerial: "", number: own) == ["node:!12345678"])
    }

    /// Packets come with the settings, before the disk knows whose they are.
    @Test func whatComesWithTheSettingsLandsInTheNewSource() throws {
        let test = try TestGateway()
        try exchange(test, times: 2) {
            $0.number = bob
            $0.deviceID = [UInt8](repeating: 9, count: 16)
            $0.early = [.packet(.text("early", from: alice, id: 1))]
        }
        try test.hear([])
        let (old, new) = (try test.sources[0].0, try test.sources[1].0)
        #expect(try test.store.read { try $0.messages(MessageQuery(source: old)) }.isEmpty)
        #expect(try test.store.read { try $0.messages(MessageQuery(source: new)) }.map(\.text) == ["early"])
    }
}

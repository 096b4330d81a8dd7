import MeshModel
import MeshProtocol
import RadioLink
import Store
import Testing

@testable import Gateway

@Suite struct ATextIsRefusedWhenItCannotGo {
    @Test func withoutARadio() throws {
        let radio = PeerRadio()
        radio.unplug()
        let test = try TestGateway(radio: radio, startsLive: false)
        #expect(throws: SendRefusal.notConnected) { try test.send("x") }
        radio.replug()
        try test.waitUntilLive()
        _ = try test.sendAndHand("now")
        radio.unplug()
        try test.waitForLoss()
        #expect(throws: SendRefusal.notConnected) { try test.send("x") }
        #expect(try test.messages().map(\.text) == ["now"])
    }

    @Test func toASourceWithoutItsRadio() throws {
        let test = try TestGateway()
        let other = SourceID(rawValue: 99)
        #expect(throws: SendRefusal.notConnected) {
            try test.gateway.send(OutgoingText(parts: ["x"], destination: .channel(0)), by: .cli, to: other)
        }
        #expect(test.gateway.status(of: other).isConnected == false)
    }

    @Test func withTheTransmitterOff() throws {
        let radio = PeerRadio()
        radio.become { $0.lora?.txEnabled = false }
        let test = try TestGateway(radio: radio)
        #expect(throws: SendRefusal.transmitDisabled) { try test.send("x") }
        #expect(test.gateway.status(of: try test.source).txDisabled)
        #expect(try test.messages().isEmpty)
        #expect(try test.outbox().isEmpty)
    }

    @Test func notWhenTheNetworkCarriesIt() throws {
        let radio = PeerRadio()
        radio.become {
            $0.lora?.txEnabled = false
            $0.networkProtocols = 1
        }
        let test = try TestGateway(radio: radio)
        _ = try test.sendAndHand("over UDP")
    }
}

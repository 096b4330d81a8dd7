import MeshModel
import MeshProtocol
import Testing

@testable import RadioLink

/// A later firmware sends parts that this program does not know. Whoever is given the handshake may know them.
@Suite struct UnknownPartsOfAHandshakeKeepTheirPlace {
    private func add(_ raw: [UInt8], to handshake: inout ReceivedHandshake) -> Bool {
        guard let message = raw.withUnsafeBytes({ FromRadio(decoding: $0) }) else { return false }
        return handshake.add(message, raw: raw)
    }

    @Test func theyStandBehindWhatTheyCameBehind() {
        let myInfo = FromRadio.myInfo(MyNodeInfo(number: NodeNumber(77))).encoded()
        let metadata = FromRadio.metadata(DeviceMetadata(firmwareVersion: "2.9.0.abcdef0")).encoded()
        let channel = FromRadio.channel(Channel(index: 0, role: .primary, psk: [1])).encoded()
        // Fields 40 and 41 of FromRadio.
        let (first, second): ([UInt8], [UInt8]) = ([0xc2, 2, 1, 7], [0xc8, 2, 5])
        var handshake = ReceivedHandshake()
        for _ in 0..<2 {
            for raw in [myInfo, first, metadata, second, channel] { #expect(add(raw, to: &handshake)) }
        }
        #expect(handshake.frames == [myInfo, first, metadata, second, channel])
        #expect(handshake.missing.count == 18, "they make up for nothing")
        // Nothing at all is no part, and who makes up thousands is not believed.
        #expect(!add([], to: &handshake))
        for number in 0..<200 { _ = add([0xc2, 2, 1, UInt8(number)], to: &handshake) }
        #expect(handshake.frames.count == 3 + 32)
    }
}

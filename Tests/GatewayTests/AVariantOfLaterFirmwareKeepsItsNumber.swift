import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

/// What a later firmware says beyond this program's schema is passed on under its field number.
@Suite struct AVariantOfLaterFirmwareKeepsItsNumber {
    /// The payload of a FromRadio frame; the number under which it is told.
    private static let frames: [([UInt8], UInt32?)] = [
        ([0xb2, 1, 1, 0], 22),
        // Behind FromRadio.id.
        ([0x08, 7, 0xb2, 1, 1, 0], 22),
        ([0xfa, 0xff, 3, 0], 8191),
        // xmodem_packet, which is only passed on.
        ([0x08, 7, 0x62, 0], 12),
        // An id alone, and nothing at all.
        ([0x08, 7], nil), ([], nil),
    ]

    @Test(arguments: frames) func aVariant(_ raw: [UInt8], _ number: UInt32?) throws {
        let test = try TestGateway()
        let listener = test.gateway.frames(of: try test.source, kinds: [.other]) {}
        let message = try #require(raw.withUnsafeBytes { FromRadio(decoding: $0) })
        test.tell(.received(message, raw: raw))
        let frames = listener.take().frames
        #expect(frames.map(\.raw) == (number == nil ? [] : [raw]))
        let numbers = frames.map { frame -> UInt32? in if case .other(let number) = frame.value { number } else { nil }
        }
        #expect(numbers == (number == nil ? [] : [number]))
    }
}

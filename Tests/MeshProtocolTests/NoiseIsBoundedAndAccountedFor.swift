import MeshModel
import MeshProtocol
import Testing

@Suite struct NoiseIsBoundedAndAccountedFor {
    /// Bytes as likely to confuse: magic, small lengths, line ends, letters, frames.
    static func noise(_ count: Int, _ random: inout Seeded) -> [UInt8] {
        let pieces: [[UInt8]] = [
            [0x94], [0xC3], [0x94, 0xC3], [0x94, 0xC3, 0, 2], [0x94, 0xC3, 2, 0], [0x94, 0xC3, 2, 1], [0], [0x0A],
            [0x0D, 0x0A], [0x1B, 0x5B], Array("INFO".utf8), bytes("94 c3 00 02 40 01"), [0x08],
        ]
        var bytes: [UInt8] = []
        while bytes.count < count {
            if Int.random(in: 0..<4, using: &random) == 0 {
                bytes.append(UInt8.random(in: 0...255, using: &random))
            } else {
                bytes += pieces.randomElement(using: &random)!
            }
        }
        return bytes
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>) func chunkingChangesNothing(seed: UInt64) {
        var random = Seeded(seed)
        let noise = Self.noise(20_000, &random)
        let whole = listen(to: noise) { noise.count }
        #expect(whole.decoder.counters.frames > 50)
        for size in [1, 3, 64, 515, 516, 517, 4096] {
            #expect(listen(to: noise) { size }.heard == whole.heard)
        }
        let ragged = listen(to: noise) { Int.random(in: 1...700, using: &random) }
        #expect(ragged.heard == whole.heard)
    }

    /// The worst there is: every second byte begins a candidate, and each one must be looked at.
    @Test(arguments: ["94c3", "94", "94c30002", "94c3 01f0 94c3 01ef 94c3 01ee"]) func rescanningStaysLinear(
        _ hex: String
    ) {
        var attempts = 0
        var decoder = StreamDecoder<FromRadio> { _ in
            attempts += 1
            return nil
        }
        let pattern = bytes(hex)
        let stream = Array(repeatElement(pattern, count: 60_000 / pattern.count).joined())
        stream.withUnsafeBytes { decoder.feed($0, now: 0) { _ in } }
        decoder.reset { _ in }
        #expect(attempts <= stream.count / 4 + 1)
        #expect(decoder.counters.garbageBytes + decoder.counters.textBytes == UInt64(stream.count))
    }

    /// Log text cuts a frame with secrets: none of it may be shown as text, not even the parts that are printable.
    @Test func secretsOfADamagedFrameAreNotShown() {
        let password = "correct horse battery staple"
        // config { network { wifi_enabled, wifi_psk, enabled_protocols } }
        let network = bytes("08 01 22 1c") + Array(password.utf8) + bytes("50 01")
        let payload = [0x2A, UInt8(network.count + 2), 0x22, UInt8(network.count)] + network
        let frame = StreamFrame.encode(payload)
        #expect(fromRadio(payload) == .config(.network(enabledProtocols: 1)))
        let log = Array("\u{1B}[34mDEBUG \u{1B}[0m| packet\r\n".utf8)
        for cut in 5..<frame.count {
            let stream = frame[..<cut] + log + frame[cut...] + bytes("94 c3 00 02 40 01")
            let heard = listen(to: Array(stream)) { 64 }.heard
            #expect(heard.last == .frame(bytes("40 01")))
            for case .text(let line) in heard {
                // Where the log fell into the password, the frame may decode, and end within the log.
                #expect("[34mDEBUG | packet".hasSuffix(line) || line == "DEBUG | packet", "cut at \(cut)")
            }
        }
    }
}

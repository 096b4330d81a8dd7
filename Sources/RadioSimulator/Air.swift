import MeshModel
import MeshProtocol

/// How long things take on the air, by the modem that the radio is set to (SerialReference 6.3).
extension Radio {
    var modem: ModemPreset.Modem {
        let lora = section(6, of: settings.config(6))
        guard varintField(1, in: lora) == 0 else {
            return ModemPreset(rawValue: UInt32(clamping: varintField(2, in: lora))).modem
        }
        // Of the odd bandwidths only the whole kHz are written.
        let kiloHertz = Double(varintField(3, in: lora))
        let bandwidth = [15: 15.625, 31: 31.25, 62: 62.5][kiloHertz] ?? max(kiloHertz, 15.625)
        return ModemPreset.Modem(
            spreadingFactor: Int(min(max(varintField(4, in: lora), 7), 12)), bandwidth: bandwidth,
            codingRate: Int(min(max(varintField(5, in: lora), 5), 8)))
    }

    /// Seconds on the air of a payload with what is around it: 16 bytes of header, 7 of Data.
    func airtime(payload bytes: Int) -> Double { modem.airtime(bytes: min(bytes + 23, 255)) }

    /// Until a packet of so many bytes has been sent three times and nobody has said a word.
    func patience(payload bytes: Int) -> Double { 3 * modem.retransmissionInterval(bytes: min(bytes + 23, 255)) }

    /// How much slower than LongFast others answer.
    var slowness: Double { modem.airtime(bytes: 40) / ModemPreset(rawValue: 0).modem.airtime(bytes: 40) }
}

import MeshModel
import MeshProtocol

/// What decides how long a packet is on the air, and how much of that a radio may.
public struct Airtime {
    public let modem: ModemPreset.Modem
    public let preset: String
    /// Nobody said how the radio is set.
    public let isAssumed: Bool
    public let region: String?
    /// Per cent of an hour that a radio, which is no router, may send in this region.
    public let dutyCycle: Double

    /// There is no modem preset of this name.
    public struct UnknownPreset: Error {
        public let name: String
        /// Those that there are.
        public let known: String
    }

    /// - Parameter name: of the modem preset, as the protocol has it; nil: as the radio is set.
    public init(_ lora: LoRaSettings?, preset name: String?) throws(UnknownPreset) {
        if let name {
            guard let number = (0...16).first(where: { EnumNames.modemPreset($0) == name.uppercased() }) else {
                let names = (0...16).compactMap { EnumNames.modemPreset($0) }.joined(separator: ", ")
                throw UnknownPreset(name: name, known: names)
            }
            modem = ModemPreset(rawValue: number).modem
            preset = name.uppercased()
        } else {
            modem = (lora ?? LoRaSettings()).modem
            let number = lora?.modemPreset.rawValue ?? 0
            preset = lora?.usePreset == false ? "CUSTOM" : EnumNames.modemPreset(number) ?? "\(number)"
        }
        isAssumed = name == nil && lora?.usePreset != true
        region = lora.flatMap { EnumNames.region($0.region) }
        dutyCycle = lora.flatMap { LoRaRegion.of($0.region) }?.dutyCycle ?? 100
    }

    /// The radio's header, and behind it the encrypted Data; PKC costs twelve bytes more (SerialReference 8.1).
    public static func bytes(of packet: MeshPacket) -> Int {
        switch packet.payload {
        case .decoded(let data): 16 + data.encoded().count + (packet.pkiEncrypted ? 12 : 0)
        case .encrypted(let bytes): 16 + bytes.count
        case .none: 16
        }
    }
}

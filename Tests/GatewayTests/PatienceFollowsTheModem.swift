import MeshModel
import Testing

@testable import Gateway

/// By SerialReference 6.3: 3·d of a packet of 255 bytes, in seconds. Twice that, a minute at least, and
/// the pause of some USB radios.
@Test(
    arguments: [
        ("SHORT_TURBO", 8, 15), ("SHORT_FAST", 6, 16), ("SHORT_SLOW", 5, 17), ("MEDIUM_TURBO", 16, 17),
        ("MEDIUM_FAST", 4, 19), ("MEDIUM_SLOW", 3, 23), ("LONG_TURBO", 9, 26), ("LONG_FAST", 0, 31),
        ("LONG_MODERATE", 7, 69), ("LONG_SLOW", 1, 114), ("LITE_FAST", 10, 24), ("LITE_SLOW", 11, 32),
        ("NARROW_FAST", 12, 21), ("NARROW_SLOW", 13, 27), ("TINY_FAST", 14, 38), ("TINY_SLOW", 15, 75),
    ] as [(String, UInt32, Double)])
func patienceFollowsTheModem(_ name: String, _ preset: UInt32, _ threeTimes: Double) {
    let lora = LoRaSettings(modemPreset: ModemPreset(rawValue: preset))
    // The table is rounded to seconds.
    #expect(abs(lora.patience - (max(60, 2 * threeTimes) + 20)) <= 1.01, "\(name)")
}

@Test func anUnknownModemIsTakenForTheSlowest() {
    let slowest = LoRaSettings(modemPreset: ModemPreset(rawValue: 1)).patience
    #expect(LoRaSettings(usePreset: false).patience == slowest)
    #expect(LoRaSettings(modemPreset: ModemPreset(rawValue: 999)).patience == slowest)
}

// The PIN of Bluetooth in what firmware logs about itself, as text on the line or as a LogRecord:
//
//     *** Enter passkey 123456 on the peer side ***       ESP32, while a phone pairs
//     BLE pair process started with passkey 123 456       nRF52, the same
//     Bluetooth pin set to '123456'                       nRF52 and RP2040, when it starts
//
// Logs, captures and the flight recorder are read by people who shall not be able to pair with the radio. In other lines
// with these words a number is worth little, so all digits behind them go. What is not recognised is a number that a frame
// has cut off from its words.

enum PairingPIN {
    private static let words = ["passkey", "pin set to"].map { Array($0.utf8) }

    /// The line with 0 in place of each digit behind the words; as long as before.
    static func blanked(_ line: some Collection<UInt8>) -> [UInt8] {
        var bytes = Array(line)
        let start = bytes.indices.first { start in
            bytes[start] == UInt8(ascii: "p") && words.contains { bytes[start...].starts(with: $0) }
        }
        guard let start else { return bytes }
        for place in bytes[start...].indices where (0x30...0x39).contains(bytes[place]) { bytes[place] = 0x30 }
        return bytes
    }
}

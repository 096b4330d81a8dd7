/// Recognises a starting radio by what it prints. Over a USB bridge, and from firmware 2.8 on over any serial port, this
/// is all that a reboot shows.
enum RebootText {
    /// Why this line of debug output means that the radio has just started; nil for any other line.
    ///
    /// Only the beginning of a line counts. Log lines quote the texts of strangers ("Received text msg … msg=rst:0x1"),
    /// and nobody on the mesh shall be able to restart our session.
    static func reason(in line: String) -> String? {
        var text = line[...].drop { $0 == " " }
        if let first = romBanners.first(where: { text.hasPrefix($0) }) { return "boot loader text \"\(first)\"" }
        if text.hasPrefix("//\\ E S H T") { return "firmware banner" }
        guard isLogLine(text), let message = messageOfLogLine(text) else { return nil }
        text = message
        return text.hasPrefix("Booted, wake cause") ? "firmware text \"Booted, wake cause\"" : nil
    }

    /// The boot ROMs of ESP32 (`ets Jun  8 2016`, `rst:0x1 (POWERON_RESET),boot:0x13`) and its successors
    /// (`ESP-ROM:esp32s3-20210327`).
    private static let romBanners = ["ESP-ROM:", "rst:0x", "boot:0x", "ets Jun", "ets Jul"]
    private static let levels = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "CRIT", "HEAP"]

    /// Whether this is a line of Meshtastic firmware's log, `LEVEL | hh:mm:ss uptime [Thread] message`.
    static func isLogLine(_ line: some StringProtocol) -> Bool {
        guard let level = levels.first(where: { line.hasPrefix($0) }) else { return false }
        return line.dropFirst(level.count).drop { $0 == " " }.hasPrefix("| ")
    }

    private static func messageOfLogLine(_ line: Substring) -> Substring? {
        // The level, the bar, the time and the uptime; a thread's name in brackets may follow.
        let fields = line.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: true)
        guard fields.count == 5 else { return nil }
        guard fields[4].hasPrefix("["), let end = fields[4].firstIndex(of: "]") else { return fields[4] }
        return fields[4][end...].dropFirst().drop { $0 == " " }
    }
}

import MeshProtocol

/// What a line does to frames: the debug text that firmware up to 2.7 mixes with them, frames that break off, and
/// pauses. With no misbehaviour a frame goes out as it is.
struct LineNoise {
    var misbehaviour: Misbehaviour
    private let interval: Int
    private var frames = 0
    private var faults = 0
    private var lines = 0

    init(_ options: SimulatorOptions) {
        misbehaviour = options.misbehaviour
        interval = options.faultInterval
    }

    /// The bytes that go out for one frame, and whether the line then stalls.
    ///
    /// A fault strikes every so many frames, so that a handshake shorter than that is whole at least every other time.
    mutating func dress(_ payload: [UInt8], isSerial: Bool, uptime: Double) -> (bytes: [UInt8], stalls: Bool) {
        frames += 1
        var bytes = StreamFrame.encode(payload)
        var stalls = false
        if frames % interval == 0, let fault = nextFault(isSerial: isSerial) {
            switch fault {
            case .debugTextInsideFrames: bytes.insert(contentsOf: debugLine(uptime: uptime), at: 4 + payload.count / 2)
            case .truncatedFrames: bytes.removeLast((payload.count + 1) / 2)
            default: stalls = true
            }
        }
        if frames % 2 == 0, misbehaviour.contains(.duplicateFrames) { bytes += bytes }
        if isSerial, misbehaviour.contains(.debugTextBetweenFrames) { bytes = debugLine(uptime: uptime) + bytes }
        return (bytes, stalls)
    }

    /// The kinds of faults take turns.
    private mutating func nextFault(isSerial: Bool) -> Misbehaviour? {
        var kinds: [Misbehaviour] = [.truncatedFrames, .stalls].filter(misbehaviour.contains)
        if isSerial, misbehaviour.contains(.debugTextInsideFrames) { kinds.append(.debugTextInsideFrames) }
        guard !kinds.isEmpty else { return nil }
        faults += 1
        return kinds[faults % kinds.count]
    }

    /// What a radio logs when there is nothing to log.
    static func logLine(uptime: Double) -> [UInt8] {
        Array("\u{1B}[34mDEBUG \u{1B}[0m| ??:??:?? \(Int(uptime)) [Power] \u{1B}[34mBattery is fine\r\n\u{1B}[0m".utf8)
    }

    /// A line of the radio's log in its colours (SerialReference 1.4).
    private mutating func debugLine(uptime: Double) -> [UInt8] {
        let (level, colour) = lines % 3 == 0 ? ("INFO  ", "32") : ("DEBUG ", "34")
        let messages = ["Packet history has room", "Module considered", "Queue is empty", "Hop taken, nothing to do"]
        let message = messages[lines % messages.count]
        lines += 1
        return Array(
            "\u{1B}[\(colour)m\(level)\u{1B}[0m| ??:??:?? \(Int(uptime)) [Router] \u{1B}[\(colour)m\(message)\r\n\u{1B}[0m"
                .utf8)
    }

    /// What a serial line shows at power on: from 2.7 a `rebooted` frame before anything else (SerialReference 1.5),
    /// then the boot loader and the firmware's banner.
    static func boot(_ firmware: SimulatorOptions.Firmware) -> [UInt8] {
        let frame = firmware == .v2_7 ? StreamFrame.encode(FromRadio.rebooted.encoded()) : []
        let text =
            "ESP-ROM:esp32s3-20210327\r\nrst:0x3 (RTC_SW_SYS_RST),boot:0x8 (SPI_FAST_FLASH_BOOT)\r\n"
            + "\u{1B}[32mINFO  \u{1B}[0m| ??:??:?? 0 \u{1B}[32m\r\n\r\n//\\ E S H T /\\ S T / C\r\n\r\n\u{1B}[0m"
            + "\u{1B}[34mDEBUG \u{1B}[0m| ??:??:?? 0 \u{1B}[34mFilesystem mounted\r\n\u{1B}[0m"
        return frame + Array(text.utf8)
    }
}

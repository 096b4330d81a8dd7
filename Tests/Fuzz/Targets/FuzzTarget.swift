import Glibc

/// A function that is called with bytes of libFuzzer's making, millions of times in one process, and of which an input is to
/// do the same again in another one.
public protocol FuzzTarget: AnyObject {
    /// Traps, or throws ``Broken``, when the input has found something.
    func run(_ input: [UInt8]) throws
}

/// Something does not hold that holds for every input.
public struct Broken: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

func check(_ holds: Bool, _ otherwise: @autoclosure () -> String) throws {
    if !holds { throw Broken(otherwise()) }
}

/// What there is, by the name of its file in Tests/Fuzz/Corpus.
public enum FuzzTargets {
    public static let names = [
        "broker", "broker-calls", "broker-events", "capture-file", "client-packet", "command-line", "configuration",
        "frame-to-store",
        "http-request", "pattern", "sealed-text", "settings-file", "shared-radio", "stream", "token",
    ]

    /// - Parameter folder: for files that come and go, best in memory.
    public static func target(named name: String, folder: String) throws -> (any FuzzTarget)? {
        switch name {
        case "broker": try BrokersMessages(folder: folder)
        case "broker-calls": BrokerPair(events: false)
        case "broker-events": BrokerPair(events: true)
        case "capture-file": CaptureFile()
        case "client-packet": ClientsPacket()
        case "command-line": CommandLineWords()
        case "configuration": ConfigurationText(folder: folder)
        case "frame-to-store": try FrameToStore(folder: folder)
        case "http-request": try HTTPRequest(folder: folder)
        case "pattern": PatternInText()
        case "sealed-text": TextsUnderAKey()
        case "settings-file": SettingsFileInYAML()
        case "shared-radio": try SharedRadioClient(folder: folder)
        case "stream": Stream()
        case "token": try Token(folder: folder)
        default: nil
        }
    }
}

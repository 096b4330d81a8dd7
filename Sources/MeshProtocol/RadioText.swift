/// A text that the radio keeps for its user, in no section of its settings. The numbers are AdminMessage's.
public enum RadioText: CaseIterable, Hashable, Sendable {
    /// Separated by `|`.
    case cannedMessages
    /// A melody in RTTTL.
    case ringtone

    var getter: UInt32 { self == .cannedMessages ? 10 : 14 }
    var answer: UInt32 { getter + 1 }
    var setter: UInt32 { self == .cannedMessages ? 36 : 37 }

    /// What a row of changes calls it, and a file of settings.
    public var name: String { self == .cannedMessages ? "canned_messages" : "ringtone" }

    /// Bytes; a radio drops a longer one without a word (nanopb's `max_size`, one byte of it for the NUL).
    public var longest: Int { self == .cannedMessages ? 200 : 230 }

    static func answered(in field: UInt32) -> RadioText? { allCases.first { $0.answer == field } }

    /// The text, if the radio can keep it.
    public func checked(_ text: String) throws(SettingRefusal) -> String {
        guard text.utf8.count <= longest else {
            throw .badValue(path: name, expected: "at most \(longest) bytes")
        }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .badValue(path: name, expected: "text on one line")
        }
        return text
    }
}

import Store

/// The contents of one file of rules.d.
public struct Rule: Hashable, Sendable {
    /// The name of its file, without `.conf`.
    public let name: String
    public internal(set) var when: Trigger
    /// Where a value's state ends; nil for the default.
    var again: Threshold?
    var conditions = Conditions()
    /// How often a lasting state is reported again, in milliseconds; nil for never.
    public internal(set) var repeats: Int64?
    /// Whether the end is reported.
    public internal(set) var tellsEnd: Bool
    /// May contain `{node}` and the like; nil for the standard words.
    var title: String?
    /// What to say at a time; nil for a digest.
    var say: String?
    public internal(set) var priority: FeedRow.Priority?
    public internal(set) var isEnabled = true
    /// Names of targets.
    public internal(set) var targets: [String] = []
    /// Whether targets get the text of messages.
    var givesText = false
    /// When targets are left alone, unless the rule's priority is high.
    var quiet: QuietHours?
    /// Its settings as written, one per line: if they change, it is a new rule.
    public internal(set) var text = ""

    init(_ name: String, when: Trigger) {
        (self.name, self.when) = (name, when)
        switch when {
        case .radioLost, .storageFailing, .problem: tellsEnd = true
        default: tellsEnd = false
        }
    }

    /// Where the state of a value ends.
    func ends(_ threshold: Threshold) -> Threshold { again ?? threshold.again }

    /// Whether a rule may have this name.
    public static func isName(_ name: some StringProtocol) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0 == 0x2D || isDigit($0) || (0x61...0x7A).contains($0) }
    }

    /// `{node}` and the like in a title.
    static let placeholders = ["node", "value", "channel", "time"]
}

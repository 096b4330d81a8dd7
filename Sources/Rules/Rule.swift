import Store

/// What one file of rules.d says.
public struct Rule: Hashable, Sendable {
    /// The name of its file, without `.conf`.
    public let name: String
    public internal(set) var when: Trigger
    /// Where a value's state ends.
    var again: Threshold?
    var conditions = Conditions()
    /// Milliseconds; nil: it is told once while it lasts.
    public internal(set) var repeats: Int64?
    /// Whether the end is told.
    public internal(set) var tellsEnd: Bool
    /// With `{node}` and the like; nil: in our words.
    var title: String?
    /// What is told at a time; nil: a digest.
    var say: String?
    public internal(set) var priority: FeedRow.Priority?
    public internal(set) var isEnabled = true
    /// Names of targets.
    public internal(set) var targets: [String] = []
    /// Targets get what messages say, too.
    var givesText = false
    /// When targets are left alone, unless its priority is high.
    var quiet: QuietHours?
    /// Its settings as they are written, a line each: a rule with others is a new one.
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

    /// What a rule may be called.
    public static func isName(_ name: some StringProtocol) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0 == 0x2D || isDigit($0) || (0x61...0x7A).contains($0) }
    }

    /// `{node}` and the like in a title.
    static let placeholders = ["node", "value", "channel", "time"]
}

import Folders
import Store

/// The contents of one file of rules.d.
public struct Rule: FileContent, Hashable, Sendable {
    /// The name of its file, without `.conf`.
    public let name: String
    public internal(set) var when: Trigger
    /// Where a value's state ends; nil for the default.
    var again: Threshold?
    var conditions = Conditions()
    /// How often a lasting state is reported again, in milliseconds; nil for never.
    public internal(set) var repeats: Int64?
    /// The least time between two notifications as the file has it, in milliseconds; nil for ``pause``'s own.
    public internal(set) var pace: Int64?
    /// How long an event of a node or radio is not told again, in milliseconds; nil if each one is.
    public internal(set) var coolDown: Int64?
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
    /// What it does besides telling; nil if nothing.
    var acting: Acting?
    /// It tells the feed although it acts.
    var tellsFeed = false
    /// If it is new, it sees what came after this change; nil: what comes from now on.
    var since: Int64?
    /// Its settings as written, one per line: if they change, it is a new rule.
    public internal(set) var text = ""

    init(_ name: String, when: Trigger) {
        (self.name, self.when) = (name, when)
        switch when {
        case .radioLost, .storageFailing, .problem: tellsEnd = true
        default: tellsEnd = false
        }
    }

    /// A rule that acts tells nobody by itself.
    var tells: Bool { acting == nil || tellsFeed || !targets.isEmpty }

    /// It does something besides telling.
    public var acts: Bool { acting != nil }

    /// How long it does not act again for the same node, or at all where there is no node, in milliseconds.
    var actCoolDown: Int64 {
        // A time by the clock is as frequent as the file says.
        if case .at = when { return coolDown ?? 0 }
        return max(coolDown ?? 0, Acting.leastCoolDown)
    }

    /// Where the state of a value ends.
    func ends(_ threshold: Threshold) -> Threshold { again ?? threshold.again }

    /// How many notifications may come at once, before ``pause`` counts.
    public var atOnce: Int { pace == nil ? 5 : 1 }

    /// The time between two notifications once ``atOnce`` have come, in milliseconds; nil if none is needed: a time by the clock
    /// is as frequent as the file says.
    public var pause: Int64? {
        if let pace { return pace }
        let minute: Int64 = 60_000
        switch when {
        case .at: return nil
        case .directMessage, .message, .conversations, .mention, .detection: return minute
        // A rule that repeats more often has that pace.
        default: return min(10 * minute, repeats ?? .max)
        }
    }

    /// A favourite may count where another node does not.
    var heedsFavourites: Bool { conditions.nodes != nil || conditions.known != nil }

    /// `{node}` and the like in a title.
    static let placeholders = ["node", "value", "channel", "time"]
}

import MeshModel
import Store

// What a rule would report about the past, or about a made-up event. Nothing is sent or written.

/// The result of testing a rule.
public struct RuleTest: Sendable {
    /// The rule's trigger in kebab-case.
    public let type: String
    /// Since when the past is known, in host milliseconds; nil if nothing is known, or an event was tried.
    public internal(set) var since: Int64?
    /// How far that goes, or what came of the event, in a sentence.
    public internal(set) var reach: String
    /// How often it would have fired.
    public internal(set) var count = 0
    /// The newest firings, newest first.
    public internal(set) var firings: [RuleFiring] = []
    /// What it would have done, the newest first.
    public internal(set) var acts: [TestedAct] = []
    /// The newest first.
    public internal(set) var near: [NearMiss] = []

    /// Bytes of an event by hand.
    public static let longestEvent = EventByHand.longest

    /// How many firings are kept at most.
    static let kept = 1_000

    init(_ rule: Rule, reach: String) { (type, self.reach) = (rule.when.type, reach) }

    /// What a rule would have reported, as far back as the change log goes and its rows are still there.
    ///
    /// - Parameter now: host milliseconds.
    public static func ofHistory(
        _ rule: Rule, _ reader: Reader, at now: Int64, on host: TestingHost = TestingHost()
    ) throws -> RuleTest {
        var replay = try RuleReplay(rule.switchedOn, reader, at: now, on: host)
        try replay?.run()
        return try replay?.result() ?? RuleTest(rule, reach: "The change log has nothing with a time.")
    }

    /// The same as a target would get it: without the text of messages, unless the rule gives it.
    public func asSent(by rule: Rule, _ reader: Reader) throws -> RuleTest {
        var sent = self
        for place in sent.firings.indices {
            sent.firings[place].row = try rule.outgoing(firings[place].row) { row in
                guard let number = row.node, let source = row.source else { return nil }
                return try reader.node(number, in: source)?.shown
            }
        }
        if let quiet = rule.quiet, rule.priority != .high {
            sent.reach += " It waits in the quiet hours, \(quiet.shown); several are one summary."
        }
        return sent
    }

    /// - Parameter acts: those of the outcome.
    mutating func add(_ outcome: Engine.Outcome, _ acts: [TestedAct], of rule: Rule) {
        if !rule.tells { count += acts.count }
        self.acts += acts
        if self.acts.count > 2 * Self.kept { self.acts.removeFirst(self.acts.count - Self.kept) }
        // "And N more" is not a firing of its own.
        for firing in outcome.firings where firing.row.type == type {
            count += 1
            firings.append(firing)
        }
        if firings.count > 2 * Self.kept { firings.removeFirst(firings.count - Self.kept) }
    }

    mutating func finish(_ near: [NearMiss]) {
        firings = Array(firings.suffix(Self.kept).reversed())
        acts = Array(acts.suffix(Self.kept).reversed())
        self.near = near
    }
}

extension Rule {
    /// A rule that is switched off can be tested, too.
    var switchedOn: Rule {
        var rule = self
        rule.isEnabled = true
        return rule
    }
}

extension Trigger {
    /// What a test of the past knows about this trigger.
    var reach: String {
        let now = "Names, favourites, channels, hops and mutes are those of now."
        switch self {
        case .directMessage, .message, .mention, .detection:
            return "Texts of the change log that are still there. \(now)"
        case .conversations: return "Texts of the change log that are still there. Mutes are those of now."
        case .value, .rebooted: return "Values of the change log that are still there. \(now)"
        case .silent, .nodeBack:
            return "By when nodes were heard as the change log has it, to a minute or so. \(now)"
        case .newNode, .nodeIntroduced: return "Nodes of the change log. \(now)"
        case .waypoint, .waypointWithin: return "Waypoints of the change log that are still there, as they are now."
        case .entersCircle, .leavesCircle:
            return "Positions of the change log that are still there. Where a node was first is no crossing. \(now)"
        case .keyChanged, .nameChanged: return "What the change log has of keys and names. \(now)"
        case .radioLost, .radioBack, .problem, .gatewayStarted, .storageFailing:
            return "What the change log has of links, problems and starts."
        case .at: return "The times since the change log begins. In a digest names and channel use are those of now."
        }
    }
}

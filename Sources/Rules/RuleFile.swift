import Folders
import MeshModel
import Store

// A file of rules.d: one rule, in the syntax of mesh-gateway.conf. All mistakes are reported, not only the first.

/// The folder of the rules: rules.d beside the configuration file in use.
public typealias RulesFolder = SettingsFolder<RuleFile>

/// The rule of a file, or why there is none.
public struct RuleFile: FolderFile {
    public static let kind = FolderKind(folder: "rules.d", noun: "rule", example: "low-battery.conf", limit: 1_000)

    public private(set) var found: FoundFile
    /// nil if there is a mistake.
    public private(set) var rule: Rule?
    /// There is no such file: the gateway brings the rule.
    public internal(set) var isBuiltIn = false

    public var content: Rule? { rule }

    enum Key: String, CaseIterable {
        case when, again, node, known, channel, hops, role, via, radio, words, ignore, matches, phrase, tapbacks, snr
        case named, `repeat`, resolved, pace, title, say, priority, enabled, tell, feed, text, quiet
        case coolDown = "cool-down"
        case reply
        case replyBy = "reply-by"
        case react, send, to, ask, of, announce, delay, once
    }

    public init(_ found: FoundFile) {
        self.found = found
        guard found.isRead else { return }
        let settings = self.found.settings(of: Key.self, repeatable: [.tell, .phrase], absent: Self.absent)
        guard let when = settings.first(where: { $0.key == .when }) else {
            // Where nothing is left, the other mistakes say enough.
            if !settings.isEmpty || mistakes.isEmpty {
                self.found.refuse("it does not say when; write for example: when = battery below 20 %")
            }
            return
        }
        do throws(BadValue) {
            read(settings, Rule(name, when: try Trigger(words: when.value)))
        } catch {
            self.found.refuse(error.text, when.line)
        }
    }

    private mutating func read(_ settings: [FoundFile.Setting<Key>], _ blank: Rule) {
        let keys = Set(settings.map(\.key))
        var rule = blank
        if !keys.isDisjoint(with: Key.acts) {
            rule.acting = Acting()
            // What else may be written depends on it.
            rule.acting!.asksDue = settings.contains { $0.key == .of && $0.value == "due" }
        }
        // Texts may use the names of phrases.
        for setting in settings.filter({ $0.key == .phrase })
            + settings.filter({ $0.key != .phrase && $0.key != .when })
        {
            do throws(BadValue) {
                try rule.set(setting.key, setting.value)
            } catch {
                found.refuse(error.text, setting.line)
            }
        }
        for (key, text) in rule.mistakes(of: keys) {
            found.refuse(text, settings.first { $0.key == key }?.line)
        }
        rule.text = settings.map { "\($0.key.rawValue) = \($0.value)" }.joined(separator: "\n")
        if mistakes.isEmpty { self.rule = rule }
    }
}

extension Rule {
    fileprivate mutating func set(_ key: RuleFile.Key, _ value: String) throws(BadValue) {
        guard !value.isEmpty else { throw BadValue.empty(key.rawValue) }
        try checkFits(key)
        switch key {
        case .when: break
        case .again:
            guard case .value(let threshold) = when else { return }
            again = try threshold.again(words: value)
        case .repeat: repeats = try milliseconds(value)
        case .resolved: tellsEnd = try yesOrNo(key, value)
        case .enabled: isEnabled = try yesOrNo(key, value)
        case .title: title = try checkedTitle(value)
        case .say: say = try checkedTitle(value, "text")
        case .priority: priority = try word(key, value, among: [("low", FeedRow.Priority.low), ("high", .high)])
        case .tell:
            guard FileName.isFit(value) else {
                throw BadValue("tell \"\(value)\" is no target's name: a-z, 0-9 and -; write for example: tell = phone")
            }
            targets.append(value)
        case .feed: tellsFeed = try yesOrNo(key, value)
        case .text: givesText = try yesOrNo(key, value)
        case .quiet: quiet = try QuietHours(value)
        case .pace: pace = try milliseconds(value)
        case .coolDown: coolDown = try cooling(value, isOfAct: acting != nil)
        case .node, .known, .channel, .hops, .role, .via, .radio, .words, .ignore, .matches, .phrase, .tapbacks, .snr,
            .named:
            try setCondition(key, value)
        case .reply, .replyBy, .react, .send, .to, .ask, .of, .announce, .delay, .once: try setAct(key, value)
        }
    }

    private mutating func setCondition(_ key: RuleFile.Key, _ value: String) throws(BadValue) {
        switch key {
        case .node: conditions.nodes = try Conditions.Nodes(value)
        case .known: conditions.known = try milliseconds(value)
        case .channel: conditions.channels = try channelList(key.rawValue, value)
        case .hops: conditions.hops = try range(value)
        case .role: conditions.roles = try roles(value)
        case .via: conditions.way = try word(key, value, among: Conditions.Way.allCases.map { ($0.rawValue, $0) })
        case .radio:
            conditions.radios = try nameList(key.rawValue, value)
            guard !conditions.radios.isEmpty else {
                throw BadValue("radio names nobody; write one, or take the line out")
            }
        case .words: conditions.words = Words(try wordList(key.rawValue, value))
        case .ignore: conditions.ignored = Words(try wordList(key.rawValue, value))
        case .matches: conditions.pattern = try pattern(value)
        case .phrase: try conditions.phrases.add(value)
        case .tapbacks: conditions.countsTapbacks = try yesOrNo(key, value)
        case .snr: conditions.snr = try SNRLimit(words: value)
        case .named: conditions.areNamed = try word(key, value, among: [("yes", true)])
        default: break
        }
    }
}

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

    public var content: Rule? { rule }

    enum Key: String, CaseIterable {
        case when, again, node, known, channel, hops, role, via, radio, words, ignore, matches, tapbacks
        case `repeat`, resolved, pace, title, say, priority, enabled, tell, text, quiet
        case coolDown = "cool-down"
    }

    public init(_ found: FoundFile) {
        self.found = found
        guard found.isRead else { return }
        let settings = self.found.settings(of: Key.self, repeatable: [.tell])
        guard let when = settings.first(where: { $0.key == .when }) else {
            // Where nothing is left, the other mistakes say enough.
            if !settings.isEmpty || mistakes.isEmpty {
                self.found.refuse("it does not say when; write for example: when = battery below 20 %")
            }
            return
        }
        do throws(BadValue) {
            var rule = Rule(name, when: try Trigger(words: when.value))
            for setting in settings where setting.key != .when {
                do throws(BadValue) {
                    try rule.set(setting.key, setting.value)
                } catch {
                    self.found.refuse(error.text, setting.line)
                }
            }
            rule.text = settings.map { "\($0.key.rawValue) = \($0.value)" }.joined(separator: "\n")
            if mistakes.isEmpty { self.rule = rule }
        } catch {
            self.found.refuse(error.text, when.line)
        }
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
        case .tapbacks: conditions.countsTapbacks = try yesOrNo(key, value)
        case .title: title = try checkedTitle(value)
        case .say: say = try checkedTitle(value, "text")
        case .priority: priority = try word(key, value, among: [("low", FeedRow.Priority.low), ("high", .high)])
        case .tell:
            guard FileName.isFit(value) else {
                throw BadValue("tell \"\(value)\" is no target's name: a-z, 0-9 and -; write for example: tell = phone")
            }
            targets.append(value)
        case .text: givesText = try yesOrNo(key, value)
        case .quiet: quiet = try QuietHours(value)
        case .pace: pace = try milliseconds(value)
        case .coolDown: coolDown = try cooling(value)
        case .known: conditions.known = try milliseconds(value)
        case .node: conditions.nodes = try Conditions.Nodes(value)
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
        }
    }

    /// Whether the key has a meaning with this trigger.
    private func checkFits(_ key: RuleFile.Key) throws(BadValue) {
        var name = when.type.split(separator: "-").joined(separator: " ")
        if case .conversations(let names) = when { name += " on \(BrokerConversation.idPrefix)\(names[0])" }
        func refuse(_ why: String) -> BadValue {
            BadValue("\(key.rawValue) cannot be with \"\(name)\": \(why); take the line out")
        }
        switch key {
        case .again:
            if case .value = when { return }
            throw refuse(when.isState ? "only a measured value ends by another limit" : "an event has no end")
        case .repeat, .resolved: if !when.isState { throw refuse("an event has no end") }
        case .pace:
            if case .at = when { throw refuse("it comes at the times that it names") }
        case .coolDown:
            if when.isState { throw refuse("a state is told once while it lasts; with repeat, again after that time") }
            if case .at = when { throw refuse("it comes at the times that it names") }
        case .known where when == .newNode: throw refuse("a new node is not known yet")
        case .node, .known, .hops, .role, .via: if !when.isOfNode { throw refuse("it is about no node") }
        case .channel:
            if when == .directMessage { throw refuse("a direct message is on no channel") }
            if !when.isOfNode { throw refuse("it is about no channel") }
        case .radio: if !when.isOfRadio { throw refuse("it is about no radio") }
        case .words, .ignore, .matches: if !when.hasText { throw refuse("it has no text") }
        case .tapbacks:
            if !when.isText { throw refuse("it is about no message") }
            if !when.isOfNode { throw refuse("a broker brings no reactions") }
        case .say:
            if case .at = when { return }
            throw refuse("it has words of its own")
        case .when, .title, .priority, .enabled, .tell, .quiet: break
        case .text: if !when.hasText { throw refuse("it has no text") }
        }
    }
}

import Configuration
import Glibc
import Store

// A file of rules.d: one rule, in the syntax of mesh-gateway.conf. All mistakes are reported, not only the first.

/// The rule of a file, or why there is none.
public struct RuleFile: Sendable {
    public let name: String
    public let path: String
    /// nil if there is a mistake.
    public private(set) var rule: Rule?
    public private(set) var mistakes: [RuleMistake] = []

    enum Key: String, CaseIterable {
        case when, again, node, known, channel, hops, role, via, radio, words, ignore, matches, tapbacks
        case `repeat`, resolved, pace, title, say, priority, enabled, tell, text, quiet
        case coolDown = "cool-down"
    }

    /// nil if the file has vanished meanwhile.
    public init?(path: String) {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        // Reading a pipe would block.
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            self.init(noFile: String(file.dropLast(".conf".count)), path: path)
            return
        }
        do throws(ConfigurationError) {
            guard let lines = try SettingLines.read(path, mustExist: false) else { return nil }
            self.init(lines, name: String(file.dropLast(".conf".count)))
        } catch {
            self.init(unreadable: error, name: String(file.dropLast(".conf".count)), path: path)
        }
    }

    private init(noFile name: String, path: String) {
        (self.name, self.path) = (name, path)
        mistakes = [
            RuleMistake("is no file; a rule is one of text: take this away, or give it another name", file: path)
        ]
    }

    public init(_ text: String, name: String, path: String) {
        self.init(SettingLines(text, path: path), name: name)
    }

    private init(unreadable error: ConfigurationError, name: String, path: String) {
        (self.name, self.path) = (name, path)
        guard case .unreadable(_, let reason) = error else { return }
        // The reason says what the file is, or quotes the system.
        let advice =
            reason.hasPrefix("it is")
            ? "write lines of KEY = VALUE there" : "let the gateway's user read it: sudo chmod a+r \(path)"
        mistakes = [RuleMistake("cannot be read: \(reason); \(advice)", file: path)]
    }

    private init(_ file: SettingLines, name: String) {
        (self.name, path) = (name, file.path)
        for case .syntax(_, let line, let problem) in file.mistakes { add(problem, line) }
        if !Rule.isName(name) {
            mistakes.append(
                RuleMistake(
                    "a rule is called after its file, in a-z, 0-9 and -, at most 64 of them; rename it, for example: "
                        + "low-battery.conf", file: path))
        }
        let settings = settings(of: file)
        guard let when = settings.first(where: { $0.key == .when }) else {
            if !settings.isEmpty || mistakes.isEmpty {
                mistakes.append(
                    RuleMistake("it does not say when; write for example: when = battery below 20 %", file: path))
            }
            return
        }
        do throws(BadValue) {
            var rule = Rule(name, when: try Trigger(words: when.value))
            for setting in settings where setting.key != .when {
                do throws(BadValue) { try rule.set(setting.key, setting.value) } catch { add(error.text, setting.line) }
            }
            rule.text = settings.map { "\($0.key.rawValue) = \($0.value)" }.joined(separator: "\n")
            if mistakes.isEmpty { self.rule = rule }
        } catch {
            add(error.text, when.line)
        }
        mistakes.sort { ($0.line ?? 0) < ($1.line ?? 0) }
    }

    private mutating func settings(of file: SettingLines) -> [(key: Key, value: String, line: Int)] {
        var found: [(key: Key, value: String, line: Int)] = []
        for line in file.lines {
            let keys = Key.allCases.map(\.rawValue)
            guard let key = Key(rawValue: line.key) else {
                let advice = nearestWord(to: line.key, among: keys).map { "did you mean \"\($0)\"?" }
                add(
                    "unknown key \"\(line.key)\"; " + (advice ?? "the keys are \(keys.joined(separator: ", "))"),
                    line.number)
                continue
            }
            if let first = found.first(where: { $0.key == key }), key != .tell {
                add("\"\(key.rawValue)\" is already set in line \(first.line); leave one of them", line.number)
                continue
            }
            found.append((key, line.value, line.number))
        }
        return found
    }

    private mutating func add(_ text: String, _ line: Int) {
        mistakes.append(RuleMistake(text, file: path, line: line))
    }
}

extension Rule {
    fileprivate mutating func set(_ key: RuleFile.Key, _ value: String) throws(BadValue) {
        guard !value.isEmpty else { throw BadValue("\(key.rawValue) has no value; write one, or take the line out") }
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
            guard Rule.isName(value) else {
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
        let name = when.type.split(separator: "-").joined(separator: " ")
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
        case .tapbacks: if !when.isText { throw refuse("it is about no message") }
        case .say:
            if case .at = when { return }
            throw refuse("it has words of its own")
        case .when, .title, .priority, .enabled, .tell, .quiet: break
        case .text: if !when.hasText { throw refuse("it has no text") }
        }
    }
}

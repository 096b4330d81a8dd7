import Configuration
import Glibc
import MeshModel
import Search
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
        case when, again, node, channel, hops, role, via, radio, words, ignore, matches, tapbacks
        case `repeat`, resolved, title, say, priority, enabled, tell, text, quiet
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
        case .node: conditions.nodes = try Conditions.Nodes(value)
        case .channel: conditions.channels = value.split(whereSeparator: \.isBlank).map(String.init)
        case .hops: conditions.hops = try range(value)
        case .role: conditions.roles = try roles(value)
        case .via: conditions.way = try word(key, value, among: Conditions.Way.allCases.map { ($0.rawValue, $0) })
        case .radio: conditions.radios = list(value)
        case .words: conditions.words = Words(value.split(whereSeparator: \.isBlank))
        case .ignore: conditions.ignored = Words(value.split(whereSeparator: \.isBlank))
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
        case .node, .hops, .role, .via: if !when.isOfNode { throw refuse("it is about no node") }
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

// MARK: values

private func word<Value>(
    _ key: RuleFile.Key, _ text: String, among words: [(String, Value)]
) throws(BadValue) -> Value {
    if let found = words.first(where: { $0.0 == text }) { return found.1 }
    throw BadValue(
        "\(key.rawValue) cannot be \"\(text)\"; write one of: \(words.map(\.0).joined(separator: ", "))")
}

private func yesOrNo(_ key: RuleFile.Key, _ text: String) throws(BadValue) -> Bool {
    try word(key, text, among: [("yes", true), ("no", false)])
}

private func pattern(_ text: String) throws(BadValue) -> Pattern {
    do throws(PatternMistake) { return try Pattern(text) } catch {
        throw BadValue("matches, at character \(error.place): \(error.text)")
    }
}

private func list(_ text: String) -> [String] {
    text.split(separator: ",").map { part in
        let start = part.drop(while: \.isBlank)
        return String(start.lastIndex { !$0.isBlank }.map { start[...$0] } ?? "")
    }
    .filter { !$0.isEmpty }
}

private func range(_ text: String) throws(BadValue) -> ClosedRange<UInt32> {
    let bounds = text.split(separator: ".", omittingEmptySubsequences: false)
    let isRange = bounds.count == 3 && bounds[1].isEmpty
    if let low = UInt32(bounds[0]), let high = isRange ? UInt32(bounds[2]) : bounds.count == 1 ? low : nil,
        low <= high, high <= 7
    {
        return low...high
    }
    throw BadValue("hops cannot be \"\(text)\"; write a number from 0 to 7 or two of them, such as 0..2")
}

private func roles(_ text: String) throws(BadValue) -> Set<UInt32> {
    var found: Set<UInt32> = []
    for word in text.split(whereSeparator: { $0.isBlank || $0 == "," }) {
        let name = String(word.uppercased().map { $0 == "-" ? "_" : $0 })
        guard let number = deviceRoles.firstIndex(of: name) else {
            throw BadValue(
                "role \"\(word)\" is unknown; write one of: \(deviceRoles.joined(separator: ", ").lowercased())")
        }
        found.insert(UInt32(number))
    }
    return found
}

func roleName(_ role: UInt32) -> String {
    deviceRoles.indices.contains(Int(role)) ? deviceRoles[Int(role)].lowercased() : "\(role)"
}

/// By number (Config.DeviceConfig.Role).
private let deviceRoles = [
    "CLIENT", "CLIENT_MUTE", "ROUTER", "ROUTER_CLIENT", "REPEATER", "TRACKER", "SENSOR", "TAK", "CLIENT_HIDDEN",
    "LOST_AND_FOUND", "TAK_TRACKER", "ROUTER_LATE", "CLIENT_BASE",
]

private func checkedTitle(_ text: String, _ what: String = "title") throws(BadValue) -> String {
    guard text.utf8.count <= 200 else { throw BadValue("the \(what) is longer than 200 bytes; write a shorter one") }
    var rest = text[...]
    while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
        let close = rest[open...].firstIndex(of: "}") ?? rest.endIndex
        let name = rest[open] == "{" && close < rest.endIndex ? rest[rest.index(after: open)..<close] : ""
        guard Rule.placeholders.contains(String(name)) else {
            let known = Rule.placeholders.map { "{\($0)}" }.joined(separator: ", ")
            throw BadValue(
                "the \(what) has \"\(rest[open..<close])\(close < rest.endIndex ? "}" : "")\"; it may have \(known)")
        }
        rest = rest[rest.index(after: close)...]
    }
    return text
}

extension Conditions.Nodes {
    fileprivate init(_ text: String) throws(BadValue) {
        var text = text
        if text.hasPrefix("not ") { (isOthers, text) = (true, String(text.dropFirst(4))) }
        for name in list(text) {
            if name == "favourites" || name == "favorites" {
                areFavourites = true
            } else if name.hasPrefix("!"), NodeNumber(id: name) == nil {
                throw BadValue("node \"\(name)\" is no id; write ! and eight hexadecimal digits, such as !a1b2c3d4")
            } else {
                names.append(name)
            }
        }
        guard areFavourites || !names.isEmpty else {
            throw BadValue("node names nobody; write favourites, or names and ids with commas between")
        }
    }
}

import Folders
import MeshModel
import Platform

// Parses the values of `when =` and `again =`. Every mistake says what to write.

extension Trigger {
    static let forms = [
        "node silent for 6h", "battery below 20 %", "channel use above 25 % for 15m", "air time above 8 %",
        "temperature below 0 (any telemetry value by its API name)", "radio lost for 2m", "storage failing", "problem",
        "key changed", "direct message", "message on 0, Hikers", "message on mqtt:club", "mention", "new node",
        "node introduced", "waypoint", "detection", "name changed", "rebooted", "gateway started",
        "node back after 6h", "radio back after 10m",
        "enters circle 47.05,8.31 2 km", "leaves circle 47.05,8.31 2 km", "waypoint within 10 km", "at 0 7 * * *",
    ]

    /// Triggers without a number or a name.
    private static let plain: [(words: String, trigger: Trigger)] = [
        ("storage failing", .storageFailing), ("problem", .problem(nil)), ("key changed", .keyChanged),
        ("direct message", .directMessage), ("message", .message([])), ("mention", .mention), ("new node", .newNode),
        ("node introduced", .nodeIntroduced), ("waypoint", .waypoint), ("detection", .detection),
        ("name changed", .nameChanged), ("rebooted", .rebooted),
        ("gateway started", .gatewayStarted), ("radio lost", .radioLost(0)),
    ]

    /// Triggers with a time.
    private static let timed: [(words: String, trigger: @Sendable (Int64) -> Trigger)] = [
        ("node silent for", { .silent($0) }), ("radio lost for", { .radioLost($0) }),
        ("node back after", { .nodeBack($0) }), ("radio back after", { .radioBack($0) }),
    ]

    init(words text: String) throws(BadValue) {
        let words = text.split(whereSeparator: \.isBlank).map(String.init)
        let all = words.joined(separator: " ")
        if let found = Self.plain.first(where: { $0.words == all }) {
            self = found.trigger
            return
        }
        for (start, trigger) in Self.timed where all.hasPrefix(start + " ") {
            self = trigger(try milliseconds(String(all.dropFirst(start.count + 1))))
            return
        }
        for start in ["enters circle", "leaves circle", "waypoint within", "at"] where all == start {
            throw Self.unfinished(start)
        }
        let behind = words.dropFirst(2).joined(separator: " ")
        switch (words.first, words.dropFirst().first) {
        case ("enters", "circle"): self = .entersCircle(try Circle(behind, for: "enters circle"))
        case ("leaves", "circle"): self = .leavesCircle(try Circle(behind, for: "leaves circle"))
        case ("waypoint", "within"):
            self = .waypointWithin(try lengthInMetres(behind, example: "waypoint within 10 km"))
        case ("at", _): self = .at(try Cron(words.dropFirst().joined(separator: " ")))
        case ("message", "on") where words.count > 2:
            if let names = try conversationList("message on", behind) {
                self = .conversations(names)
            } else {
                self = .message(try channelList("message on", behind))
            }
        case ("problem", let name?) where words.count == 2: self = .problem(try problemName(name))
        default:
            if let threshold = try Threshold(words: words) {
                self = .value(threshold)
            } else {
                throw Self.unknown(all)
            }
        }
    }

    private static func unfinished(_ start: String) -> BadValue {
        let what = start == "at" ? "time" : start == "waypoint within" ? "distance" : "circle"
        let example = forms.first { $0.hasPrefix(start + " ") } ?? start
        return BadValue("\"\(start)\" says no \(what); write for example: \(example)")
    }

    private static func unknown(_ text: String) -> BadValue {
        let starts =
            plain.map(\.words) + timed.map(\.words) + [
                "message on", "battery below", "battery above", "enters circle", "leaves circle", "waypoint within",
            ]
        if let start = timed.first(where: { text == $0.words || text == $0.words.dropLast(4) }) {
            return BadValue("\"\(text)\" says no time; write for example: \(start.words) 6h")
        }
        let wanted = text.split(separator: " ").filter { !$0.contains(where: \.isNumber) }.joined(separator: " ")
        let advice = nearestWord(to: wanted, among: starts).map { "did you mean \"\($0)\"?" }
        return BadValue(
            "\"\(text)\" is no trigger; "
                + (advice ?? "write one of: \(forms.joined(separator: "; "))"))
    }
}

private func problemName(_ name: String) throws(BadValue) -> String {
    let kind = Problem.Kind(rawValue: name)
    if let trigger = kind?.ownTrigger {
        throw BadValue("problem \(name) has a trigger of its own; write: \(trigger)")
    }
    guard kind?.isForRules == true else {
        let names = Problem.Kind.allCases.filter(\.isForRules).map(\.rawValue).sorted()
        let advice = nearestWord(to: name, among: names).map { "did you mean \"problem \($0)\"?" }
        throw BadValue(
            "problem \"\(name)\" is no name of a problem; "
                + (advice ?? "write one as mesh-gateway status names it, such as: problem region-unset"))
    }
    return name
}

extension Threshold {
    /// nil if the words are not a threshold.
    init?(words: [String]) throws(BadValue) {
        guard let place = words.firstIndex(where: { $0 == "below" || $0 == "above" }), place > 0 else { return nil }
        let value = words[..<place].joined(separator: " ")
        guard let name = Self.named[value] ?? (place == 1 && Self.isMeasured(value) ? value : nil) else {
            let known = Array(Self.named.keys) + Telemetry.names
            throw BadValue(
                "\"\(value)\" is no value that nodes measure; "
                    + (nearestWord(to: value, among: known).map { "did you mean \"\($0)\"?" }
                        ?? "write battery, channel use, air time or a name of /api/v1/telemetry, such as temperature"))
        }
        let unit = Telemetry.unit(of: name)
        let example = "\(value) \(words[place]) 20" + (unit.map { " \($0)" } ?? "")
        guard words.count > place + 1 else {
            throw BadValue("\"\(words.joined(separator: " "))\" says no limit; write for example: \(example)")
        }
        var words = words
        var lasting: Int64 = 0
        if let behind = words[(place + 2)...].firstIndex(of: "for") {
            let time = words[(behind + 1)...].joined(separator: " ")
            words.removeSubrange(behind...)
            guard !time.isEmpty else {
                throw BadValue(
                    "\"for\" says no time; write for example: \(words.joined(separator: " ")) for 15m")
            }
            lasting = try milliseconds(time)
        }
        var number = words[place + 1]
        var rest = words[(place + 2)...].joined(separator: " ")
        if rest.isEmpty, let unit, number.hasSuffix(unit) {
            (number, rest) = (String(number.dropLast(unit.count)), unit)
        }
        guard let limit = decimal(number) else {
            throw BadValue("\"\(words[place + 1])\" is no number; write for example: \(example)")
        }
        guard rest.isEmpty || rest == unit else {
            throw BadValue(
                "\"\(rest)\" behind the number: \(value) is measured in "
                    + "\(unit ?? "numbers without a unit"); write for example: \(example)")
        }
        self.init(name: name, isBelow: words[place] == "below", limit: limit, words: value, lasting: lasting)
    }

    private static func isMeasured(_ name: String) -> Bool { Telemetry.names.contains(name) }

    /// Parses the end of this state, the value of `again =`.
    func again(words text: String) throws(BadValue) -> Threshold {
        let example = "\(words) \(isBelow ? "above" : "below") \(again.limit.shown)"
        guard let end = try Threshold(words: text.split(whereSeparator: \.isBlank).map(String.init)) else {
            throw BadValue("\"\(text)\" is no end of a state; write for example: again = \(example)")
        }
        guard end.name == name else {
            throw BadValue("it ends by the value with which it begins, \(words); write for example: again = \(example)")
        }
        guard end.lasting == 0 else {
            throw BadValue("it ends with one report, without \"for\"; write for example: again = \(example)")
        }
        let isBeyond = isBelow ? end.limit >= limit : end.limit <= limit
        guard end.isBelow != isBelow, isBeyond else {
            throw BadValue(
                "it begins \(isBelow ? "below" : "above") \(limit.shown), and would not end there; write for example: "
                    + "again = \(example)")
        }
        return end
    }
}

extension Telemetry {
    /// Names of everything that nodes measure and the API shows.
    static let names = shownKinds.flatMap(\.metrics).map(\.name)
}

// MARK: numbers

/// "90s", "5m", "6h", "2d" or "1w".
func milliseconds(_ text: String) throws(BadValue) -> Int64 {
    guard let time = TimeSpan.milliseconds(text, in: 1...longestTime) else {
        throw BadValue(
            "\"\(text)\" is no time; write a whole number with s, m, h, d or w, such as 90s, 6h or 2d, at most 520w")
    }
    return time
}

/// Milliseconds: ten years.
private let longestTime: Int64 = 520 * 604_800_000

/// Without exponent, infinity or hexadecimal digits.
func decimal(_ text: String) -> Double? {
    let digits = text.utf8.first == 0x2D ? text.utf8.dropFirst() : text.utf8[...]
    guard (1...18).contains(digits.count), digits.allSatisfy({ isDigit($0) || $0 == 0x2E }),
        digits.contains(where: isDigit)
    else { return nil }
    return Double(text)
}

func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

extension Character {
    var isBlank: Bool { self == " " || self == "\t" }
}

extension Double {
    /// At most two decimals.
    var shown: String {
        let hundredths = (self * 100).rounded()
        guard abs(hundredths) < 1e15 else { return "\(self)" }
        let (whole, rest) = Int64(abs(hundredths)).quotientAndRemainder(dividingBy: 100)
        let sign = hundredths < 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        return rest % 10 == 0 ? "\(sign)\(whole).\(rest / 10)" : "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}

extension Int64 {
    /// Milliseconds in the largest unit that fits: "6 h", "90 s".
    var shownTime: String {
        let units: [(Int64, String)] = [(604_800_000, "w"), (86_400_000, "d"), (3_600_000, "h"), (60_000, "min")]
        // "7 d" says more than "1 w".
        for (unit, word) in units where self % unit == 0 && self / unit > (word == "w" ? 1 : 0) {
            return "\(self / unit) \(word)"
        }
        return "\(self / 1000) s"
    }
}

import MeshModel
import MeshProtocol
import Store

// What a firing says by itself: a title that can stand alone, and a message with what the title has not said yet.

extension Telling {
    func words(_ rule: Rule, at time: Int64) -> (title: String, body: String) {
        switch rule.when {
        case .silent, .nodeBack, .newNode, .nodeIntroduced, .nameChanged, .rebooted, .keyChanged:
            wordsOfNode(rule, at: time)
        case .value(let threshold): wordsOfValue(threshold)
        case .radioLost, .radioBack: wordsOfRadio(rule, at: time)
        case .problem: wordsOfProblem
        case .storageFailing:
            state == .ends
                ? ("The disk can be written again", "")
                : ("Nothing can be stored\(state == .lasts ? " still" : "")", "mesh-gateway status says what to do.")
        case .directMessage, .message, .conversations, .mention, .detection, .waypoint, .waypointWithin:
            wordsOfText(rule)
        case .gatewayStarted: ("The gateway has started", "")
        case .entersCircle(let circle): ("\(name) has entered \(circle.shown)", distance)
        case .leavesCircle(let circle): ("\(name) has left \(circle.shown)", distance)
        case .at: wordsOfTime(rule, at: time)
        }
    }

    /// What people call the node, or as the writer of a text over a broker calls himself.
    var name: String {
        if let overBroker { return overBroker.text.writer.beginning(bytes: Self.longestWriter) }
        if let node = matter.node { return node.shown }
        if case .node(let number) = subject { return number.placeholderLongName }
        return "The radio"
    }

    private var distance: String { matter.value.map { "It is \($0.shownLength) from the middle." } ?? "" }

    // MARK: nodes

    private func wordsOfNode(_ rule: Rule, at now: Int64) -> (title: String, body: String) {
        switch rule.when {
        case .silent(let time):
            let heard = matter.value ?? episode?.value
            let last = heard.map { "Last heard: \(localTime(Int64($0), from: now))" } ?? ""
            return switch state {
            case .ends: ("\(name) was heard again", silence(until: now) ?? "")
            case .lasts: ("\(name) is still silent", last)
            default: ("\(name) has been silent for \(time.shownTime)", last)
            }
        case .nodeBack(let time):
            return ("\(name) is back", silence(until: now) ?? "It was silent for \(time.shownTime) or more.")
        case .newNode: return ("New node: \(name)", newNode)
        case .nodeIntroduced: return ("\(name) has introduced itself", newNode)
        case .nameChanged:
            // Which name was which is known only to the one who noticed it.
            return (matter.text ?? "\(name) has another name", matter.node?.number.id ?? "")
        case .rebooted: return ("\(name) has started again", start(at: now))
        default:
            return state == .ends
                ? ("\(name)'s key is settled", "")
                : ("\(name) has another key than before", "Compare them and decide: mesh-gateway keys")
        }
    }

    /// nil if nobody knows when it was heard before.
    private func silence(until now: Int64) -> String? {
        guard let heard = episode?.value ?? matter.value, Int64(heard) < now else { return nil }
        return "It was silent for \((now - Int64(heard)).shownDuration)."
    }

    /// How it is heard, what it is, and its number; not where it is: how far away would tell where the radio is.
    private var newNode: String {
        guard let node = matter.node else { return "" }
        let way: String? =
            if node.viaMQTT == true {
                "heard over MQTT"
            } else {
                node.hopsAway.map { $0 == 0 ? "heard directly" : $0 == 1 ? "1 hop away" : "\($0) hops away" }
            }
        // A node without a name is called by its number.
        let id = name.contains(node.number.id) ? nil : node.number.id
        let hardware = node.hardwareModel.flatMap(EnumNames.hardwareWords)
        let facts = [way, hardware, id].compactMap(\.self).joined(separator: ", ")
        return facts.prefix(1).uppercased() + facts.dropFirst()
    }

    private func start(at now: Int64) -> String {
        guard let uptime = matter.value, uptime >= 0, uptime < 1e9 else { return matter.text ?? "" }
        return "It has run since \(localTime(now - Int64(uptime) * 1000, from: now))."
    }

    // MARK: values

    func value(_ threshold: Threshold) -> String {
        guard let value = matter.value else { return "" }
        return threshold.isExternal(value) ? "external power" : threshold.shown(value)
    }

    private func wordsOfValue(_ threshold: Threshold) -> (title: String, body: String) {
        let now = "\(threshold.words) \(value(threshold))"
        let limit = "\(threshold.isBelow ? "below" : "above") \(threshold.shown(threshold.limit))"
        switch state {
        case .ends where matter.value.map(threshold.isExternal) == true:
            return ("\(name) has external power", "Its \(threshold.words) was \(limit).")
        case .ends: return ("\(name): \(now) again", "It was \(limit).")
        case .lasts: return ("\(name): \(threshold.words) still \(value(threshold))", "It is \(limit).")
        default:
            let lasting = threshold.lasting
            return (
                "\(name): \(now)",
                lasting > 0 ? "It has been \(limit) for \(lasting.shownTime)." : "It is \(limit)."
            )
        }
    }

    // MARK: radios and problems

    private var radio: String { matter.radio.map { "The radio \($0)" } ?? "The radio" }

    private func wordsOfRadio(_ rule: Rule, at now: Int64) -> (title: String, body: String) {
        let since = matter.since ?? lostSince(rule)
        guard case .radioLost = rule.when, state != .ends else {
            let away = since.map {
                "It was away for \(max(0, now - $0).shownDuration), since \(localTime($0, from: now))."
            }
            return ("\(radio) is back", away ?? "")
        }
        let beginning = since.map { "Since \(localTime($0, from: now)). " } ?? ""
        return (
            "\(radio) is \(state == .lasts ? "still " : "")lost",
            beginning + "Look whether it has power and is connected; mesh-gateway doctor says more."
        )
    }

    /// Its state begins when it has been away for as long as the rule says.
    private func lostSince(_ rule: Rule) -> Int64? {
        guard case .radioLost(let time) = rule.when, let episode else { return nil }
        return episode.beganAt - time
    }

    /// The first sentence of what `status` says, and then the rest of it.
    private var wordsOfProblem: (title: String, body: String) {
        let problem = matter.name ?? ""
        let sentence = matter.text ?? ""
        let first = sentence.isEmpty ? Problem.Kind(rawValue: problem)?.words ?? problem : sentence.firstSentence
        let place = matter.radio.map { "\($0): " } ?? ""
        let rest = sentence.isEmpty ? "mesh-gateway status says what to do." : sentence.behindFirstSentence
        return switch state {
        case .ends: ("\(place)Solved: \(first)", "")
        case .lasts: ("\(place)Still: \(first)", rest)
        default: (place + first, rest)
        }
    }

    // MARK: texts and times

    /// In bytes. No text of a mesh is longer, but one over a broker may have 16 kB, and its topic even more.
    private static let longestText = 1_000
    private static let longestWriter = 100

    private func wordsOfText(_ rule: Rule) -> (title: String, body: String) {
        let text = message?.text.beginning(bytes: Self.longestText) ?? ""
        switch rule.when {
        case .directMessage: return ("Direct message from \(name)", text)
        case .message, .conversations, .mention:
            let channel = channelName ?? "channel \(message?.channel ?? 0)"
            return (rule.when == .mention ? "\(name) mentions you on \(channel)" : "\(name) on \(channel)", text)
        case .detection: return ("\(name) has detected something", text)
        default:
            let point = waypoint?.value.name ?? ""
            let description = waypoint?.value.description ?? ""
            return (
                "\(name) shares a waypoint" + (point.isEmpty ? "" : ": \(point)"),
                description == point ? "" : description
            )
        }
    }

    private func wordsOfTime(_ rule: Rule, at now: Int64) -> (title: String, body: String) {
        let title = rule.say.map { filled($0, rule, at: now) } ?? digest?.title ?? ""
        return (title, rule.title != nil && rule.say != nil ? title : digest?.body ?? "")
    }
}

extension Threshold {
    /// With its unit: "20 %", "3.5 V".
    func shown(_ value: Double) -> String {
        value.shown + (Telemetry.unit(of: name).map { " \($0)" } ?? "")
    }

    /// Above 100 a node has external power (DeviceMetrics).
    func isExternal(_ value: Double) -> Bool { name == "batteryLevel" && value > 100 }
}

extension String {
    /// At most so many bytes, and "…" where there were more.
    fileprivate func beginning(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var (kept, count) = (Substring.UnicodeScalarView(), 0)
        for scalar in unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= limit else { break }
            kept.append(scalar)
        }
        return String(kept) + "…"
    }

    /// Without its full stop.
    fileprivate var firstSentence: String {
        var first = self[..<endOfFirstSentence]
        if first.last == "." { first.removeLast() }
        return String(first)
    }

    fileprivate var behindFirstSentence: String {
        String(self[endOfFirstSentence...].drop(while: { $0 == " " }))
    }

    /// A full stop or question mark before a blank ends it: host names have dots, too.
    private var endOfFirstSentence: Index {
        var place = startIndex
        while place < endIndex {
            let next = index(after: place)
            if self[place] == "." || self[place] == "?", next == endIndex || self[next] == " " { return next }
            place = next
        }
        return endIndex
    }
}

import Glibc
import MeshModel
import Store

/// One firing, before it is put into words.
struct Telling {
    var state: FeedRow.State?
    var subject: Subject
    var matter: Engine.Matter
    var episode: Episode?
    var message: Message?
    var channelName: String?
    var waypoint: Record<Waypoint>?
    var digest: Digest?

    init(_ state: FeedRow.State?, _ subject: Subject, _ matter: Engine.Matter, _ episode: Episode? = nil) {
        (self.state, self.subject, self.matter, self.episode) = (state, subject, matter, episode)
    }

    func row(of rule: Rule, at time: Int64) -> FeedRow {
        let (title, body) = words(rule, at: time)
        let number: NodeNumber? = if case .node(let number) = subject { number } else { nil }
        return FeedRow(
            at: time, in: matter.source == .gateway ? nil : matter.source, type: rule.when.type,
            title: rule.title.map { filled($0, rule, at: time) } ?? title, body: body, needs: needs(rule),
            priority: rule.priority, rule: rule.name, episode: state == nil ? nil : episode?.uuid, state: state,
            node: number, messageID: message?.id, conversation: message.map { Conversation(of: $0) })
    }

    /// The same as for the rows that it is about.
    private func needs(_ rule: Rule) -> Set<FeedRow.Need> {
        if let message { return [.message(channel: message.channel)] }
        if let waypoint { return [.waypoint(channel: waypoint.channel.map { Int($0) })] }
        if let digest { return Set([.info] + digest.nodes.map { .node(channel: $0.channel) }) }
        switch subject {
        case .node: return [.node(channel: matter.channel), .node(channel: matter.placeChannel ?? matter.channel)]
        case .radio:
            // Our radio's values are also those of a node.
            if case .value = rule.when { return [.node(channel: matter.channel)] }
            return [.info]
        case .problem, .gateway: return [.info]
        }
    }

    // MARK: words

    private var name: String {
        if let node = matter.node { return node.shown }
        if case .node(let number) = subject { return number.placeholderLongName }
        return "The radio"
    }

    private func value(_ threshold: Threshold) -> String {
        guard let value = matter.value else { return "" }
        if threshold.name == "batteryLevel", value > 100 { return "external power" }
        return value.shown + (Telemetry.unit(of: threshold.name).map { $0 == "%" ? " %" : " \($0)" } ?? "")
    }

    private var distance: String { matter.value.map { "It is \($0.shownLength) from the middle." } ?? "" }

    private func words(_ rule: Rule, at time: Int64) -> (title: String, body: String) {
        switch rule.when {
        case .silent(let time):
            let heard = matter.value.map { "Last heard: \(localTime(Int64($0)))" } ?? ""
            switch state {
            case .ends: return ("\(name) was heard again", "")
            case .lasts: return ("\(name) is still silent", heard)
            default: return ("\(name) has been silent for \(time.shownTime)", heard)
            }
        case .nodeBack(let time): return ("\(name) is back", "It had been silent for \(time.shownTime) or more.")
        case .value(let threshold):
            let now = "\(threshold.words) \(value(threshold))"
            let limit = "\(threshold.isBelow ? "below" : "above") \(threshold.limit.shown)"
            switch state {
            case .ends: return ("\(name): \(now) again", "It was \(limit).")
            case .lasts: return ("\(name): \(threshold.words) still \(value(threshold))", "It is \(limit).")
            default: return ("\(name): \(now)", "It is \(limit).")
            }
        case .radioLost:
            return (
                state == .ends
                    ? "The radio is back" : state == .lasts ? "The radio is still lost" : "The radio is lost", ""
            )
        case .radioBack(let time): return ("The radio is back", "It had been away for \(time.shownTime) or more.")
        case .storageFailing:
            return state == .ends
                ? ("The disk can be written again", "")
                : ("Nothing can be stored\(state == .lasts ? " still" : "")", "mesh-gateway status says what to do.")
        case .problem:
            let problem = matter.name ?? "problem"
            return (
                state == .ends ? "\(problem) is over" : state == .lasts ? "\(problem) lasts" : "\(problem)",
                state == .ends ? "" : "mesh-gateway status says what to do."
            )
        case .keyChanged:
            return state == .ends
                ? ("\(name)'s key is settled", "")
                : ("\(name) has another key than before", "Compare them and decide: mesh-gateway keys")
        case .directMessage: return ("Direct message from \(name)", message?.text ?? "")
        case .message, .mention:
            let channel = channelName ?? "channel \(message?.channel ?? 0)"
            return (
                rule.when == .mention ? "\(name) mentions you on \(channel)" : "\(name) on \(channel)",
                message?.text ?? ""
            )
        case .detection: return ("\(name) has detected something", message?.text ?? "")
        case .newNode: return ("New node: \(name)", "")
        case .waypoint, .waypointWithin:
            let point = waypoint?.value.name ?? ""
            return (
                "\(name) shares a waypoint" + (point.isEmpty ? "" : ": \(point)"), waypoint?.value.description ?? ""
            )
        case .nameChanged: return ("\(name) has another name", matter.name ?? "")
        case .rebooted: return ("\(name) has started again", "")
        case .gatewayStarted: return ("The gateway has started", "")
        case .entersCircle(let circle): return ("\(name) has entered \(circle.shown)", distance)
        case .leavesCircle(let circle): return ("\(name) has left \(circle.shown)", distance)
        case .at:
            let title = rule.say.map { filled($0, rule, at: time) } ?? digest?.title ?? ""
            return (title, rule.title != nil && rule.say != nil ? title : digest?.body ?? "")
        }
    }

    /// Fills in a rule's own title or words.
    private func filled(_ title: String, _ rule: Rule, at time: Int64) -> String {
        var value = ""
        if case .value(let threshold) = rule.when { value = self.value(threshold) }
        if case .problem = rule.when { value = matter.name ?? "" }
        if rule.when.circle != nil { value = matter.value?.shownLength ?? "" }
        let values = ["node": name, "value": value, "channel": channelName ?? "", "time": localTime(time)]
        var (result, rest) = ("", title[...])
        // One by one: a node's name may be "{value}".
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            result += rest[..<open] + (values[String(rest[rest.index(after: open)..<close])] ?? "")
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }
}

/// "14:02", in the host's time zone.
///
/// - Parameter other: if it is a day or more away, the date is added: "2026-11-25 14:02".
func localTime(_ milliseconds: Int64, from other: Int64? = nil) -> String {
    var (seconds, parts) = (time_t(milliseconds / 1000), tm())
    localtime_r(&seconds, &parts)
    func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let time = "\(parts.tm_hour):\(twoDigits(parts.tm_min))"
    guard let other, abs(other - milliseconds) >= 86_400_000 else { return time }
    return "\(parts.tm_year + 1900)-\(twoDigits(parts.tm_mon + 1))-\(twoDigits(parts.tm_mday)) \(time)"
}

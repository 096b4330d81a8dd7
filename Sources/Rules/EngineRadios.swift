import MeshModel
import Store

// Radios: when their links were live, which of them are lost, and what is wrong with them.

extension Engine {
    /// Adds a link's row to the times when it was live.
    mutating func fold(_ happening: Happening) {
        guard happening.kind == .link else { return }
        let source = happening.source
        if happening.name == "live" {
            links.begin(source, at: happening.at)
            lost[source] = nil
        } else {
            links.end(source, at: happening.at)
            lose(source, happening)
        }
    }

    /// A radio is away since it was first lost, whatever keeps it away now; one that was switched off is not lost.
    mutating func lose(_ source: SourceID, _ happening: Happening, isOfStart: Bool = false) {
        let isRestart = happening.name == Happening.restarting
        guard isRestart || happening.name == "lost" else { return lost[source] = nil }
        lost[source] = lost[source] ?? Loss(at: happening.at, isOfStart: isOfStart, isRestart: isRestart)
    }

    /// Follows a link's row that comes while the engine runs.
    mutating func follow(_ happening: Happening, at now: Moment) {
        if happening.name == "live" {
            cameUp.insert(happening.source)
            fold(happening)
            lookAgain(at: now)
        } else {
            links.end(happening.source, at: happening.at)
            forgetValues(of: happening.source)
            lose(happening.source, happening, isOfStart: !cameUp.contains(happening.source))
        }
    }

    /// When a radio that is away counts as lost.
    func due(_ loss: Loss, after time: Int64, at now: Moment) -> Int64 {
        let settled = now.at + max(0, Self.settling - (now.uptime - started.uptime))
        return loss.isOfStart ? max(loss.at + time, settled) : loss.at + patience(loss, time)
    }

    /// For how long a radio is away before that is news. One that restarts as it was told has a minute to come back.
    private func patience(_ loss: Loss, _ time: Int64) -> Int64 { loss.isRestart ? max(time, Self.minute) : time }

    mutating func happened(
        _ happening: Happening, _ change: StoredChange, _ facts: any RuleFacts, at now: Moment
    ) throws {
        let source = happening.source
        let wasLost = lost[source]
        if happening.name == Happening.restarting { restarting.insert(source) }
        if happening.kind == .link {
            if happening.name == "live" { restarting.remove(source) }
            if !isKnown(change) {
                follow(happening, at: now)
            } else if happening.name == "live" {
                lost[source] = nil
            } else {
                lose(source, happening)
            }
        }
        for index in active.indices
        where active[index].rule.when.isAbout(happening.kind) && change.number > active[index].row.change {
            let rule = active[index].rule
            let matter = try matter(of: happening, lostAt: wasLost?.at, facts)
            switch (rule.when, happening.kind, happening.name) {
            case (.radioLost(let time), .link, "live"):
                guard try rule.conditions.isOf(source, facts) else { continue }
                if let wasLost, !wasLost.isOfStart, happening.at - wasLost.at >= patience(wasLost, time) {
                    let time = wasLost.at + patience(wasLost, time)
                    try begin(index, .radio(source), matter, at: time, facts, now: now)
                }
                end(Key(rule: rule.name, subject: .radio(source)), matter, at: happening.at, now: now)
            case (.radioLost(0), .link, "lost"):
                guard lost[source]?.isOfStart == false, try counts(index, source, facts, at: happening.at) else {
                    continue
                }
                try begin(index, .radio(source), matter, at: happening.at, facts, now: now)
            case (.radioBack(let time), .link, "live"):
                guard let wasLost, happening.at - wasLost.at >= patience(wasLost, time),
                    try counts(index, source, facts, at: happening.at)
                else { continue }
                try tell(
                    event: index, Telling(nil, .radio(source), matter),
                    keys: ["back \(source.rawValue) \(happening.at)"],
                    at: happening.at, facts, now: now)
            case (.problem(let wanted), .problem, let name?) where wanted == nil || wanted == name:
                guard !restarting.contains(source), try counts(index, source, facts, at: happening.at) else { continue }
                try begin(index, .problem(source, name), matter, at: happening.at, facts, now: now)
            case (.problem, .solved, let name?):
                end(Key(rule: rule.name, subject: .problem(source, name)), matter, at: happening.at, now: now)
            case (.keyChanged, .key, "key-changed"): try keyChanged(index, happening, facts, at: now)
            case (.nameChanged, .renamed, _), (.rebooted, .restart, nil), (.gatewayStarted, .started, _):
                try happenedOnce(index, happening, change, facts, at: now)
            default: break
            }
        }
        guard happening.kind == .link, !isCatchingUp else { return }
        // A radio that is back does not say which of its problems are over.
        if happening.name == "live", hasSettled { try comparePresentProblems(facts, at: now) }
        try openGates(facts, at: now)
    }

    private func matter(of happening: Happening, lostAt time: Int64?, _ facts: any RuleFacts) throws -> Matter {
        switch (happening.kind, happening.name) {
        case (.problem, let name?), (.solved, let name?):
            try facts.matter(ofProblem: name, in: happening.source, text: happening.text)
        case (.link, "lost"): try facts.matter(ofRadio: happening.source, since: time ?? happening.at)
        case (.link, _): try facts.matter(ofRadio: happening.source, since: time)
        default: Matter(source: happening.source, name: happening.name)
        }
    }

    /// Radios that have been away for long enough.
    mutating func loseRadios(_ index: Int, _ facts: any RuleFacts, at now: Moment) throws {
        guard case .radioLost(let time) = active[index].rule.when else { return }
        for (source, loss) in lost.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let due = due(loss, after: time, at: now)
            guard due <= now.at, try active[index].rule.conditions.isOf(source, facts) else { continue }
            let matter = try facts.matter(ofRadio: source, since: loss.at)
            try begin(index, .radio(source), matter, at: due, facts, now: now)
        }
    }

    /// Compares which radios are connected, after changes were missed.
    mutating func compareLinks(_ facts: any RuleFacts, at now: Moment) throws {
        let live = Dictionary(try facts.liveLinks().map { ($0.source, $0) }, uniquingKeysWith: { $1 })
        for source in links.live where live[source] == nil {
            links.end(source, at: now.at)
            forgetValues(of: source)
            lost[source] = lost[source] ?? Loss(at: now.at, isOfStart: false)
        }
        for (source, happening) in live.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where !links.isLive(source) {
            let matter = try facts.matter(ofRadio: source, since: lost[source]?.at)
            follow(happening, at: now)
            for key in open({ key, _ in key.subject == .radio(source) }) {
                guard case .radioLost = rule(key.rule)?.when else { continue }
                end(key, matter, at: now.at, now: now)
            }
        }
    }

    /// Ends and begins problems that changed unnoticed.
    mutating func comparePresentProblems(_ facts: any RuleFacts, at now: Moment) throws {
        guard active.contains(where: { if case .problem = $0.rule.when { true } else { false } }) else { return }
        let present = facts.problems()
        for key in open({ key, _ in if case .problem = key.subject { true } else { false } }) {
            guard case .problem(let source, let name) = key.subject, let names = present[source], !names.contains(name)
            else { continue }
            end(key, try facts.matter(ofProblem: name, in: source), at: now.at, now: now)
        }
        for index in active.indices {
            guard case .problem(let wanted) = active[index].rule.when else { continue }
            for (source, names) in present where try active[index].rule.conditions.isOf(source, facts) {
                for name in names.sorted() where wanted == nil || wanted == name {
                    let matter = try facts.matter(ofProblem: name, in: source)
                    try begin(index, .problem(source, name), matter, at: now.at, facts, now: now)
                }
            }
        }
    }

    /// The disk has begun or stopped failing, or the gateway's problems have changed.
    public mutating func gatewayChanged(_ facts: any RuleFacts, at now: Moment) throws {
        let since = facts.storageFailingSince
        for index in active.indices where active[index].rule.when == .storageFailing {
            let matter = Matter(source: .gateway)
            if let since {
                try begin(index, .gateway, matter, at: since, facts, now: now)
            } else {
                end(Key(rule: active[index].rule.name, subject: .gateway), matter, at: now.at, now: now)
            }
        }
        if hasSettled { try comparePresentProblems(facts, at: now) }
    }
}

extension Trigger {
    /// Such a happening may begin or end it.
    fileprivate func isAbout(_ kind: Happening.Kind) -> Bool {
        switch self {
        case .radioLost, .radioBack: kind == .link
        case .problem: kind == .problem || kind == .solved
        case .keyChanged: kind == .key
        case .nameChanged: kind == .renamed
        case .rebooted: kind == .restart
        case .gatewayStarted: kind == .started
        default: false
        }
    }
}

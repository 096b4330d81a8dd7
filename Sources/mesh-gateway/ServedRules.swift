import Folders
import Platform
import Routes
import Rules
import Store

extension FolderDoor {
    /// The rules of this daemon.
    init(_ rules: RunningRules) {
        self.init(
            rules.folder, state: { rules.state }, near: { rules.nearMisses() }, tally: { rules.tally.counts },
            limits: { rules.limits },
            reload: { rules.reload() })
    }

    /// What the files say while no daemon runs and no rule is in force.
    init(rulesIn folder: RulesFolder) {
        self.init(
            folder, state: { RunningRules.State(filesOf: folder.read()) }, near: { [] }, tally: { [:] },
            limits: { ActLimits() }, reload: {})
    }

    private init(
        _ folder: RulesFolder, state: @escaping @Sendable () -> RunningRules.State,
        near: @escaping @Sendable () -> [NearMiss], tally: @escaping @Sendable () -> [String: ActTally.Counts],
        limits: @escaping @Sendable () -> ActLimits,
        reload: @escaping @Sendable () -> Void
    ) {
        let unknown: @Sendable (String) -> APIError = { name in
            .notFound("There is no rule \"\(name)\"; mesh-gateway rule list shows them")
        }
        self.init(
            names: { state().files.map(\.name) },
            rows: { wanted, question, reader in
                let shown = try ShownRules(
                    state(), in: folder, wanted, reader, limits: limits(), maySee: question.maySee)
                return { $0.rules(shown, wanted) }
            }, reload: reload,
            test: { name, question, reader in
                let builtIn = name == RuleFile.builtIn.name ? RuleFile.builtIn : nil
                guard let file = folder.file(named: name) ?? builtIn else { throw unknown(name) }
                let test = try RuleTest(file, question, reader)
                    .filtered(limit: question.limit, maySee: question.maySee)
                let sources = try reader.sources()
                return .shown({ $0.ruleTest(name, test, sources) })
            }, unknown: unknown, metrics: { _ in Metric.ofActs(tally(), of: state()) },
            told: { subject, question, reader in
                let names = state().files.map(\.name)
                let told = try ToldByRules(
                    about: subject, rules: names, near: near(), limit: question.limit, reader,
                    maySee: question.maySee, sees: question.sees, word: { $0.delivery?.detailName })
                guard case .rule(let name) = subject else { return { $0.told(told) } }
                if try !names.contains(name) && reader.firings(of: name, limit: 1).isEmpty { throw unknown(name) }
                return { json in
                    json.member("rule", name)
                    json.told(told)
                }
            })
    }
}

extension FolderDoor.Metric {
    /// Of the rules in force that act.
    fileprivate static func ofActs(_ counts: [String: ActTally.Counts], of state: RunningRules.State) -> [Self] {
        let names = state.inForce.filter { $0.isEnabled && $0.acts }.map(\.name)
        return [
            Self(
                "mesh_gateway_rule_acts_sent_total", "Acts of a rule that left, since the start.", isCounter: true,
                label: "rule", names.map { ($0, counts[$0]?.sent ?? 0) }),
            Self(
                "mesh_gateway_rule_acts_skipped_total", "Acts of a rule that came to nothing, since the start.",
                isCounter: true, label: "rule", names.map { ($0, counts[$0]?.skipped ?? 0) }),
        ]
    }
}

extension RuleTest {
    /// Of a rule as its file is now.
    fileprivate init(_ file: RuleFile, _ question: FolderDoor.Question, _ reader: Reader) throws {
        let name = file.name
        guard let rule = file.rule else {
            throw APIError.conflict("The file of rule \(name) has a mistake; mesh-gateway rule show \(name) says which")
        }
        if let target = question.target, !rule.targets.contains(target) {
            throw APIError.conflict("Rule \(name) does not tell \(target); to have it do so, write: tell = \(target)")
        }
        let (now, host) = (WallClock.milliseconds(), TestingHost(version: MeshGateway.version))
        do {
            self =
                try question.event.map { try .ofEvent($0, rule, reader, at: now, on: host) }
                ?? .ofHistory(rule, reader, at: now, on: host)
        } catch let error as BadEvent {
            throw APIError.badRequest(error.text)
        }
        if question.target != nil { self = try asSent(by: rule, reader) }
    }
}

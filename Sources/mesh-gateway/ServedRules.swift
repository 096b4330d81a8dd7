import Folders
import Platform
import Routes
import Rules
import Store

extension RulesDoor {
    /// What the pages show of the rules of this daemon.
    init(_ rules: RunningRules) {
        let folder = rules.folder
        self.init(
            report: { Report(rules.state, in: folder, obstacle: rules.obstacle) },
            nearMisses: { rules.nearMisses().map(NearMissReport.init) },
            test: { name, event, target, reader in try RuleTestReport(name, event, target, reader, in: folder) },
            watched: { name, reader in try WatchedReport(name, reader, in: folder) }, reload: { _ = rules.reload() })
    }
}

extension RulesDoor {
    /// What the files say while no daemon runs and no rule is in force.
    init(filesIn folder: RulesFolder) {
        self.init(
            report: { Report(RunningRules.State(filesOf: folder.read()), in: folder) },
            test: { name, event, target, reader in try RuleTestReport(name, event, target, reader, in: folder) },
            watched: { name, reader in try WatchedReport(name, reader, in: folder) }, reload: {})
    }
}

extension RuleTestReport {
    /// Tests the rule as its file is now.
    ///
    /// - Parameter target: as this one would get it; nil: as it is in the feed.
    fileprivate init(
        _ name: String, _ event: String?, _ target: String?, _ reader: Reader, in folder: RulesFolder
    ) throws {
        guard let file = folder.file(named: name) else { throw APIError.noRule(name) }
        guard let rule = file.rule else {
            throw APIError.conflict("The file of rule \(name) has a mistake; mesh-gateway rule show \(name) says which")
        }
        if let target, !rule.targets.contains(target) {
            throw APIError.conflict("Rule \(name) does not tell \(target); to have it do so, write: tell = \(target)")
        }
        let now = WallClock.milliseconds()
        do {
            var test =
                try event.map { try RuleTest.ofEvent($0, rule, reader, at: now) }
                ?? RuleTest.ofHistory(rule, reader, at: now)
            if target != nil { test = try test.asSent(by: rule, reader) }
            self.init(
                type: test.type, since: test.since, reach: test.reach, count: test.count, firings: test.firings,
                near: test.near.map(NearMissReport.init))
        } catch let error as BadEvent {
            throw APIError.badRequest(error.text)
        }
    }
}

extension WatchedReport {
    /// By the rule as its file is now.
    fileprivate init?(_ name: String, _ reader: Reader, in folder: RulesFolder) throws {
        guard let rule = folder.file(named: name)?.rule else { return nil }
        let watched = try WatchedNodes(rule, reader, at: WallClock.milliseconds())
        self.init(
            count: watched.count, strangers: watched.strangers.map { ($0.name, $0.similar) },
            lacksFavourites: watched.lacksFavourites)
    }
}

extension RulesDoor.Report {
    fileprivate init(_ state: RunningRules.State, in folder: RulesFolder, obstacle: Obstacle? = nil) {
        let files = state.files.map { file in
            let inForce = state.inForce(file.name)
            let rule = inForce ?? file.rule
            return RuleReport(
                name: file.name, type: rule?.when.type, text: rule?.text ?? "",
                isEnabled: rule?.isEnabled ?? true, isInForce: inForce?.isEnabled ?? false,
                isOfState: rule?.when.isState ?? false, mistakes: file.mistakes)
        }
        self.init(folder: folder.path, rules: files, mistakes: state.mistakesOfFolder, obstacle: obstacle)
    }
}

extension NearMissReport {
    fileprivate init(_ miss: NearMiss) {
        self.init(
            rule: miss.rule, at: miss.at, source: miss.source, node: miss.node, messageID: miss.messageID,
            need: miss.need, condition: miss.condition)
    }
}

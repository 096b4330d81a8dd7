import Routes
import Rules

extension RulesDoor {
    /// What the pages show of the rules of this daemon.
    init(_ rules: RunningRules) {
        self.init(
            report: { Report(rules.state, in: rules.folder) },
            nearMisses: { rules.nearMisses(of: $0).map(NearMissReport.init) }, reload: { rules.reload() })
    }
}

extension RulesDoor {
    /// What the files say while no daemon runs: none is in force.
    init(filesIn folder: RulesFolder) {
        self.init(
            report: {
                let (files, mistakes) = folder.read()
                return Report(RunningRules.State(files: files ?? [], mistakesOfFolder: mistakes), in: folder)
            }, reload: {})
    }
}

extension RulesDoor.Report {
    fileprivate init(_ state: RunningRules.State, in folder: RulesFolder) {
        let files = state.files.map { file in
            let inForce = state.inForce.first { $0.name == file.name }
            let rule = inForce ?? file.rule
            return RuleReport(
                name: file.name, type: rule?.when.type, text: rule?.text ?? "",
                isEnabled: rule?.isEnabled ?? true, isInForce: inForce?.isEnabled ?? false,
                mistakes: file.mistakes.map(RuleReport.Mistake.init))
        }
        self.init(folder: folder.path, rules: files, mistakes: state.mistakesOfFolder.map(RuleReport.Mistake.init))
    }
}

extension NearMissReport {
    fileprivate init(_ miss: NearMiss) {
        self.init(at: miss.at, node: miss.node, messageID: miss.messageID, condition: miss.condition)
    }
}

extension RuleReport.Mistake {
    init(_ mistake: RuleMistake) { self.init(file: mistake.file, line: mistake.line, text: mistake.text) }
}

import Notifications
import Routes

extension TargetsDoor {
    /// What the pages show of the targets of this daemon.
    init(_ targets: RunningTargets) {
        self.init(
            report: { Report(targets) }, reload: { targets.reload() }, test: { targets.test($0) })
    }
}

extension TargetsDoor.Report {
    fileprivate init(_ targets: RunningTargets) {
        let state = targets.state
        let reports = state.files.map { file in
            let target = state.inForce.first { $0.name == file.name }
            var report = TargetReport(
                name: file.name, kind: target?.kind.word ?? file.kind, url: target?.address.shown,
                fallback: target?.fallback, isInForce: target != nil,
                mistakes: file.mistakes.map(RuleReport.Mistake.init))
            if let progress = targets.progress(of: file.name) {
                (report.waiting, report.row, report.isFailing) = (progress.waiting, progress.row, progress.isFailing)
                report.test = progress.test.map { ($0.at, $0.error) }
            }
            return report
        }
        self.init(
            folder: targets.folder.path, targets: reports,
            mistakes: state.mistakesOfFolder.map(RuleReport.Mistake.init),
            obstacle: targets.hasCurl ? nil : RunningTargets.missingCurl)
    }
}

extension RuleReport.Mistake {
    init(_ mistake: TargetMistake) { self.init(file: mistake.file, line: mistake.line, text: mistake.text) }
}

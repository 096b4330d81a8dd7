import Folders
import Notifications
import Routes
import Rules
import Store

extension TargetsDoor {
    /// What the pages show of the targets of this daemon.
    init(_ targets: RunningTargets) {
        let pace = TestPace<Target>()
        self.init(
            report: {
                Report(targets.state, in: targets.folder, obstacle: targets.obstacle, progress: targets.progress)
            }, reload: { _ = targets.reload() }, test: { targets.test($0) },
            pause: { name in
                targets.state.inForce.first { $0.name == name }.flatMap { pace.wait(for: name, $0) }
            })
    }

    /// What the files say and what waits in the database, while no daemon runs and no target is in force.
    init(filesIn folder: TargetsFolder, waitingIn store: ReadOnlyStore) {
        self.init(
            report: {
                let known = try? store.read { (try $0.targets(), try $0.waitingCounts()) }
                let files = RunningTargets.State(FolderOfFiles(filesOf: folder.read()))
                return Report(files, in: folder, obstacle: nil) { name in
                    let row = known?.0.first { $0.name == name }
                    return RunningTargets.Progress(row: row ?? TargetRow(name), waiting: known?.1[name] ?? 0)
                }
            }, reload: {}, test: { _ in false })
    }
}

extension TargetsDoor.Report {
    fileprivate init(
        _ state: RunningTargets.State, in folder: TargetsFolder, obstacle: Obstacle?,
        progress: (String) -> RunningTargets.Progress?
    ) {
        let reports = state.files.map { file in
            let inForce = state.inForce.first { $0.name == file.name }
            let target = inForce ?? file.target
            var report = TargetReport(
                name: file.name, kind: target?.kind.word ?? file.word, url: target?.address.shown,
                fallback: target?.fallback, isInForce: inForce != nil,
                mistakes: file.mistakes)
            report.isAlive = target?.isAlive ?? file.isAlive
            if let progress = progress(file.name) {
                (report.waiting, report.row, report.isFailing) = (progress.waiting, progress.row, progress.isFailing)
                report.summaryAt = progress.summaryAt
                report.test = progress.test.map { ($0.at, $0.error) }
            }
            return report
        }
        self.init(
            folder: folder.path, targets: reports, mistakes: state.mistakesOfFolder,
            obstacle: obstacle)
    }
}

extension TargetInVain {
    /// As the files of rules and targets say. None if the targets are not to be looked at.
    static func all(besideFile file: String) -> [TargetInVain] {
        guard let targets = TargetsFolder(besideFile: file).read().files else { return [] }
        let rules = (RulesFolder(besideFile: file).read().files ?? []).compactMap(\.rule).filter(\.isEnabled)
        return all(
            rules.map { ($0.name, $0.targets) }, Dictionary(targets.map { ($0.name, $0.isAlive) }) { $1 })
    }
}

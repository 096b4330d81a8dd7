import Folders
import Notifications
import Routes
import Rules
import Store

extension FolderDoor {
    /// The targets of this daemon.
    init(_ targets: RunningTargets) {
        let pace = TestPace()
        self.init(shown: { _ in targets.shown }, reload: { targets.reload() }) { name, question in
            guard let target = targets.state.inForce.first(where: { $0.name == name }) else { return false }
            if !question.isLocal, let seconds = pace.wait(for: name, target) {
                throw APIError.triedJustNow(name, retryAfter: seconds)
            }
            return targets.test(name)
        }
    }

    /// What the files say and what waits in the database, while no daemon runs and no target is in force.
    init(targetsIn folder: TargetsFolder) {
        self.init(
            shown: { reader in
                let (rows, waiting) = (try reader?.targets() ?? [], try reader?.waitingCounts() ?? [:])
                let files = RunningTargets.State(FolderOfFiles(filesOf: folder.read()))
                return ShownTargets(files, in: folder) { name in
                    let row = rows.first { $0.name == name }
                    return RunningTargets.Progress(row: row ?? TargetRow(name), waiting: waiting[name] ?? 0)
                }
            }, reload: {}, test: { _, _ in false })
    }

    /// - Parameters:
    ///   - shown: with what a reader has of them, where there is one.
    ///   - test: false: it is not in force.
    private init(
        shown: @escaping @Sendable (Reader?) throws -> ShownTargets, reload: @escaping @Sendable () -> Void,
        test: @escaping @Sendable (String, Question) throws -> Bool
    ) {
        let unknown: @Sendable (String) -> APIError = { name in
            .notFound("There is no target \"\(name)\" in force; mesh-gateway target list shows them")
        }
        self.init(
            names: { ((try? shown(nil))?.targets ?? []).map(\.name) },
            rows: { wanted, _, reader in
                let (targets, held) = (try shown(reader), try reader.heldCounts())
                return { $0.targets(targets, wanted, held: held) }
            }, reload: reload,
            test: { name, question, _ in
                guard try test(name, question) else { throw unknown(name) }
                return .begun
            }, unknown: unknown,
            metrics: { reader in
                let targets = try shown(reader).targets
                let held = try targets.isEmpty ? [:] : reader.heldCounts()
                return Metric.ofTargets(targets, held: held)
            })
    }
}

extension FolderDoor.Metric {
    fileprivate static func ofTargets(_ targets: [ShownTarget], held: [String: Int]) -> [FolderDoor.Metric] {
        func metric(
            _ name: StaticString, _ help: StaticString, _ value: (ShownTarget) -> Int
        ) -> FolderDoor.Metric {
            FolderDoor.Metric(name, help, label: "target", targets.map { ($0.name, value($0)) })
        }
        return [
            metric("mesh_gateway_target_waiting", "Notifications that are to be sent to a target.") { $0.waiting },
            metric("mesh_gateway_target_held", "Notifications that quiet hours hold for a target.") {
                held[$0.name] ?? 0
            },
            metric("mesh_gateway_target_failing", "1 while a target does not take what it is sent, else 0.") {
                $0.isFailing ? 1 : 0
            },
        ]
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

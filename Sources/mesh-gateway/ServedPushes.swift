import Notifications
import Routes
import Rules
import Store

extension PushDoor {
    /// The registrations of this daemon.
    init(_ targets: RunningTargets, _ rules: RunningRules) {
        self.init(
            key: { targets.pushKeyShown },
            refusal: { targets.refusal(of: $0) },
            hasAPNs: { targets.hasAPNs },
            rules: { rules.telling.map { TellingRule($0.name, isBuiltIn: $0.isBuiltIn) } },
            progress: { registration, _ in Progress(targets.registrationProgress(registration.id)) },
            changed: {
                targets.registrationsChanged()
                rules.devicesChanged()
            },
            test: { targets.testRegistration($0) }, newKey: { try targets.newPushKey() })
    }

    /// What the database has, while no daemon runs and nothing is sent.
    ///
    /// - Parameter hasAPNs: as the settings say.
    static func stored(hasAPNs: Bool) -> PushDoor {
        PushDoor(
            hasAPNs: { hasAPNs }, rules: { [] },
            progress: { registration, reader in
                let row = try reader.targets().first { $0.name == registration.target }
                let waiting = try reader.waitingCounts()[registration.target] ?? 0
                return Progress(row.map { RunningTargets.Progress(row: $0, waiting: waiting) })
            })
    }
}

extension PushDoor.Progress {
    fileprivate init(_ progress: RunningTargets.Progress?) {
        self.init()
        guard let progress else { return }
        (toldAt, waiting) = (progress.row.succeededAt, progress.waiting)
        (failingSince, error) = (progress.row.failingSince, progress.row.error)
        test = progress.test.map { Test(at: $0.at, error: $0.error) }
    }
}

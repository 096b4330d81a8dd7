import Folders
import MeshModel
import Store

extension RunningTargets {
    /// What is wrong with what registrations are sent; an answer alone is no reason to look after it, an hour of them is.
    var pushesFailing: [Problem] {
        let (devices, progress) = signals.withLock { ($0.devices, $0.state.progress) }
        guard !devices.isEmpty else { return [] }
        if let obstacle {
            return [
                Problem(.pushFailing, "Phones and browsers are not told: \(obstacle.text)", command: obstacle.command)
            ]
        }
        let failing = devices.filter { progress[$0.name]?.isFailing == true }
        guard let first = failing.first else { return [] }
        let count = failing.count == 1 ? "A registered phone or browser is" : "\(failing.count) phones or browsers are"
        let why = progress[first.name]?.row.error ?? ""
        return [
            Problem(
                .pushFailing,
                "\(count) not told: \(why). \(Self.advice(on: failing, progress)) To see them: \(Self.list)",
                command: Self.list)
        ]
    }

    private static let list = "mesh-gateway push list"

    /// Where its push service has answered, the mistake is on this side; else it is not there.
    private static func advice(on failing: [Target], _ progress: [String: Progress]) -> String {
        let isRefused = failing.contains { target in
            progress[target.name].map { $0.row.nextAt == nil && target.registration?.obstacle == nil } ?? false
        }
        return isRefused
            ? "Look whether this computer's clock is right (timedatectl), whether push-contact in mesh-gateway.conf is an address "
                + "of yours, and whether the push key is the one that they registered with (mesh-gateway push new-key makes another)."
            : "It is tried again with each notification."
    }
}

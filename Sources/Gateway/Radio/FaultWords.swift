import MeshModel
import Store

// What is wrong, in the words that are the same wherever it is told: `mesh-gateway status`, the service manager's line.

extension RadioStatus {
    /// What keeps the link from working comes first.
    public var faults: [Problem] {
        var faults = [link.problem].compactMap { $0 } + problems
        if txDisabled { faults.append(.transmitterOff) }
        return faults
    }
}

extension Source {
    /// What is wrong with this source's radio.
    ///
    /// - Parameters:
    ///   - radio: nil if no daemon runs.
    ///   - doubtedKeys: for how many nodes a key other than the known one was seen.
    public func problems(_ radio: RadioStatus?, doubtedKeys: Int) -> [Problem] {
        var problems = (radio?.faults ?? []).map { $0.of(source: uuid) }
        if doubtedKeys > 0 {
            let nodes = doubtedKeys == 1 ? "1 node's key needs" : "\(doubtedKeys) nodes' keys need"
            problems.append(
                Problem(
                    .keysInDoubt, "\(nodes) a person's decision: mesh-gateway keys", command: "mesh-gateway keys",
                    source: uuid))
        }
        return problems
    }
}

extension Health {
    /// - Parameter showsFiles: with what the disk has said, which names files.
    func problems(showsFiles: Bool) -> [Problem] {
        var problems = [showsFiles ? fault : publicFault].compactMap(\.self)
        if droppedChanges > 0 {
            problems.append(
                Problem(
                    .changesDropped,
                    "\(droppedChanges) things that were heard got lost, because the disk was too slow."))
        }
        return problems
    }

    /// Nil while everything can be stored.
    public var fault: Problem? {
        guard failingSince != nil, let error = lastError else { return nil }
        return Problem(
            .diskFailing, "Nothing can be stored: \(error). \(cause.map(advice) ?? "")",
            command: cause.flatMap(command))
    }

    /// The same without what the disk has said, which names files: for clients.
    public var publicFault: Problem? {
        guard failingSince != nil else { return nil }
        return Problem(
            .diskFailing, "Nothing can be stored. \(cause.map(advice) ?? "")",
            command: cause.flatMap(command))
    }

    private func command(_ cause: Cause) -> String? {
        switch cause {
        case .full: "df -h"
        case .readOnly, .broken: "sudo dmesg | tail"
        case .displaced: nil
        }
    }

    private func advice(_ cause: Cause) -> String {
        let waiting = "Until then, what the mesh sends waits in memory."
        return switch cause {
        case .full: "The disk is full: make room on it (df -h shows which one is full). \(waiting)"
        case .readOnly:
            "The disk is read-only, as the kernel makes a damaged one: sudo dmesg | tail says why. \(waiting)"
        case .displaced: "What was stored before can still be read. \(waiting)"
        case .broken: "Free space on the disk, or repair it; sudo dmesg | tail says what is wrong with it. \(waiting)"
        }
    }
}

extension Problem {
    fileprivate static let transmitterOff = Self(
        .transmitterOff,
        "The radio's transmitter is switched off: nothing is sent. Switch it on: "
            + "mesh-gateway radio config set lora.tx_enabled=true",
        command: "mesh-gateway radio config set lora.tx_enabled=true")
}

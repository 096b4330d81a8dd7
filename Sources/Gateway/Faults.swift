import MeshModel
import Store

// What is wrong, in the words that are the same wherever it is told: `mesh-gateway status`, the service manager's line.

extension RadioStatus {
    /// What keeps the link from working comes first.
    public var faults: [LinkState.Problem] {
        var faults = [link.problem].compactMap { $0 } + problems
        if txDisabled { faults.append(.transmitterOff) }
        return faults
    }
}

extension Health {
    /// Nil while everything can be stored.
    public var fault: LinkState.Problem? {
        guard failingSince != nil, let error = lastError else { return nil }
        return LinkState.Problem(
            name: "disk-failing", advice: "Nothing can be stored: \(error). Make room on the disk, or mend it.")
    }
}

extension LinkState.Problem {
    fileprivate static let transmitterOff = Self(
        name: "transmitter-off",
        advice: "The radio's transmitter is switched off: nothing is sent. Switch it on: "
            + "mesh-gateway radio config set lora.tx_enabled=true")
}

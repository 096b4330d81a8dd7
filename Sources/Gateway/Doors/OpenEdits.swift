import MeshModel
import MeshProtocol
import RadioLink
import Store

/// What lies between a client's begin and commit.
struct OpenEdit: Sendable {
    /// Nanoseconds.
    static let lifetime: MonotonicTime = 60_000_000_000

    var owner: Sender
    var ends: MonotonicTime
    /// Something was written: the radio restarts, or has to be read again.
    var hasChanges = false
}

extension AttachedRadio {
    func beginEdit(of source: SourceID) throws(RadioRefusal) {
        do throws(RadioRefusal) {
            try tell(.beginEdit, of: source)
        } catch {
            // Nobody has it, and the radio may have begun it.
            if error == .silent { ask(.commitEdit) { _ in } }
            throw error
        }
    }

    /// An edit that the radio does not end stays its owner's, who may try again, until its time is over.
    func commitEdit(of source: SourceID) throws(RadioRefusal) {
        guard state.withLock({ $0.edit != nil }) else { return }
        try tell(.commitEdit, of: source)
        let edit = state.withLock { $0.edit.take() }
        guard edit?.hasChanges == true else { return }
        restartWasOrdered(in: Self.secondsToRestart)
        readAgain()
    }

    // MARK: Edits that end by themselves

    /// Ends the open edit if it is such a one: what was written is kept, as its answers were.
    func endEdit(where isMeant: @Sendable (OpenEdit) -> Bool) {
        let edit = state.withLock { state -> OpenEdit? in
            guard let edit = state.edit, isMeant(edit) else { return nil }
            state.edit = nil
            return edit
        }
        guard let edit else { return }
        ask(.commitEdit) { _ in }
        guard edit.hasChanges else { return }
        restartWasOrdered(in: Self.secondsToRestart)
        readAgain()
    }

    /// - Returns: when the open edit ends.
    func expireEdit(at now: MonotonicTime) -> MonotonicTime? {
        endEdit { $0.ends <= now }
        return state.withLock { $0.edit?.ends }
    }
}

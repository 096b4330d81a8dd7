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
    /// What was written in it. A radio that restarts forgets what was not committed, and is told it again then.
    var written: [AdminRequest] = []

    /// More than there are sections, channels and texts.
    private static let mostWritten = 64

    mutating func note(_ request: AdminRequest) {
        hasChanges = true
        if written.count < Self.mostWritten { written.append(request) }
    }
}

extension AttachedRadio {
    /// It waits for who changes settings now: what they write would be within this edit.
    func beginEdit(by owner: Sender, of source: SourceID) throws(RadioRefusal) {
        try settingsChange.withLock { _ throws(RadioRefusal) in
            do throws(RadioRefusal) {
                try tell(.beginEdit, of: source)
            } catch {
                // Nobody has it, and the radio may have begun it.
                if error == .silent { ask(.commitEdit) { _ in } }
                throw error
            }
            let ends = monotonic() + OpenEdit.lifetime
            state.withLock { $0.edit = OpenEdit(owner: owner, ends: ends) }
        }
        wake()
    }

    /// A change by others during an edit would be saved only when the edit commits, and their own commit would end it.
    ///
    /// The caller holds ``settingsChange``, so that no edit begins meanwhile.
    func refuseWhileEditIsOpen() throws(RadioRefusal) {
        if let owner = state.withLock({ $0.edit?.owner }) { throw .editIsOpen(by: owner) }
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

    /// Goes on with an edit of this client that was lost in a restart.
    func resumeEdit(of owner: Sender, in source: SourceID) throws(RadioRefusal) {
        let lost = state.withLock { $0.lostEdit?.owner == owner ? $0.lostEdit : nil }
        guard let lost else { return }
        try beginEdit(by: owner, of: source)
        for request in lost.written { try tell(request, of: source) }
        state.withLock { state in
            state.edit?.written = lost.written
            state.edit?.hasChanges = true
            state.lostEdit = nil
        }
    }

    // MARK: Edits that end by themselves

    /// Ends the open edit if it is such a one: what was written is kept, as its answers were.
    func endEdit(where isMeant: @Sendable (OpenEdit) -> Bool) {
        let edit = state.withLock { state -> OpenEdit? in
            if let lost = state.lostEdit, isMeant(lost) { state.lostEdit = nil }
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
        return state.withLock { ($0.edit ?? $0.lostEdit)?.ends }
    }
}

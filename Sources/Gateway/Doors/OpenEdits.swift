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

    /// Which edits end.
    enum Meant: Sendable {
        case of(Sender)
        case overdue(at: MonotonicTime)

        func includes(_ edit: OpenEdit) -> Bool {
            switch self {
            case .of(let owner): edit.owner == owner
            case .overdue(let now): edit.ends <= now
            }
        }
    }

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
            administration.begin(OpenEdit(owner: owner, ends: ends))
        }
        wake()
    }

    /// A change by others during an edit would be saved only when the edit commits, and their own commit would end it.
    ///
    /// The caller holds ``settingsChange``, so that no edit begins meanwhile.
    func refuseWhileEditIsOpen() throws(RadioRefusal) {
        if let owner = administration.editor { throw .editIsOpen(by: owner) }
    }

    /// An edit that the radio does not end stays its owner's, who may try again, until its time is over.
    func commitEdit(of source: SourceID) throws(RadioRefusal) {
        guard administration.editor != nil else { return }
        try tell(.commitEdit, of: source)
        let edit = administration.takeEdit()
        guard edit?.hasChanges == true else { return }
        restartWasOrdered(in: Self.secondsToRestart)
        readAgain()
    }

    /// Goes on with an edit of this client that was lost in a restart.
    func resumeEdit(of owner: Sender, in source: SourceID) throws(RadioRefusal) {
        guard let lost = administration.lostEdit(of: owner) else { return }
        try beginEdit(by: owner, of: source)
        for request in lost.written { try tell(request, of: source) }
        administration.resumed(lost)
    }

    // MARK: Edits that end by themselves

    /// Ends the open edit if it is such a one: what was written is kept, as its answers were.
    func endEdit(_ meant: OpenEdit.Meant) {
        guard let edit = administration.takeEdit(meant) else { return }
        ask(.commitEdit) { _ in }
        guard edit.hasChanges else { return }
        restartWasOrdered(in: Self.secondsToRestart)
        readAgain()
    }

    /// - Returns: when the open edit ends.
    func expireEdit(at now: MonotonicTime) -> MonotonicTime? {
        endEdit(.overdue(at: now))
        return administration.editEnds
    }
}

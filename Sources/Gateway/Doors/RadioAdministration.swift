import MeshModel
import MeshProtocol
import RadioLink

/// What is under way between clients and the radio that they administer: the open edit, the answers that are kept, the
/// restart that was ordered, and who waits for one of them.
final class RadioAdministration: Sendable {
    /// What clients want to have changed.
    let orders = OrderQueue()
    /// Who waits for what the radio says.
    let awaited = AwaitedAnswers()
    private let state = OwnerLock(State())

    private struct State {
        var edit: OpenEdit?
        /// It was open when the radio restarted as it was told.
        var lostEdit: OpenEdit?
        var answers = KeptAnswers()
        /// When the radio was last told of a favourite, until it warns.
        var favoriteToldAt: MonotonicTime?
        /// When a restart of the radio is one that it was told to make.
        var orderedRestart: ClosedRange<MonotonicTime>?
        /// The link was lost in that time, or the radio has said that it starts; and it is live again since.
        var hasLeftToRestart = false
        var hasRestarted = false
        /// Orders that wait for the radio.
        var awaitedChanges: [PromisedValue<AdminOutcome>] = []

        func isRestartOrdered(at now: MonotonicTime) -> Bool { orderedRestart?.contains(now) ?? false }
        func isRestarting(at now: MonotonicTime) -> Bool {
            hasLeftToRestart && orderedRestart.map { now <= $0.upperBound } ?? false
        }
    }

    /// The link is in another state. It is told before others see that state: who finds the radio away finds also why.
    func linkChanged(to link: LinkState, at now: MonotonicTime) {
        state.withLock { state in
            switch link {
            case .live:
                if state.hasLeftToRestart { (state.hasLeftToRestart, state.hasRestarted) = (false, true) }
            case .configuring: break
            default:
                if state.isRestartOrdered(at: now), !state.hasRestarted { state.hasLeftToRestart = true }
                if let edit = state.edit.take(), state.hasLeftToRestart { state.lostEdit = edit }
            }
        }
    }

    // MARK: Restarts

    /// The radio says that it starts, perhaps over a link that stays.
    ///
    /// - Returns: whether that is the restart that was ordered. One that follows is the radio's own.
    func hasStarted(at now: MonotonicTime) -> Bool {
        state.withLock { state in
            guard state.isRestartOrdered(at: now), !state.hasRestarted else { return false }
            state.hasLeftToRestart = true
            return true
        }
    }

    func orderRestart(within time: ClosedRange<MonotonicTime>) {
        state.withLock { ($0.orderedRestart, $0.hasRestarted) = (time, false) }
    }

    func isRestartOrdered(at now: MonotonicTime) -> Bool { state.withLock { $0.isRestartOrdered(at: now) } }

    /// The radio has left as it was told, and is not back yet.
    func isRestarting(at now: MonotonicTime) -> Bool { state.withLock { $0.isRestarting(at: now) } }

    /// The same, however long it takes.
    var hasLeftToRestart: Bool { state.withLock { $0.hasLeftToRestart } }

    /// It has left, or may be about to.
    func isRestartDue(at now: MonotonicTime) -> Bool {
        state.withLock { $0.isRestarting(at: now) || !$0.hasRestarted && $0.isRestartOrdered(at: now) }
    }

    /// It is brought something when the link's state changes.
    func add(_ change: PromisedValue<AdminOutcome>) { state.withLock { $0.awaitedChanges.append(change) } }
    func remove(_ change: PromisedValue<AdminOutcome>) {
        state.withLock { $0.awaitedChanges.removeAll { $0 === change } }
    }

    func takeAwaitedChanges() -> [PromisedValue<AdminOutcome>] {
        state.withLock { state in
            defer { state.awaitedChanges = [] }
            return state.awaitedChanges
        }
    }

    // MARK: The edit

    /// Whose edit is open.
    var editor: Sender? { state.withLock { $0.edit?.owner } }
    /// When the open edit ends, or is no longer gone on with.
    var editEnds: MonotonicTime? { state.withLock { ($0.edit ?? $0.lostEdit)?.ends } }

    func begin(_ edit: OpenEdit) { state.withLock { $0.edit = edit } }
    func takeEdit() -> OpenEdit? { state.withLock { $0.edit.take() } }

    /// The edits that are meant are over.
    ///
    /// - Returns: the open one, if it was.
    func takeEdit(_ meant: OpenEdit.Meant) -> OpenEdit? {
        state.withLock { state in
            if let lost = state.lostEdit, meant.includes(lost) { state.lostEdit = nil }
            guard let edit = state.edit, meant.includes(edit) else { return nil }
            state.edit = nil
            return edit
        }
    }

    func lostEdit(of owner: Sender) -> OpenEdit? {
        state.withLock { $0.lostEdit?.owner == owner ? $0.lostEdit : nil }
    }

    /// The lost edit is open again, and the radio has been told what was written in it.
    func resumed(_ lost: OpenEdit) {
        state.withLock { state in
            state.edit?.written = lost.written
            state.edit?.hasChanges = true
            state.lostEdit = nil
        }
    }

    func noteWritten(_ request: AdminRequest) { state.withLock { $0.edit?.note(request) } }

    /// Something of the settings has changed.
    ///
    /// - Returns: whether that is within an edit.
    func noteChange() -> Bool {
        state.withLock { state in
            state.edit?.hasChanges = true
            return state.edit != nil
        }
    }

    // MARK: Answers

    func step(
        _ order: AdminOrder, right: ClientRight, at now: MonotonicTime,
        _ completion: @escaping KeptAnswers.Completion
    ) -> KeptAnswers.Step {
        state.withLock { $0.answers.step(order, right: right, at: now, completion) }
    }

    func take(
        _ outcome: AdminOutcome, to inquiry: KeptAnswers.Inquiry, at now: MonotonicTime
    ) -> (askers: [KeptAnswers.Completion], next: KeptAnswers.Inquiry?) {
        state.withLock { $0.answers.take(outcome, to: inquiry, at: now) }
    }

    /// Something was set, or it is another session.
    func forgetAnswers() { state.withLock { $0.answers.forget() } }

    // MARK: Favourites

    func toldFavorite(at now: MonotonicTime) { state.withLock { $0.favoriteToldAt = now } }

    /// - Returns: when the radio was told of one since it warned last.
    func takeFavorite() -> MonotonicTime? { state.withLock { $0.favoriteToldAt.take() } }
}

import MeshModel
import Store
import Synchronization

// What is wrong now. Nobody stores it: most of it is computed when somebody asks. So each room gives a function, whoever shows
// problems asks here for all of them, and whoever sees that something has changed says only that:
//
//     store, shared ports, rules, targets,
//     brokers, conversations --functions-->     Problems --> status, /problems, doctor
//                            and "changed" -->  Problems --> rules, brokers: they ask again

/// What is wrong with the gateway itself, from every room that knows some of it.
public final class Problems: Sendable {
    /// - Parameter showsFiles: for users of this machine: with the names of files.
    public typealias Room = @Sendable (_ showsFiles: Bool) -> [Problem]

    private struct State {
        var rooms: [Room]
        var followers: [@Sendable () -> Void] = []
    }

    private let state: Mutex<State>

    init(_ store: Store) {
        state = Mutex(State(rooms: [{ [weak store] in store?.health.problems(showsFiles: $0) ?? [] }]))
    }

    /// - Parameter room: what is wrong there, each time when somebody asks; on any thread. Shown behind the rooms added before.
    public func add(_ room: @escaping Room) { state.withLock { $0.rooms.append(room) } }

    /// - Parameter follower: called on any thread when something may have begun or ended. Must return at once.
    public func follow(_ follower: @escaping @Sendable () -> Void) { state.withLock { $0.followers.append(follower) } }

    /// Something has begun or ended, or is about something else now: those that follow ask again.
    public func changed() {
        for follower in state.withLock({ $0.followers }) { follower() }
    }

    /// What is wrong with the gateway itself, room by room.
    public func ofGateway(showsFiles: Bool) -> [Problem] {
        state.withLock { $0.rooms }.flatMap { $0(showsFiles) }
    }

    /// All that is wrong, the worst first.
    ///
    /// - Parameter ofSources: what is wrong with the radios that are shown: ``Source/problems(_:doubtedKeys:)``.
    public func all(showsFiles: Bool, and ofSources: [Problem]) -> [Problem] {
        Problem.worstFirst(ofGateway(showsFiles: showsFiles) + ofSources)
    }
}

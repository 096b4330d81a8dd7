import Glibc
import Synchronization

/// Ctrl-C while a command waits: it says good-bye to the radio first, and then ends as one that was interrupted.
enum Interruption {
    private static let flag = Atomic(false)

    /// From now on Ctrl-C only sets ``hasCome``, and ends a sleep.
    static func watch() {
        // Made before the handler needs it.
        flag.store(false, ordering: .relaxed)
        signal(SIGINT) { _ in Interruption.flag.store(true, ordering: .relaxed) }
    }

    static var hasCome: Bool { flag.load(ordering: .relaxed) }
}

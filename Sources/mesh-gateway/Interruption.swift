import CShims
import Glibc
import Platform
import Synchronization

/// Ctrl-C and the like end a command that follows something in good order: by a descriptor that it waits on.
enum Interruption {
    private static let number = Atomic<Int32>(0)

    /// Readable from the first signal on. The signals are taken from when this is first asked for.
    static let descriptor: Int32 = {
        let made = mg_eventfd()
        number.store(0, ordering: .relaxed)
        interruptionDescriptor.store(made, ordering: .sequentiallyConsistent)
        // The program that has started the command can have blocked them.
        var all = sigset_t()
        sigemptyset(&all)
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            var old = sigaction()
            sigaction(signal, nil, &old)
            // Who has started us wants it ignored: nohup, or a shell that put us into the background.
            if unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self) == 1 { continue }
            sigaddset(&all, signal)
            Glibc.signal(signal) { number in
                var one: UInt64 = 1
                // Nothing but what signal-safety(7) allows.
                Interruption.number.store(number, ordering: .relaxed)
                _ = write(interruptionDescriptor.load(ordering: .relaxed), &one, MemoryLayout<UInt64>.size)
            }
        }
        pthread_sigmask(SIG_UNBLOCK, &all, nil)
        return made
    }()

    /// From now on a signal only sets ``hasCome``, and ends a sleep.
    static func watch() { _ = descriptor }

    static var hasCome: Bool { number.load(ordering: .relaxed) != 0 }

    /// The exit code of a command that a signal has ended, as shells give it: 130 after Ctrl-C.
    static var exitCode: Int32 { 128 + number.load(ordering: .relaxed) }
}

/// For the handler, which must not be the one that makes it.
private let interruptionDescriptor = Atomic<Int32>(-1)

/// Waits until a descriptor can be read, somebody interrupts, the output's reader has gone, or a time has come.
///
/// - Parameter deadline: monotonic milliseconds; nil: never.
func waitToRead(_ descriptor: Int32, until deadline: Int64?) -> WaitOutcome {
    var entries = [
        pollfd(fd: Interruption.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        // Of a pipe only that nobody reads it any more.
        pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
    ]
    _ = retrying {
        let left = deadline.map { Int32(clamping: max(0, $0 - MonotonicClock.milliseconds())) }
        return poll(&entries, nfds_t(entries.count), left ?? -1)
    }
    if entries[0].revents != 0 { return .interrupted }
    if entries[1].revents != 0 { return .readable }
    if entries[2].revents != 0 { return .outputGone }
    return .late
}

enum WaitOutcome { case readable, interrupted, outputGone, late }

import Glibc
import Log
import Platform
import RadioLink
import Store
import Synchronization

/// Notices that somebody has set the host's clock: NTP after a start in 1970, or a person.
///
/// Callers that go by the clock let it look first. Two looks compare how far the clock has gone with how far it should have.
final class ClockWatch: Sendable {
    /// Milliseconds. NTP corrects less than a second for itself, and up to this it matters to nobody.
    static let tolerance: Int64 = 10_000

    private let last: Mutex<(time: Int64, uptime: Int64)>
    private let store: Store
    /// They have this watch, too.
    private weak let radios: Radios?
    private let logger: Logger

    init(store: Store, radios: Radios, logger: Logger) {
        last = Mutex((WallClock.milliseconds(), BootTimeClock.milliseconds()))
        self.store = store
        self.radios = radios
        self.logger = logger
    }

    /// Rows stored under the old clock are corrected before any later change is made.
    func look() {
        let leap: Leap? = last.withLock { last in
            let (time, uptime) = (WallClock.milliseconds(), BootTimeClock.milliseconds())
            let expected = last.time + uptime - last.uptime
            last = (time, uptime)
            let leap = Leap(by: time - expected, at: expected)
            guard abs(leap.by) > Self.tolerance else { return nil }
            // Under the lock: the next caller, who finds nothing, stores its own changes after this one.
            store.enqueue(
                .immediate,
                { writer in
                    try writer.clockWasSet(by: leap.by, at: leap.at)
                    try writer.insert(Happening(.clockSet, at: leap.at + leap.by, since: leap.at, text: leap.words))
                })
            return leap
        }
        guard let leap else { return }
        logger.notice("\(leap.words)")
        for radio in radios?.all ?? [] { radio.clockWasSet(by: leap.by) }
    }

    private struct Leap {
        /// Milliseconds; negative: back.
        let by: Int64
        /// What the clock showed before, in host milliseconds.
        let at: Int64

        var words: String { "the host's clock was set \(by < 0 ? "back" : "forward") by \(abs(by) / 1000) s" }
    }
}

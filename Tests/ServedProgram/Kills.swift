import Foundation

/// Kills at random moments, until enough of them came amid the work: how many that takes depends on the machine.
struct Kills {
    /// So many are to come amid the work.
    let wanted: Int
    private(set) var count = 0
    private(set) var amidWork = 0
    private let end: Date

    /// - Parameter minutes: after which there are no more, however few came amid the work.
    init(wanted: Int, minutes: Double = 10) {
        self.wanted = wanted
        end = Date(timeIntervalSinceNow: minutes * 60)
    }

    /// Also whoever waits for the work to begin waits no longer.
    var isTimeUp: Bool { Date() >= end }
    var goOn: Bool { amidWork < wanted && !isTimeUp }
    /// A slow machine may have seen fewer than were wanted when the time was up.
    var proveSomething: Bool { amidWork > 2 }

    mutating func add(amidWork isAmidWork: Bool) {
        count += 1
        if isAmidWork { amidWork += 1 }
    }

    /// Says how many there were, in the log of the run.
    func report(_ name: String = #function) { print("\(name): \(count) kills, \(amidWork) of them amid the work") }
}

/// What will happen when, in simulated seconds; things of the same moment in the order in which they were added.
struct Agenda<Event> {
    private var entries: [(time: Double, event: Event)] = []

    var next: Double? { entries.last?.time }

    mutating func add(_ event: Event, at time: Double) {
        // Descending, so that taking the next one is cheap.
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].time > time { low = middle + 1 } else { high = middle }
        }
        entries.insert((time, event), at: low)
    }

    mutating func takeDue(at now: Double) -> (time: Double, event: Event)? {
        guard let last = entries.last, last.time <= now else { return nil }
        return entries.removeLast()
    }

    mutating func removeAll(where matches: (Event) -> Bool) {
        entries.removeAll { matches($0.event) }
    }
}

/// How far somebody has been told, as it stands in `id`: clients give it back as it is.
struct EventPlace: Hashable, Sendable {
    /// The number of the last event of the link (`Gateway.conditions`).
    var condition: UInt64 = 0
    /// The number of the last change; negative: none that can be gone on from.
    var change: Int64 = -1
    /// The row of the last packet; negative: none was asked for.
    var packet: Int64 = -1
    /// No message that comes or changes later has a smaller time, in host milliseconds; negative: unknown. By it messages
    /// are found whose changes are no longer kept.
    var time: Int64 = -1
    /// The last change up to which nodes have been told, of which a stream tells at most once a second.
    var nodes: Int64 = -1

    /// Of somebody whose `id` says nothing: he has missed he does not know what.
    static let unknown = EventPlace()

    var text: String { "\(condition).\(change).\(packet).\(time).\(nodes)" }
}

extension EventPlace {
    /// Nil: no id of ours.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 5, text.utf8.count <= 100, let condition = UInt64(parts[0]) else { return nil }
        let numbers = parts[1...].compactMap { Int64($0) }
        guard numbers.count == 4, condition < 1 << 53 else { return nil }
        self.init(
            condition: condition, change: numbers[0], packet: numbers[1], time: numbers[2],
            nodes: min(numbers[3], numbers[0]))
    }
}

import MeshModel
import Store

/// What is remembered of a device at a broker, over restarts.
struct Memory: Hashable, Sendable {
    enum State: Int, Sendable {
        /// To be published and not yet acknowledged. Never stored: nobody can delete what a broker never had.
        case pending = 0
        /// ``BrokerDeviceRow/published``: rows have these raw values.
        case published
        /// By a person in Home Assistant: it stays away until a refresh.
        case deleted
        /// By us. A Home Assistant that was not running shows it for ever, unless it sees it come and go once more.
        case removed
    }

    /// What a row's state says beyond ``State``: the same, and its values are still at the broker.
    private static let withValues = 2

    var state: State
    /// Values are at the broker without its configuration, or will be: it is to be emptied unless it is shown again.
    var hasValues = false
    var name = ""
    var isShown: Bool { state == .pending || state == .published }
    /// ``Entity/component`` of what is shown, and of what a refresh has dropped.
    var components: Set<String> = []
    var gone: Set<String> = []
    var lives: [Group: Life] = [:]

    init(_ state: State) { self.state = state }
}

extension Memory {
    /// nil if the row's state is unknown.
    init?(_ row: BrokerDeviceRow) {
        hasValues = row.state > State.removed.rawValue
        guard let state = State(rawValue: hasValues ? row.state - Self.withValues : row.state) else { return nil }
        self.state = state
        name = row.name
        for word in row.components.split(separator: " ") {
            if word.hasPrefix("-") { gone.insert(String(word.dropFirst())) } else { components.insert(String(word)) }
        }
        for word in row.lives.split(separator: " ") {
            let parts = word.split(whereSeparator: { $0 == "=" || $0 == "@" })
            guard parts.count >= 2, let group = Group(rawValue: String(parts[0])), let hours = Int64(parts[1]),
                Life.steps.contains(hours)
            else { continue }
            lives[group] = Life(hours: hours, changedAt: parts.count > 2 ? Int64(parts[2]) : nil)
        }
    }

    func row(_ device: DeviceID, at broker: String) -> BrokerDeviceRow {
        let words = components.sorted() + gone.sorted().map { "-" + $0 }
        let lives = lives.sorted { $0.key.rawValue < $1.key.rawValue }.map { group, life in
            "\(group.rawValue)=\(life.hours)" + (life.changedAt.map { "@\($0)" } ?? "")
        }
        return BrokerDeviceRow(
            broker: broker, object: device.object,
            state: state.rawValue + (hasValues && !isShown ? Self.withValues : 0),
            name: name,
            components: words.joined(separator: " "), lives: lives.joined(separator: " "))
    }
}

import Store

// What is told while the disk fails. It has no row yet, so it is sent from memory, ahead of what waits, under the id that its row
// will have. When the disk is well, that row comes the usual way: if it has arrived, it goes without being sent again.

struct UnstoredDispatches {
    /// How many wait at most, and how many that have arrived are remembered; the newest.
    static let limit = 20
    /// How many of these may be for registrations. The rest is kept for targets that root has set up.
    private static let limitOfRegistrations = 10

    private struct Arrival: Hashable {
        let uuid: String
        let target: String
    }

    private var waiting: [Int64: Dispatch] = [:]
    private var arrived: [Arrival] = []
    private var last: Int64 = 0

    subscript(id: Int64) -> Dispatch? { waiting[id] }

    /// The newest as far as they have a place, targets of files first.
    static func newest(of all: [Dispatch]) -> [Dispatch] {
        let ofFiles = all.filter { !$0.isForRegistration }
        return ofFiles.suffix(limit) + all.filter(\.isForRegistration).suffix(limitOfRegistrations)
    }

    /// - Returns: its number here, below 0; nil if too many wait already.
    fileprivate mutating func add(_ dispatch: Dispatch) -> Int64? {
        let limit = dispatch.isForRegistration ? Self.limitOfRegistrations : Self.limit
        guard waiting.count < limit else { return nil }
        last -= 1
        waiting[last] = dispatch
        return last
    }

    func hasArrived(_ uuid: String, at target: String) -> Bool {
        !arrived.isEmpty && arrived.contains(Arrival(uuid: uuid, target: target))
    }

    mutating func note(_ entry: SendQueue.Entry, arrivedAt target: String) {
        guard entry.id < 0 else { return }
        arrived = (arrived + [Arrival(uuid: entry.uuid, target: target)]).suffix(Self.limit)
    }

    /// It has arrived, or nobody gets it from here any more.
    mutating func remove(_ id: Int64) { waiting[id] = nil }
}

extension SendQueue {
    /// Adds a notification that the disk cannot take, ahead of those that it has taken.
    mutating func add(unstored dispatch: Dispatch, at now: SendTime) {
        let name = dispatch.target
        guard let line = lines[name], !line.target.isAlive, !unstored.hasArrived(dispatch.uuid, at: name),
            !line.entries.contains(where: { $0.uuid == dispatch.uuid }), let id = unstored.add(dispatch)
        else { return }
        let entry = Entry(
            id: id, uuid: dispatch.uuid, since: now.uptime,
            kind: Allowance.Kind(type: dispatch.row.type, priority: dispatch.row.priority))
        lines[name]!.entries.insert(entry, at: line.entries.prefix { $0.id < 0 }.count)
    }

    /// What has become of one that was sent from memory.
    ///
    /// - Returns: the number of its row, if the disk has taken it meanwhile and it is not to be sent from there any more.
    mutating func settle(_ id: Int64, of target: String, _ fate: Fate, at now: SendTime) -> Int64? {
        guard fate != .stays, var dispatch = unstored[id] else { return nil }
        unstored.remove(id)
        switch fate {
        case .gone:
            guard let twin = lines[target]?.entries.first(where: { $0.uuid == dispatch.uuid }) else { return nil }
            lines[target]!.entries.removeAll { $0.id == twin.id }
            return twin.id
        case .moves(let fallback):
            dispatch.target = fallback
            add(unstored: dispatch, at: now)
            return nil
        case .givenUp, .stays, .ends, .changesHost: return nil
        }
    }
}

extension Dispatch {
    fileprivate var isForRegistration: Bool { PushRegistration.id(ofTarget: target) != nil }
}

// What leaves: a device that is no longer to be shown, one that a person has deleted, and the whole broker.
//
//     configuration cleared --acknowledged--> two seconds --> values emptied --acknowledged--> nothing of it is there
//
// Home Assistant parses each message of a value that it listens to: an empty one is an error in its log. It stops listening when the
// configuration is gone, a moment later.

extension Plan {
    /// The last messages to a broker.
    struct Farewell {
        var now: [Publication] = []
        /// Values, which are emptied some time after their configurations were cleared.
        var later: [Publication] = []
        /// When that is, in steady milliseconds; nil until ``now`` is sent.
        var laterAt: Int64?
        /// There is no time to wait.
        var isHurried = false
    }

    /// The device is no longer to be shown.
    mutating func leave(_ id: DeviceID) {
        due.remove(id)
        forgetStates(id)
        guard var known = memory[id], known.isShown else { return }
        guard case .live = phase else {
            // If it was published, it is cleared once the broker is there.
            guard known.state == .pending else { return }
            known.state = .removed
            return remember(id, known.hasValues ? known : nil)
        }
        known.state = .removed
        takeAway(id, known)
    }

    /// Clears a device's configuration; its values follow once that is acknowledged.
    mutating func takeAway(_ id: DeviceID, _ known: Memory) {
        var known = known
        known.hasValues = true
        remember(id, known)
        clear(names.configuration(id.object))
        present[id.object] = nil
    }

    /// A device that had left is shown again: its values are published instead of being emptied.
    mutating func comeBack(_ id: DeviceID, _ known: inout Memory) {
        known.state = .pending
        (goingAt[id], emptyAt[id]) = (nil, nil)
        emptying = emptying.filter { $0.value != id }
    }

    /// Empties the values of devices whose time has come.
    mutating func emptyValues(at now: HostTime) {
        for id in emptyAt.filter({ $0.value <= now.steady }).keys.sorted() {
            emptyAt[id] = nil
            guard let known = memory[id], known.hasValues, !known.isShown else { continue }
            for topic in topicsOfValues(id, known) {
                emptying[topic] = id
                clearings.append(.clearing(topic))
            }
            noteEmptied(id)
        }
    }

    /// An empty message has been acknowledged or refused.
    mutating func noteCleared(_ topic: String, at now: HostTime) {
        if let id = emptying.removeValue(forKey: topic) { return noteEmptied(id) }
        guard let object = names.object(ofConfiguration: topic), let id = DeviceID(object: object),
            let known = memory[id], known.hasValues, !known.isShown
        else { return }
        emptyAt[id] = now.steady + Self.afterConfiguration
    }

    /// Nothing of it is left if none of its values is on the way.
    private mutating func noteEmptied(_ id: DeviceID) {
        guard !emptying.values.contains(id), var known = memory[id] else { return }
        known.hasValues = false
        // What nobody knew has no components, and cannot be shown once more.
        remember(id, known.state == .removed && known.components.isEmpty ? nil : known)
    }

    /// Topics where values of the device may be retained. Measured ones are, if the broker can expire them.
    private func topicsOfValues(_ id: DeviceID, _ known: Memory?) -> [String] {
        let components = known?.components ?? []
        let groups = components.isEmpty ? Set(Group.allCases) : Device.groups(of: components)
        return groups.filter { keepsMeasured || !$0.isMeasured }.map { names.state(id, $0) }.sorted()
    }

    // MARK: the end

    /// - Parameter isForGood: the broker is no longer configured, and nothing of ours may stay there.
    mutating func sayGoodbye(isForGood: Bool) {
        isLeavingForGood = isForGood
        switch phase {
        // Before the broker was read, clear what is remembered, with the next connection if need be.
        case .away: phase = isForGood ? .away : .leaving(Farewell())
        case .subscribing: phase = .leaving(isForGood ? emptyingAll() : Farewell())
        case .leaving(let farewell):
            if !isForGood { phase = .leaving(Farewell(now: farewell.now + farewell.later, isHurried: true)) }
        case .reading, .live: phase = .leaving(isForGood ? emptyingAll() : Farewell(now: [offline], isHurried: true))
        }
    }

    private var offline: Publication {
        Publication(topic: names.status, payload: Array("offline".utf8), isRetained: retains)
    }

    /// Clears everything that we have published there, devices that others are reached through last.
    func emptyingAll() -> Farewell {
        let objects = Set(present.keys).union(
            memory.filter { $0.value.isShown || $0.value.hasValues }.map(\.key.object)
        )
        .union(goingAt.keys.map(\.object))
        let ids = objects.map { (DeviceID(object: $0), $0) }
            .sorted { ($0.0 ?? .gateway, $0.1) > ($1.0 ?? .gateway, $1.1) }
        // What left a moment ago.
        let left = clearings.filter { $0.payload.isEmpty }.map(\.topic)
        let configurations = left.filter { names.object(ofConfiguration: $0) != nil }
        let known = ids.map(\.1).filter { !configurations.contains(names.configuration($0)) }
        var values: [String] = []
        for case (let id?, _) in ids { values += topicsOfValues(id, memory[id]) }
        values += left.filter { names.object(ofConfiguration: $0) == nil && !values.contains($0) }
        return Farewell(
            now: (configurations + known.map { names.configuration($0) }).map { .clearing($0) },
            later: (values + [names.generation, names.status]).map { .clearing($0) })
    }

    /// The next messages of a farewell, at most `room` of them.
    mutating func nextOfFarewell(_ farewell: Farewell, _ room: Int, at now: HostTime) -> [Publication] {
        var farewell = farewell
        if farewell.now.isEmpty, let time = farewell.laterAt, time <= now.steady {
            (farewell.now, farewell.later, farewell.laterAt) = (farewell.later, [], nil)
        }
        let room = farewell.isHurried ? room : min(room, pace.room(at: now.steady))
        let next = Array(farewell.now.prefix(room))
        farewell.now.removeFirst(next.count)
        pace.take(next.count)
        if farewell.now.isEmpty, !farewell.later.isEmpty, farewell.laterAt == nil {
            farewell.laterAt = now.steady + Self.afterConfiguration
        }
        phase = .leaving(farewell)
        return next
    }

    /// When ``nextOfFarewell(_:_:at:)`` has something, as ``deadline``.
    func deadline(of farewell: Farewell) -> Int64? {
        if farewell.now.isEmpty { return farewell.later.isEmpty ? nil : farewell.laterAt ?? 0 }
        return farewell.isHurried ? 0 : pace.opensAt ?? 0
    }
}

// The messages that a plan has to publish, one after the other, and their outcomes.

extension Plan {
    /// The next messages, at most `room` of them, in this order: status, clearings, configurations, generation, values.
    mutating func next(_ room: Int, at now: HostTime) -> [Publication] {
        if case .leaving(let farewell) = phase { return nextOfFarewell(farewell, room, at: now) }
        if case .reading(let since, let quietSince) = phase,
            now.steady >= min(since + Self.longestReading, quietSince + Self.quiet)
        {
            finishReading(isWhole: now.steady >= quietSince + Self.quiet, at: now)
        }
        guard case .live = phase else { return [] }
        if let time = birthAt, time <= now.steady { greet(at: now) }
        if let time = postponedUntil, time <= now.steady { tryPostponed(at: now) }
        emptyValues(at: now)
        let room = min(room, pace.room(at: now.steady))
        var found: [Publication] = []
        while found.count < room, let publication = nextOne(at: now) { found.append(publication) }
        pace.take(found.count)
        return found
    }

    private mutating func nextOne(at now: HostTime) -> Publication? {
        if isStatusDue {
            isStatusDue = false
            return Publication(topic: names.status, payload: Array("online".utf8), isRetained: retains)
        }
        if !clearings.isEmpty { return noting(clearings.removeFirst()) }
        if let publication = nextConfiguration(at: now) { return publication }
        if isGenerationDue, onTheWay.isEmpty {
            isGenerationDue = false
            let text = names.generationText(generation)
            return Publication(topic: names.generation, payload: Array(text.utf8), isRetained: retains)
        }
        return nextState(at: now)
    }

    private mutating func nextConfiguration(at now: HostTime) -> Publication? {
        while let id = due.min() {
            due.remove(id)
            guard let device = devices[id], let known = memory[id], known.isShown else { continue }
            return send(configuration(device, known), of: id)
        }
        for (id, time) in withdrawnAt where time <= now.steady {
            withdrawnAt[id] = nil
            due.insert(id)
        }
        if !due.isEmpty { return nextConfiguration(at: now) }
        let gone = goingAt.filter { $0.value <= now.steady }.keys.min()
        guard let gone else { return nil }
        goingAt[gone] = nil
        remember(gone, nil)
        present[gone.object] = nil
        return noting(.clearing(names.configuration(gone.object)))
    }

    /// Counts the echo of an empty configuration; with MQTT 5 there is none.
    private mutating func noting(_ publication: Publication) -> Publication {
        let isEmpty = publication.payload.isEmpty && names.object(ofConfiguration: publication.topic) != nil
        if isEmpty, !keepsMeasured { echoes[publication.topic, default: 0] += 1 }
        return publication
    }

    private mutating func send(_ payload: [UInt8], of id: DeviceID) -> Publication {
        onTheWay[id] = digest(payload)
        return Publication(topic: names.configuration(id.object), payload: payload, isRetained: retains)
    }

    private mutating func nextState(at now: HostTime) -> Publication? {
        if ready.isEmpty {
            let due = states.filter { $0.value <= now.steady }
            ready = due.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.map { $0.key }
            isReady = Set(ready)
            for key in ready { states[key] = nil }
        }
        while let key = ready.popLast() {
            isReady.remove(key)
            guard let device = devices[key.device], let known = memory[key.device], known.isShown,
                let payload = device.state(of: key.group, components: known.components),
                let publication = publication(payload, key, device, known, at: now)
            else { continue }
            stateTimes[key] = now.steady
            return publication
        }
        return nil
    }

    /// Measured values are retained for the rest of their life if the broker can expire them, else not at all. nil if it is over.
    private func publication(
        _ payload: [UInt8], _ key: StateKey, _ device: Device, _ known: Memory, at now: HostTime
    ) -> Publication? {
        let topic = names.state(key.device, key.group)
        guard key.group.isMeasured else { return Publication(topic: topic, payload: payload, isRetained: retains) }
        let life = (known.lives[key.group] ?? Life()).seconds
        // Without a report it says that there are no values any more.
        let at = device.reports[key.group]?.at ?? now.wall
        // A report from the future was made before the clock was set.
        let age = max(0, now.wall - at) / 1000
        let left = life - age
        guard left > 0 else { return nil }
        return keepsMeasured
            ? Publication(topic: topic, payload: payload, isRetained: retains, expiry: UInt32(left))
            : Publication(topic: topic, payload: payload, isRetained: false)
    }

    /// Home Assistant has started.
    private mutating func greet(at now: HostTime) {
        birthAt = nil
        for id in devices.keys.sorted() {
            // If nothing is retained, it knows no device either.
            if !retains { due.insert(id) }
            tellAll(id, at: now, after: due.contains(id) ? Self.afterConfiguration : 0)
        }
        // What went while it was not running stays for ever, unless it sees it come and go once more: components of a device...
        for id in devices.keys.sorted() {
            guard let device = devices[id], let known = memory[id], known.state == .published, !known.gone.isEmpty
            else {
                continue
            }
            var whole = known
            whole.components.formUnion(known.gone)
            let payload = configuration(device, whole)
            onTheWay[id] = digest(payload)
            clearings.append(
                Publication(topic: names.configuration(id.object), payload: payload, isRetained: retains))
            withdrawnAt[id] = now.steady + Self.afterConfiguration
        }
        // ...and whole devices.
        for id in memory.keys.sorted() where goingAt[id] == nil {
            guard let known = memory[id], known.state == .removed, !known.hasValues else { continue }
            let device = Device(id, name: known.name)
            let whole = device.configuration(names, components: known.components, version: version)
            clearings.append(Publication(topic: names.configuration(id.object), payload: whole, isRetained: retains))
            onTheWay[id] = digest(whole)
            goingAt[id] = now.steady + Self.afterConfiguration
        }
    }

    mutating func settled(_ publication: Publication, _ outcome: Outcome, at now: HostTime) {
        if outcome == .postponed { postpone(publication, at: now) } else { postponed[publication.topic] = nil }
        if publication.payload.isEmpty {
            if outcome != .postponed { noteCleared(publication.topic, at: now) }
            return
        }
        guard let object = names.object(ofConfiguration: publication.topic).map(String.init),
            let id = DeviceID(object: object)
        else { return }
        let sent = digest(publication.payload)
        if onTheWay[id] == sent { onTheWay[id] = nil }
        if outcome == .postponed { return }
        guard outcome == .acknowledged else {
            refused[id] = sent
            return
        }
        generation += 1
        isGenerationDue = true
        // The device has left meanwhile, and its clearing is on its way.
        guard var known = memory[id], known.isShown else { return }
        present[object] = sent
        configuredAt[id] = now.steady
        (known.state, known.hasValues) = (.published, false)
        remember(id, known)
        tellAll(id, at: now, after: Self.afterConfiguration)
    }

    private mutating func postpone(_ publication: Publication, at now: HostTime) {
        guard case .live = phase else { return }
        postponed[publication.topic] = publication
        if postponedUntil == nil { postponedUntil = now.steady + Self.afterQuota }
    }

    /// Sends configurations and values as they are now, everything else as it was.
    private mutating func tryPostponed(at now: HostTime) {
        let topics = postponed.sorted { $0.key < $1.key }
        (postponed, postponedUntil) = ([:], nil)
        for (topic, publication) in topics {
            if publication.payload.isEmpty || topic == names.status || topic == names.generation {
                clearings.append(publication)
            } else if let object = names.object(ofConfiguration: topic) {
                if let id = DeviceID(object: object), memory[id]?.isShown == true { due.insert(id) }
            } else if let key = names.state(of: topic) {
                tell(key, at: now)
            }
        }
    }

    /// When ``next(_:at:)`` has something although nothing has happened, in steady milliseconds; 0 for now, nil for never.
    var deadline: Int64? {
        switch phase {
        case .away, .subscribing: return nil
        case .reading(let since, let quietSince): return min(since + Self.longestReading, quietSince + Self.quiet)
        case .leaving(let farewell): return deadline(of: farewell)
        case .live:
            let isNow =
                isStatusDue || !clearings.isEmpty || !due.isEmpty || !ready.isEmpty
                || (isGenerationDue && onTheWay.isEmpty)
            let times = [
                states.values.min(), goingAt.values.min(), withdrawnAt.values.min(), emptyAt.values.min(), birthAt,
                postponedUntil,
            ]
            let next = isNow ? 0 : times.compactMap { $0 }.min()
            return next.map { max($0, pace.opensAt ?? 0) }
        }
    }
}

extension Plan.StateKey: Comparable {
    static func < (a: Plan.StateKey, b: Plan.StateKey) -> Bool {
        (a.device, a.group.rawValue) < (b.device, b.group.rawValue)
    }
}

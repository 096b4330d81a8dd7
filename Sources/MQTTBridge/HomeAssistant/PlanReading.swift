// What a plan learns from the broker: what it has when we come, and what others write there later.

extension Plan {
    mutating func connected(_ version: ProtocolChoice.Version, _ limits: BrokerLimits, at now: HostTime) {
        keepsMeasured = version == .mqtt5
        retains = limits.retains
        (present, cameStatus, cameGeneration) = ([:], false, nil)
        (corrected, garbage) = ([], 0)
        pace = Pace()
        phase = isLeavingForGood ? .leaving(emptyingAll()) : .subscribing
    }

    /// - Parameter isAllowed: if false, nothing can be read back, and everything is published.
    mutating func subscribed(isAllowed: Bool, at now: HostTime) {
        guard case .subscribing = phase else { return }
        phase = .reading(since: now.steady, quietSince: now.steady)
        if !isAllowed { finishReading(at: now) }
    }

    mutating func ended() {
        (due, onTheWay, refused, clearings, echoes) = ([], [:], [:], [], [:])
        (states, ready, isReady, birthAt, goingAt) = ([:], [], [], nil, [:])
        (emptyAt, emptying, configuredAt, withdrawnAt) = ([:], [:], [:], [:])
        (isGenerationDue, isStatusDue) = (false, false)
        (postponed, postponedUntil) = ([:], nil)
        phase = .away
    }

    mutating func received(_ topic: String, _ payload: [UInt8], isRetained: Bool, at now: HostTime) {
        if topic == names.birth {
            // A random time: many gateways hear it at the same moment. One who says it again does not put it off.
            let (least, most) = (Self.afterBirth.lowerBound, Self.afterBirth.upperBound)
            if payload.elementsEqual("online".utf8), !isRetained, birthAt == nil {
                birthAt = now.steady + least + Int64(draw() * Double(most - least))
            }
            return
        }
        switch phase {
        case .reading(let since, _):
            phase = .reading(since: since, quietSince: now.steady)
            noteRead(topic, payload)
        // From the first subscription, before the last one is answered.
        case .subscribing: noteRead(topic, payload)
        case .live: noteLive(topic, payload, isRetained: isRetained, at: now)
        case .away, .leaving: break
        }
    }

    mutating func noteRead(_ topic: String, _ payload: [UInt8]) {
        if topic == names.status {
            cameStatus = !payload.isEmpty
        } else if topic == names.generation {
            cameGeneration = String(decoding: payload.prefix(300), as: UTF8.self)
        } else if let object = names.object(ofConfiguration: topic).map(String.init) {
            // Empty: somebody deletes it while we read.
            if payload.isEmpty {
                present[object] = nil
            } else if present[object] != nil
                || (present.count < Self.mostDevices && (DeviceID(object: object) != nil || takesGarbage(topic)))
            {
                present[object] = digest(payload)
            }
        }
    }

    /// Whether a topic that is nobody's can still be noted to be cleared.
    private mutating func takesGarbage(_ topic: String) -> Bool {
        guard garbage + topic.utf8.count <= Self.mostGarbage else { return false }
        garbage += topic.utf8.count
        return true
    }

    /// - Parameter isRetained: it was there when we subscribed, and came late.
    mutating func noteLive(_ topic: String, _ payload: [UInt8], isRetained: Bool, at now: HostTime) {
        guard let object = names.object(ofConfiguration: topic).map(String.init) else {
            // Another client has written there, or an earlier session's will came late.
            if topic == names.status, !payload.elementsEqual("online".utf8) { isStatusDue = true }
            return
        }
        if payload.isEmpty {
            if let count = echoes[topic] {
                echoes[topic] = count > 1 ? count - 1 : nil
                return
            }
            present[object] = nil
            if let id = DeviceID(object: object), devices[id] != nil, onTheWay[id] == nil {
                noteDeletion(of: id, at: now)
            }
            return
        }
        let came = digest(payload)
        let id = DeviceID(object: object)
        if let id, onTheWay[id] == came || present[object] == came { return }
        if isRetained, let id { noteLate(id) }
        // Corrected once: against another gateway of the same name it would never end.
        guard corrected.count < Self.mostDevices, corrected.insert(object).inserted else { return }
        if let id, devices[id] != nil, memory[id]?.isShown == true {
            present[object] = came
            due.insert(id)
        } else if id != nil || takesGarbage(topic) {
            clear(topic)
        }
    }

    mutating func noteDeletion(of id: DeviceID, at now: HostTime) {
        guard var known = memory[id], known.state == .published else { return }
        (known.state, known.hasValues) = (.deleted, true)
        remember(id, known)
        due.remove(id)
        forgetStates(id)
        emptyAt[id] = now.steady + Self.afterConfiguration
        compareThose(leadingTo: id)
    }

    private mutating func compareThose(leadingTo id: DeviceID) {
        for (other, device) in devices where device.via == id { compare(other) }
    }

    /// It was missing when reading ended, because the line had stopped for two seconds: nobody has deleted it.
    private mutating func noteLate(_ id: DeviceID) {
        guard devices[id] != nil, var known = memory[id], known.state == .deleted else { return }
        comeBack(id, &known)
        (known.state, known.hasValues) = (.published, false)
        remember(id, known)
        compareThose(leadingTo: id)
    }

    mutating func clear(_ topic: String) { clearings.append(.clearing(topic)) }

    /// What the broker has of ours is known.
    ///
    /// - Parameter isWhole: false: more may come, and what is missing was deleted by nobody.
    mutating func finishReading(isWhole: Bool = true, at now: HostTime) {
        phase = .live
        isStatusDue = true
        let hasForgotten = !cameStatus || (generation > 0 && cameGeneration != names.generationText(generation))
        isGenerationDue = hasForgotten && generation > 0
        let saysDeletions = isWhole && !hasForgotten && present.count < Self.mostDevices
        for id in memory.keys.sorted().reversed() where memory[id]?.isShown == true {
            if devices[id] == nil {
                // The gateway is there as long as anything is.
                if !isPartial, id != .gateway || devices.isEmpty { leave(id) }
            } else if memory[id]?.state == .published, present[id.object] == nil, saysDeletions {
                noteDeletion(of: id, at: now)
            }
        }
        for object in present.keys.sorted() {
            guard let id = DeviceID(object: object) else {
                present[object] = nil
                clear(names.configuration(object))
                continue
            }
            if devices[id] == nil, memory[id]?.isShown == true { continue }
            if devices[id] != nil, memory[id]?.state != .deleted { continue }
            // Of what nobody remembers all values are emptied.
            takeAway(id, memory[id] ?? Memory(.removed))
        }
        // What left before a restart or a loss of the connection.
        let cleared = Set(clearings.map(\.topic))
        for (id, known) in memory where known.hasValues && !known.isShown {
            guard !cleared.contains(names.configuration(id.object)) else { continue }
            emptyAt[id] = now.steady + Self.afterConfiguration
        }
        for id in devices.keys.sorted() {
            compare(id)
            tellAll(id, at: now, after: due.contains(id) ? Self.afterConfiguration : 0)
        }
    }
}

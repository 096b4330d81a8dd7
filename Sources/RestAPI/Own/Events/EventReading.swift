import Gateway
import HTTPServer
import MeshModel
import Routes
import Store

// What a feed reads when it is woken, and what it makes of it.

extension EventFeed {
    mutating func fill(_ sources: EventSources, _ now: UInt64, _ wake: @escaping LiveBody.Signal) throws {
        if backlog == nil {
            switch try forgotten(sources) {
            case .nothing: break
            case .some(let count): try lose(count, sources)
            case .unknown: try lose(nil, sources)
            }
        }
        if let backlog { return try tell(backlog, sources) }
        try tellPastConditions(sources)
        try tellConditions(sources, wake)
        try tellStatusOfChangedLinks(sources)
        try tellWaitingNodes(sources, now)
        try tellChanges(sources, now)
        try tellUnstored(sources)
        try tellPackets(sources)
    }

    private enum Forgotten {
        /// All changes since are there.
        case nothing
        case some(Int64)
        /// Nobody knows how many there were.
        case unknown
    }

    private func forgotten(_ sources: EventSources) throws -> Forgotten {
        guard let count = try sources.reader.forgottenChanges(after: place.change) else { return .unknown }
        return count == 0 ? .nothing : .some(count)
    }

    /// - Parameter count: nil: it is unknown, and so is which of the rows that the reader has are still there.
    private mutating func lose(_ count: Int64?, _ sources: EventSources) throws {
        let newest = try sources.reader.newestChange()
        let isKnown = place.time >= 0
        let kinds = sources.kinds
        var lost = kinds.filter { !$0.changes.isEmpty && ($0 != .message || !isKnown || count == nil) }
        if count == nil, kinds.contains(.packet) {
            lost.insert(.packet)
            place.packet = try sources.reader.packetRows().newest
        }
        if place == .unknown {
            lost.formUnion(selection.conditions.intersection(kinds))
            place.condition = api.gateway.conditions.next - 1
        }
        // A client that breaks off before the messages are through begins with them once more.
        place.change = -1
        place.nodes = -1
        if isKnown, kinds.contains(.message) {
            backlog = EventBacklog(since: place.time, try sources.ofMessages(), goOnFrom: newest)
        }
        waiting = [:]
        // A client that is told so reads again what there is by then, and goes on from here.
        if backlog == nil { goOn(from: newest, time: try sources.reader.newestMessageTime()) }
        // A stream that follows none of these kinds has missed nothing.
        if backlog != nil || !lost.isEmpty { tellMissed(count, lost, sources.caller) }
    }

    private mutating func goOn(from change: Int64, time: Int64) {
        place.change = change
        place.nodes = change
        place.time = time
        hasPendingNodes = false
        backlog = nil
    }

    /// - Parameter caller: who may not know of everything that is counted; nil: there is nothing to hide in the number.
    private mutating func tellMissed(_ count: Int64?, _ kinds: Set<EventKind>, _ caller: Caller?) {
        let isTold = caller?.readsEverything ?? true
        add(.missed) { json in
            json.object { json in
                json.member("count", isTold ? count : nil)
                json.key("reload")
                json.array { json in
                    for kind in EventKind.allCases where kinds.contains(kind) { json.value(kind.rawValue) }
                }
            }
        }
    }

    private mutating func tell(_ backlog: EventBacklog, _ sources: EventSources) throws {
        var backlog = backlog
        for _ in 0..<Self.pagesAtOnce where !blocks.isFull {
            guard let (source, messages) = try backlog.next(sources.reader) else { break }
            guard let found = try sources.ofMessages(source) else { continue }
            for message in messages where sources.rows.sees(message, found) {
                add(.message, try sources.rows.row(of: message, found))
            }
        }
        self.backlog = backlog
        guard backlog.isOver else {
            if blocks.isEmpty { blocks.addHeartbeat(id: nil) }
            return
        }
        goOn(from: backlog.change, time: backlog.time)
        // From here on the reader has it all.
        if blocks.isEmpty { blocks.addHeartbeat(id: id) }
    }

    private mutating func tellConditions(_ sources: EventSources, _ wake: @escaping LiveBody.Signal) throws {
        guard !selection.conditions.isEmpty else { return }
        // Only who has come to the end is woken again: of some events there is nothing to tell.
        repeat {
            let told = conditions.nextEvents(upTo: 8, orWake: wake)
            if told.missed > 0, sources.caller.may(.read, .info) {
                tellMissed(Int64(told.missed), selection.conditions, nil)
            }
            for event in told.events {
                place.condition = event.sequence
                linksThatChanged.remove(event.source)
                guard let found = sources[event.source] else { continue }
                for (kind, write) in try sources.rows.conditions(event, found) { add(kind, write) }
            }
            if told.events.isEmpty { return }
        } while blocks.isEmpty
    }

    private mutating func tellChanges(_ sources: EventSources, _ now: UInt64) throws {
        for _ in 0..<Self.pagesAtOnce {
            let before = place.change
            let (changes, last, _) = try sources.reader.changes(
                after: before, kinds: sources.changes, limit: Self.page)
            for change in changes {
                if blocks.isFull { return }
                try tell(change, sources, now)
            }
            place.change = max(place.change, last)
            if place.change == before { return place.time = try sources.reader.newestMessageTime() }
        }
        tellProgress()
    }

    /// There are more changes to read, and none so far was for this reader. A comment gives other requests on this
    /// thread their turn, and its id lets a reader that reconnects go on from here.
    private mutating func tellProgress() {
        guard blocks.isEmpty else { return }
        blocks.addHeartbeat(id: id)
    }

    private mutating func tell(_ change: StoredChange, _ sources: EventSources, _ now: UInt64) throws {
        defer { place.change = change.number }
        guard let found = try sources.ofMessages(change.source) else { return }
        if case .node(let number) = change.what {
            let key = NodeKey(source: change.source, number: number)
            if waiting[key] != nil { return }
            if let last = toldAt[key], now < last + Self.nodeInterval {
                waiting[key] = change.number
                waitingUntil = min(waitingUntil, last + Self.nodeInterval)
                return
            }
        }
        guard try !wasTold(change, sources), let (kind, rows) = try sources.rows.rows(of: change.what, in: found)
        else { return }
        if case .node(let number) = change.what {
            markSent(NodeKey(source: change.source, number: number), now)
        }
        // The id of a change stands behind all of its rows: of a half, none is in force.
        for row in rows.dropLast() { add(kind, isLast: false, row) }
        place.change = change.number
        if let row = rows.last { add(kind, row) }
    }

    /// What rules tell while the disk fails. A stream that begins now gets it with the feed; one that has come back gets all of it,
    /// because its place does not say whether it had it.
    private mutating func tellUnstored(_ sources: EventSources) throws {
        guard sources.kinds.contains(.notification) else { return }
        let unstored = try api.feed.unstored(sources.reader)
        if toldUnstored == nil { toldUnstored = isResumed ? [] : Set(unstored.map(\.uuid)) }
        for row in unstored where toldUnstored?.insert(row.uuid).inserted == true {
            guard let id = row.source, try sources.ofMessages(id) != nil else { continue }
            if let write = try sources.rows.notification(row) { add(.notification, write) }
        }
    }

    /// A row of the feed that was told before it was stored.
    private mutating func wasTold(_ change: StoredChange, _ sources: EventSources) throws -> Bool {
        guard case .notification(let row) = change.what, toldUnstored?.isEmpty == false else { return false }
        return try sources.reader.feedRow(row).map { toldUnstored?.remove($0.uuid) != nil } ?? false
    }

    private mutating func markSent(_ key: NodeKey, _ now: UInt64) {
        if toldAt.count >= toldLimit {
            toldAt = toldAt.filter { now < $0.value + Self.nodeInterval }
            // A thousand in one second are not looked through a thousand times.
            toldLimit = max(256, toldAt.count * 2)
        }
        toldAt[key] = now
    }

    private mutating func tellWaitingNodes(_ sources: EventSources, _ now: UInt64) throws {
        try takeUpNodes(sources)
        guard now >= waitingUntil else { return }
        waitingUntil = .max
        for (key, _) in waiting.sorted(by: { $0.value < $1.value }) {
            if blocks.isFull {
                waitingUntil = min(waitingUntil, now)
                break
            }
            if let told = toldAt[key], now < told + Self.nodeInterval {
                waitingUntil = min(waitingUntil, told + Self.nodeInterval)
                continue
            }
            waiting[key] = nil
            guard let found = sources[key.source] else { continue }
            guard let (kind, rows) = try sources.rows.rows(of: .node(key.number), in: found) else { continue }
            markSent(key, now)
            for row in rows { add(kind, row) }
        }
    }

    /// A client has come back while nodes were still waiting for it.
    private mutating func takeUpNodes(_ sources: EventSources) throws {
        guard hasPendingNodes else { return }
        hasPendingNodes = false
        guard sources.kinds.contains(.node) else { return }
        while place.nodes < place.change {
            let (changes, last, isComplete) = try sources.reader.changes(
                after: place.nodes, kinds: [.node], limit: Self.page * 8)
            guard isComplete else {
                // They have waited for longer than changes are kept.
                place.nodes = place.change
                return tellMissed(nil, [.node], nil)
            }
            for change in changes where change.number <= place.change {
                guard case .node(let number) = change.what else { continue }
                let key = NodeKey(source: change.source, number: number)
                waiting[key] = min(waiting[key] ?? .max, change.number)
                waitingUntil = 0
            }
            place.nodes = last == place.nodes ? place.change : min(last, place.change)
        }
    }

    private mutating func tellPackets(_ sources: EventSources) throws {
        guard selection.kinds.contains(.packet), sources.caller.may(.read, .packetMonitor) else { return }
        let (oldest, newest) = try sources.reader.packetRows()
        if place.packet < 0 || newest == 0 { place.packet = newest }
        if place.packet > newest {
            // The log was emptied, or is an older one.
            place.packet = newest
            tellMissed(nil, [.packet], nil)
        }
        if place.packet + 1 < oldest {
            let missed = oldest - 1 - place.packet
            place.packet = oldest - 1
            tellMissed(missed, [.packet], sources.caller)
        }
        for _ in 0..<Self.pagesAtOnce * 4 where !blocks.isFull && place.packet < newest {
            let last = min(newest, place.packet + Int64(Self.page) / 4)
            for (row, write) in try sources.rows.packets(place.packet + 1...last, sources.all) {
                place.packet = row
                add(.packet, write)
            }
            place.packet = last
        }
        if place.packet < newest { tellProgress() }
    }
}

import Gateway
import MeshModel
import Routes
import Store

// What happened to the links before a restart, for a client that comes back after it: the ring of the gateway's conditions
// begins with each run, the rows of `happened` hold weeks.

extension EventFeed {
    private static let pastAtOnce = 32

    /// Tells what came after the client's place in earlier runs, oldest first.
    mutating func tellPastConditions(_ sources: EventSources) throws {
        guard takesUpConditions else { return }
        let start = api.gateway.conditions.start
        // A client's number may be any.
        var isBehind: Bool { start > 0 && place.condition < start - 1 }
        if !selection.conditions.isEmpty, sources.caller.may(.read, .info) {
            while isBehind {
                if blocks.isFull { return }
                let past = try sources.reader.conditions(after: place.condition, before: start, limit: Self.pastAtOnce)
                for happening in past { tell(happening, sources) }
                if past.count < Self.pastAtOnce { break }
            }
            // The gateway itself was away: whatever the client knows of a status is old, however far it came with the rows.
            if isBehind { linksThatChanged.formUnion(sources.all.map(\.id)) }
        }
        takesUpConditions = false
        guard isBehind else { return }
        place.condition = start - 1
        conditions = api.gateway.conditions.listen(after: place.condition)
    }

    private mutating func tell(_ happening: Happening, _ sources: EventSources) {
        place.condition = happening.sequence ?? place.condition
        guard let found = sources[happening.source] else { return }
        linksThatChanged.insert(happening.source)
        let kind: EventKind? =
            switch happening.kind {
            case .problem: .problem
            case .solved: .solved
            default: nil
            }
        guard let kind, selection.kinds.contains(kind) else { return }
        // The row has no command. Where the problem is still there, it is known.
        let present = api.gateway.status(of: found.id).faults.first {
            ($0.name, $0.advice) == (happening.name ?? "", happening.text ?? "")
        }
        let problem = Problem(
            told: happening.name ?? "", happening.text ?? "", command: present?.command, source: found.source.uuid)
        add(kind) { $0.problem(problem) }
    }

    /// Of the status only the newest counts: it is told once for a source about which this run has not told it yet.
    mutating func tellStatusOfChangedLinks(_ sources: EventSources) throws {
        guard !takesUpConditions else { return }
        let changed = linksThatChanged
        linksThatChanged = []
        guard selection.conditions.contains(.status) else { return }
        for id in changed {
            guard let found = sources[id] else { continue }
            add(.status, try sources.rows.status(of: found))
        }
    }
}

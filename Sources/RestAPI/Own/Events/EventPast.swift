import Gateway
import MeshModel
import Routes
import Store

// What happened to the links while a client was away, from before a restart as well: the ring of the gateway's conditions
// begins with each run and holds 64, the rows of `happened` hold weeks.

extension EventFeed {
    private static let pastAtOnce = 32

    /// Tells what came after the client's place and is no longer in the ring, oldest first; of the status only the newest counts.
    mutating func tellPastConditions(_ sources: EventSources) throws {
        guard takesUpConditions else { return }
        let oldest = api.gateway.conditions.oldest
        if !selection.conditions.isEmpty, sources.caller.may(.read, .info) {
            while place.condition + 1 < oldest, !blocks.isFull {
                let past = try sources.reader.conditions(
                    after: place.condition, before: oldest, limit: Self.pastAtOnce)
                for happening in past { tell(happening, sources) }
                if past.count < Self.pastAtOnce { break }
            }
            if blocks.isFull { return }
        }
        takesUpConditions = false
        if place.condition + 1 < oldest { place.condition = oldest - 1 }
        conditions = api.gateway.conditions.listen(after: place.condition)
        guard selection.kinds.contains(.status) else { return }
        for id in linksThatChanged {
            guard let found = sources[id] else { continue }
            add(.status, try sources.rows.status(of: found))
        }
        linksThatChanged = []
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
        let problem = Problem(.fault, happening.name ?? "", happening.text ?? "", found.source)
        add(kind) { $0.problem(problem) }
    }
}

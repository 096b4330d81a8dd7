import MeshModel
import Store

// What an engine knows that begins: since when radios are connected or away, from rows of what happened. It may begin with the
// gateway, or any time later, with the first rule. In both cases it then knows the same.

extension Engine {
    /// Takes what happened before this run of the gateway.
    ///
    /// - Parameters:
    ///   - lastRunAt: until when the previous run is known to have lasted, in host milliseconds.
    ///   - now: host milliseconds.
    mutating func recall(_ history: [Happening], lastRunAt: Int64, at now: Int64) {
        var seen: Int64 = 0
        for happening in history {
            // Links that a killed run left open ended at the last time known of it.
            if happening.kind == .started { links.endAll(at: seen) }
            fold(happening)
            seen = happening.at
        }
        links.endAll(at: min(max(seen, lastRunAt), now))
    }

    /// Takes what has happened in this run so far.
    mutating func recallRun(_ run: [Happening]) {
        let (linksBefore, lostBefore) = (links, lost)
        for happening in run {
            switch happening.kind {
            case .link where happening.name == "live":
                cameUp.insert(happening.source)
                fold(happening)
            case .link:
                links.end(happening.source, at: happening.at)
                lose(happening.source, happening, isOfStart: !cameUp.contains(happening.source))
            case .clockSet:
                guard let before = happening.since else { continue }
                let leap = happening.at - before
                setBackAt = leap < 0 ? happening.at : setBackAt == .min ? .min : setBackAt + leap
                if before < PlausibleTime.earliestMilliseconds {
                    // The rows have the right times by now. While the clock was unset no time counted.
                    let live = links.live
                    links = linksBefore
                    for source in live { links.begin(source, at: happening.at) }
                    continue
                }
                links.clockWasSet(from: before, to: happening.at)
                for (source, loss) in lost {
                    let isOfThisRun = lostBefore[source]?.at != loss.at
                    lost[source]!.at = isOfThisRun ? loss.at + leap : min(loss.at, happening.at)
                }
            default: break
            }
        }
    }

    /// Since when each radio is away that has not been connected in this run, or no longer is.
    func absences(_ facts: any RuleFacts) throws -> [SourceID: Loss] {
        var absences = lost
        for found in try facts.sources() where found.source.isEnabled && !links.isLive(found.id) {
            absences[found.id] = lost[found.id] ?? Loss(at: started.at, isOfStart: true)
        }
        return absences
    }
}

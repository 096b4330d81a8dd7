import MeshModel
import Store

// What a rule's firing becomes for its targets. It leaves this computer: what people have written stays here unless the rule
// says `text = yes`.

/// The targets, as far as rules have to know them.
public struct RuleTargets: Sendable {
    /// Those that there are; nil: nobody can tell now, and what is told waits until somebody can.
    let names: @Sendable () -> Set<String>?
    /// Something waits for them. Returns at once.
    let wake: @Sendable () -> Void

    public init(names: @escaping @Sendable () -> Set<String>?, wake: @escaping @Sendable () -> Void) {
        (self.names, self.wake) = (names, wake)
    }
}

extension Engine {
    /// Those of the outcome's firings that are told.
    ///
    /// - Parameters:
    ///   - known: the targets that there are; nil: nobody knows.
    ///   - name: what people call the node of a row.
    func dispatches(
        to known: Set<String>?, at now: Moment, name: (FeedRow) throws -> String?
    ) rethrows -> [Dispatch] {
        guard known?.isEmpty != true else { return [] }
        var found: [Dispatch] = []
        for firing in outcome.firings where firing.fate == .told {
            guard let rule = firing.row.rule.flatMap({ self.rule($0) }) else { continue }
            let targets = Set(rule.targets).intersection(known ?? Set(rule.targets))
            guard !targets.isEmpty else { continue }
            let row = rule.givesText ? firing.row : try rule.withoutText(firing.row, name: name)
            let end = quietEnd(of: rule, at: now)
            found += targets.sorted().map { Dispatch(to: $0, at: now.at, row, heldUntil: end) }
        }
        return found
    }

    /// When the quiet hours end that the rule has now, in host milliseconds; nil: its targets are told at once. So they are while
    /// nobody knows how late it is.
    ///
    /// - Parameter written: the end that what is held has by now. If it lies before this night, it is over: the gateway may run
    ///   at night only.
    private func quietEnd(of rule: Rule, at now: Moment, heldUntil written: Int64 = .max) -> Int64? {
        guard now.isSure, rule.priority != .high, let night = rule.quiet?.night(at: now.at, in: zone) else {
            return nil
        }
        return written < night.begin ? nil : night.end
    }

    /// Until when is held what is held already, as the rules in force have it; what one that is gone has told, until its time.
    /// Nil: no longer.
    func quietEnd(of held: Dispatch, at now: Moment) -> Int64? {
        guard now.isSure, let written = held.heldUntil else { return held.heldUntil }
        // Later than any quiet hours end it was written while the clock was ahead.
        let isToCome = now.at < written && written < now.at + QuietHours.longest
        return held.contents.compactMap { part in
            guard let rule = rule(part.rule) else { return isToCome ? written : nil }
            return quietEnd(of: rule, at: now, heldUntil: written)
        }.max()
    }
}

extension Rule {
    fileprivate func withoutText(_ row: FeedRow, name: (FeedRow) throws -> String?) rethrows -> FeedRow {
        guard when.hasText, row.type == when.type else { return row }
        let name = try name(row) ?? row.node?.placeholderLongName ?? "somebody"
        var row = row
        row.body = when.isText ? "A message from \(name)" : ""
        // What a waypoint is called is in its title.
        if when.isWaypoint, title == nil { row.title = "\(name) shares a waypoint" }
        return row
    }
}

extension Trigger {
    /// It tells what people or sensors have written.
    var hasText: Bool { isText || self == .detection || isWaypoint }
}

import MeshModel
import Store

// A rule's firings as dispatches for its targets. They leave this computer, so what people have written stays here unless the rule
// says `text = yes`.

/// What rules need to know about targets.
public struct RuleTargets: Sendable {
    /// The targets that exist; nil while that is not known: dispatches then wait until it is.
    let names: @Sendable () -> Set<String>?
    /// Called when dispatches wait. Returns at once.
    let wake: @Sendable () -> Void
    /// Takes dispatches that a failing disk cannot. They wait, too, under the same ids, when the disk is well.
    let tell: @Sendable ([Dispatch]) -> Void

    public init(
        names: @escaping @Sendable () -> Set<String>?, wake: @escaping @Sendable () -> Void,
        unstored tell: @escaping @Sendable ([Dispatch]) -> Void = { _ in }
    ) {
        (self.names, self.wake, self.tell) = (names, wake, tell)
    }
}

extension Engine {
    /// Notifications of the outcome, as dispatches for their targets.
    ///
    /// - Parameters:
    ///   - firings: those of ``outcome``, or some of them.
    ///   - known: the targets that exist; nil if not known.
    ///   - name: what people call a row's node.
    func dispatches(
        of firings: some Sequence<RuleFiring>, to known: Set<String>?, at now: Moment,
        name: (FeedRow) throws -> String?
    ) rethrows -> [Dispatch] {
        guard known?.isEmpty != true else { return [] }
        var found: [Dispatch] = []
        for firing in firings where firing.fate == .told {
            guard let rule = firing.row.rule.flatMap({ self.rule($0) }) else { continue }
            let targets = Set(rule.targets).intersection(known ?? Set(rule.targets))
            guard !targets.isEmpty else { continue }
            var row = try rule.outgoing(firing.row, name: name)
            if let counted = outcome.counted[row.uuid] {
                row.list(try counted.map { try rule.outgoing($0, name: name).title })
            }
            let end = quietEnd(of: rule, at: now)
            found += targets.sorted().map { Dispatch(to: $0, at: now.at, row, heldUntil: end) }
        }
        return found
    }

    /// When the rule's current quiet hours end, in host milliseconds; nil if its targets are to be notified now, as they are while
    /// the time is not known.
    ///
    /// - Parameter written: the end that a held dispatch has already. If it lies before tonight's quiet hours, they are over: the
    ///   gateway may run at night only.
    private func quietEnd(of rule: Rule, at now: Moment, heldUntil written: Int64 = .max) -> Int64? {
        guard now.isSure, rule.priority != .high, let night = rule.quiet?.night(at: now.at, in: zone) else {
            return nil
        }
        return written < night.begin ? nil : night.end
    }

    /// Until when the current rules hold a dispatch that is held already; one whose rule is gone keeps its time. nil if it is to
    /// go now.
    func quietEnd(of held: Dispatch, at now: Moment) -> Int64? {
        guard now.isSure, let written = held.heldUntil else { return held.heldUntil }
        // An end that is further away than any quiet hours was written while the clock was ahead.
        let isToCome = now.at < written && written < now.at + QuietHours.longest
        return held.contents.compactMap { part in
            guard let rule = rule(part.rule) else { return isToCome ? written : nil }
            return quietEnd(of: rule, at: now, heldUntil: written)
        }.max()
    }
}

extension Rule {
    /// A row as it may leave this computer: without what people or sensors have written, unless the rule gives it.
    ///
    /// - Parameter name: what people call the row's node.
    func outgoing(_ row: FeedRow, name: (FeedRow) throws -> String?) rethrows -> FeedRow {
        guard !givesText, when.hasText, row.type == when.type else { return row }
        let name = try name(row) ?? row.node?.placeholderLongName ?? "somebody"
        var row = row
        row.body = ""
        if let title {
            // A title of the rule's own may not say whose message it is. The row of a text over a broker does not know
            // whose it is.
            if when.isText, when.isOfNode, !title.contains("{node}") { row.body = "A message from \(name)" }
        } else if when.isWaypoint {
            // A waypoint's name is in its title.
            row.title = "\(name) shares a waypoint"
        } else if when.type == "message" {
            row.title = "Message from \(row.title)"
        }
        return row
    }
}

extension Trigger {
    /// Its notifications contain what people or sensors have written.
    var hasText: Bool { isText || self == .detection || isWaypoint }
}

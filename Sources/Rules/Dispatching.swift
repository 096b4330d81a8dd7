import MeshModel
import Store

// A rule's firings as dispatches for its targets, and for apps and browsers that have registered.
//
// 1. Targets are strangers' computers, so what people have written stays here unless the rule says `text = yes`.
// 2. A registration gets a firing as it stands in the feed, because nobody but its browser can read it; but only what its token
//    may see. The rule need not name it.

/// What rules need to know about targets.
public struct RuleTargets: Sendable {
    /// The targets that exist; nil while that is not known: dispatches then wait until it is.
    let names: @Sendable () -> Set<String>?
    /// Called when dispatches wait. Returns at once.
    let wake: @Sendable () -> Void
    /// Apps and browsers that have registered.
    let devices: @Sendable () -> [RuleDevice]
    /// Takes dispatches that a failing disk cannot. They wait, too, under the same ids, when the disk is well.
    let tell: @Sendable ([Dispatch]) -> Void

    public init(
        names: @escaping @Sendable () -> Set<String>?, wake: @escaping @Sendable () -> Void,
        devices: @escaping @Sendable () -> [RuleDevice] = { [] },
        unstored tell: @escaping @Sendable ([Dispatch]) -> Void = { _ in }
    ) {
        (self.names, self.wake, self.devices, self.tell) = (names, wake, devices, tell)
    }
}

/// An app or a browser that has registered.
public struct RuleDevice: Sendable {
    /// ``PushRegistration/target``
    let target: String
    /// The rules of which it is told; nil: all.
    let rules: Set<String>?
    /// In host milliseconds: what happened before is not sent.
    let registeredAt: Int64
    /// Whether its token may see a row that is about to be written, and has not muted its conversation.
    let sees: @Sendable (FeedRow, Reader) -> Bool

    public init(
        target: String, rules: Set<String>?, registeredAt: Int64,
        sees: @escaping @Sendable (FeedRow, Reader) -> Bool
    ) {
        (self.target, self.rules, self.registeredAt, self.sees) = (target, rules, registeredAt, sees)
    }

    public init(_ registration: PushRegistration, sees: @escaping @Sendable (FeedRow, Reader) -> Bool) {
        self.init(
            target: registration.target, rules: registration.rules.map { Set($0) }, registeredAt: registration.since,
            sees: sees)
    }

    /// What it takes to see of a row as much as its token sees now; nil if that is nothing, or it is not told of the row's rule. Of
    /// a row that counts others it may see some, and a summary is not to need more.
    ///
    /// - Parameter counted: the last rows that the row counts, if it does.
    fileprivate func needs(
        _ row: FeedRow, counting counted: [FeedRow]?, _ reader: Reader, at now: Moment
    ) -> Set<FeedRow.Need>? {
        guard let rule = row.rule, rules?.contains(rule) ?? true else { return nil }
        // A time that lies ahead was noted by a clock that has been set back since.
        guard row.createdAt >= registeredAt || registeredAt > now.at else { return nil }
        if sees(row, reader) { return row.needs }
        let seen = (counted ?? []).filter { sees($0, reader) }
        return seen.isEmpty ? nil : seen.reduce(into: []) { $0.formUnion($1.needs) }
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

    /// Notifications of the outcome, as dispatches for registrations.
    ///
    /// - Parameter firings: those of ``outcome``, or some of them.
    func dispatches(
        of firings: some Sequence<RuleFiring>, to devices: [RuleDevice], _ reader: Reader, at now: Moment
    ) -> [Dispatch] {
        firings.filter { $0.fate == .told }.flatMap { firing -> [Dispatch] in
            guard let rule = firing.row.rule.flatMap({ self.rule($0) }) else { return [] }
            let (counted, end) = (outcome.counted[firing.row.uuid], quietEnd(of: rule, at: now))
            return devices.compactMap { device in
                let needs = device.needs(firing.row, counting: counted, reader, at: now)
                guard let needs else { return nil }
                var row = firing.row
                row.needs = needs
                return Dispatch(to: device.target, at: now.at, row, heldUntil: end)
            }
        }
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

import Gateway
import Log
import MeshModel
import Store

extension Talk {
    /// Filters to subscribe to, with QoS. Several conversations may have one filter.
    private var wanted: [TopicFilter: Int] {
        var wanted: [TopicFilter: Int] = [:]
        for one in live where one.floodedUntil == nil {
            for filter in one.conversation.filters { wanted[filter] = max(wanted[filter] ?? 0, one.conversation.qos) }
        }
        return wanted
    }

    /// Notes new filters. To be subscribed to after that.
    func newSubscriptions() throws -> [Subscription] {
        let new = wanted.filter { subscribed[$0.key] != $0.value }.sorted { $0.key.text < $1.key.text }
        guard !new.isEmpty else { return [] }
        let name = broker.name
        let noted = try gateway.store.commit { writer in
            try new.map { ($0.key, try writer.noteSubscription($0.key, at: name)) }
        }
        for (filter, identifier) in noted { identifiers[filter] = identifier }
        return new.map { filter, qos in
            (subscribed[filter], leaving) = (qos, leaving.subtracting([filter]))
            var subscription = Subscription.ofOthers(filter.text)
            subscription.quality = qos == 0 ? .atMostOnce : .atLeastOnce
            subscription.retainHandling = .never
            // A broker that knows none ends the connection.
            subscription.identifier = limits.hasSubscriptionIdentifiers ? identifiers[filter] : nil
            return subscription
        }
    }

    /// New filters first, so that there is no moment without one.
    func subscriptionChanges(at now: HostTime) throws -> [SubscriptionChange] {
        // What was sent with QoS 0 is settled without a word of the broker's.
        try store(at: now)
        guard !endsSession, !isLeaving, !isDone else { return [] }
        let wanted = wanted
        let old = identifiers.keys.filter { wanted[$0] == nil && !leaving.contains($0) }
            .sorted { $0.text < $1.text }
        let new = try newSubscriptions()
        for filter in old { (subscribed[filter], leaving) = (nil, leaving.union([filter])) }
        return new.map { .subscribe($0) } + old.map { .unsubscribe($0.text) }
    }

    var logsRefusals: Bool { true }

    func answered(_ change: SubscriptionChange, code: Int, at now: HostTime) {
        switch change {
        case .unsubscribe(let text):
            let filter = TopicFilter(text)
            // It may have been subscribed to again meanwhile.
            guard leaving.remove(filter) != nil, subscribed[filter] == nil else { return }
            (identifiers[filter], denied[filter]) = (nil, nil)
            let name = broker.name
            gateway.store.enqueue(.grouped, { try $0.forgetSubscription(filter, at: name) })
        case .subscribe(let subscription):
            let filter = TopicFilter(subscription.filter)
            guard code >= 128 else {
                if denied.removeValue(forKey: filter) != nil { showRefusals() }
                return
            }
            guard denied[filter] == nil else { return }
            denied[filter] = now.wall
            logger.warning("the broker \(broker.name) does not let us read \(filter.text); allow its user to")
            showRefusals()
        }
    }

    /// Shows of each conversation the first filter that we may not subscribe to.
    func showRefusals() {
        var refused: [String: Shown.Refusal] = [:]
        for one in live {
            guard let filter = one.conversation.filters.first(where: { denied[$0] != nil }) else { continue }
            refused[one.conversation.name] = denied[filter].map { .init(filter: filter, since: $0) }
        }
        let hasChanged = shown.withLock { shown in
            defer { shown.refused = refused }
            return shown.refused != refused
        }
        if hasChanged { gateway.problems.changed() }
    }
}

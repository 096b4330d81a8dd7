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
        try keepReceived(at: now)
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
            (identifiers[filter], denied) = (nil, denied.subtracting([filter]))
            let name = broker.name
            gateway.store.enqueue(.grouped, { try $0.forgetSubscription(filter, at: name) })
        case .subscribe(let subscription):
            let filter = TopicFilter(subscription.filter)
            if code >= 128 {
                guard denied.insert(filter).inserted else { return }
                logger.warning("the broker \(broker.name) does not let us read \(filter.text); allow its user to")
            } else {
                denied.remove(filter)
            }
            show(filter, isDenied: code >= 128, at: now)
        }
    }

    private func show(_ filter: TopicFilter, isDenied: Bool, at now: HostTime) {
        let names = live.filter { $0.conversation.filters.contains(filter) }.map(\.conversation.name)
        let hasChanged = shown.withLock { shown in
            let before = shown.refused.count
            for name in names {
                if isDenied {
                    shown.refused[name] = .init(filter: filter, since: now.wall)
                } else if shown.refused[name]?.filter == filter {
                    shown.refused[name] = nil
                }
            }
            return shown.refused.count != before
        }
        if hasChanged { gateway.problems.changed() }
    }
}

import Gateway
import Log
import MeshModel
import Store

extension Talk {
    // MARK: what comes

    func received(_ message: IncomingMessage, at now: HostTime) {
        // A new key may be in use already: others write with it as soon as they have it.
        look(at: now)
        guard !again.take(message, at: now) else { return }
        // What is retained is a state, and so is what gateways and Home Assistant publish for each other.
        guard !message.isRetained, !isReserved(message.topic) else { return }
        let takers = live.indices.filter { index in
            live[index].conversation.filters.contains { $0.matches(message.topic) }
        }
        guard !takers.isEmpty else { return }
        // With MQTT 5 ours do not come.
        if version == .mqtt311, echoes.contains(message, at: now.steady) { return }
        let count = identifiers.keys.count { denied[$0] == nil && $0.matches(message.topic) }
        lazy var inClear = HeardText(message)
        for index in takers where !copies.take(message, in: live[index].source, of: count, at: now.steady) {
            let one = live[index]
            let said: HeardText?
            if let key = one.key {
                said = opened(message, of: one, with: key, at: now)
            } else {
                said = inClear
            }
            guard let text = said, mayTake(index, at: now) else { continue }
            let isNews = ChannelBridge.isNews(
                connectedFor: now.steady - connectedSince, writtenAt: text.at, at: now.wall)
            heard.append(
                Heard(
                    source: one.source, keyID: one.conversation.keyID, text: text, isNews: isNews,
                    quality: message.quality))
        }
    }

    /// What a sealed conversation takes; nil: nothing. What a stranger sends or repeats there takes nothing from the
    /// allowance of those who have the key.
    private func opened(
        _ message: IncomingMessage, of one: Live, with key: ConversationKey, at now: HostTime
    ) -> HeardText? {
        let sealed = SealedText(message.payload)
        let content = sealed?.opened(for: message.topic, with: key)
        if let sealed, content != nil, isKnown(sealed.nonce, in: one.source) { return nil }
        shown.withLock { shown in
            shown.unreadable[one.conversation.name, default: UnreadableTexts()]
                .note(isSealed: sealed != nil, isOpened: content != nil, at: now.steady)
        }
        guard let sealed, let content else { return nil }
        return HeardText(content, of: sealed, on: message.topic)
    }

    private func isKnown(_ nonce: [UInt8], in source: SourceID) -> Bool {
        if heard.contains(where: { $0.source == source && $0.text.nonce == nonce }) { return true }
        // If it cannot be read, the commit finds out.
        return (try? gateway.store.readCommitted { try $0.hasText(nonce: nonce, in: source) }) ?? false
    }

    private func isReserved(_ topic: String) -> Bool {
        BrokerConversation.isReserved(topic, prefixes: [broker.prefix])
    }

    /// Milliseconds.
    private static var floodTime: Int64 { 600_000 }

    /// What is too much is dropped, and the filters of the conversation are unsubscribed for a while.
    private func mayTake(_ index: Int, at now: HostTime) -> Bool {
        let name = live[index].conversation.name
        if live[index].floodedUntil == nil {
            if live[index].allowance.take(at: now.steady), all.withLock({ $0.take(at: now.steady) }) { return true }
            live[index].floodedUntil = now.steady + Self.floodTime
            shown.withLock { $0.floods[name] = .init(since: now.wall, dropped: 0) }
            logger.warning(
                "the conversation \(name) is flooded: its filters are not subscribed to for \(Self.floodTime / 60_000) minutes"
            )
            gateway.problems.changed()
        }
        shown.withLock { $0.floods[name]?.dropped += 1 }
        return false
    }

    func endFloods(at now: HostTime) {
        for index in live.indices {
            guard let end = live[index].floodedUntil, end <= now.steady else { continue }
            live[index].floodedUntil = nil
            let name = live[index].conversation.name
            shown.withLock { $0.floods[name] = nil }
            gateway.problems.changed()
        }
    }

    func keepReceived(at now: HostTime) throws {
        try store(at: now)
        again.stored(at: now)
    }

    func store(at now: HostTime) throws {
        guard !heard.isEmpty || !settled.isEmpty else { return }
        let (texts, ends) = (heard, settled)
        let old = try gateway.store.commit { writer in
            let all = try writer.brokerConversations()
            var old: [(source: SourceID, row: Int64)] = []
            for one in texts {
                // It may have been removed meanwhile, or have got or lost its key.
                let isTaken = all.contains { $0.source == one.source && $0.conversation.keyID == one.keyID }
                guard isTaken else { continue }
                let about = BrokerText(
                    topic: one.text.topic, writer: one.text.writer, id: one.text.id, nonce: one.text.nonce)
                let row = try writer.insertReceived(one.text.text, about, in: one.source, at: now.wall)
                if let row, !one.isNews { old.append((one.source, row)) }
            }
            for end in ends { try writer.settle(end.text, at: now.wall) { $0.note(end.outcome, at: now.wall) } }
            return old
        }
        (heard, settled) = ([], [])
        bridges.neverSend(old)
    }

    // MARK: what goes

    func next(_ room: Int, at now: HostTime) -> [Publication] {
        guard isConnected, !isLeaving, !wantsNewConnection else { return [] }
        do {
            while mayHaveMore {
                let (name, place) = (broker.name, place)
                let waiting = try gateway.store.readCommitted {
                    try $0.waitingTexts(for: name, after: place, limit: room)
                }
                mayHaveMore = waiting.count == room
                let publications = waiting.compactMap { publication($0, at: now) }
                if !publications.isEmpty { return publications }
            }
            // The broker says nothing of texts that were refused here.
            if !settled.isEmpty { try store(at: now) }
        } catch {
            (mayHaveMore, loadsAt) = (false, now.steady + Self.pause)
            logger.warning("what waits for the broker \(broker.name) cannot be read or settled: \(error)")
        }
        return []
    }

    private func publication(_ text: WaitingText, at now: HostTime) -> Publication? {
        place = text.row
        let isUnderWay = inFlight[text.row] != nil || settled.contains { $0.text.row == text.row }
        // One that has expired is given up in a moment.
        guard !isUnderWay, text.expiresAt > now.wall, let one = live.first(where: { $0.source == text.source }) else {
            return nil
        }
        // The owner has given the conversation another broker since. It is given up in two minutes.
        guard !text.staysInHouse || Broker.isOfThisHouse(broker.host) else { return nil }
        // The owner has changed Home Assistant's prefix since.
        guard !isReserved(text.topic) else {
            settled.append((text, .refused(0x90)))
            return nil
        }
        inFlight[text.row] = text
        var publication = Publication(text, of: one.conversation)
        if limits.maximumQoS == 0 { publication.quality = .atMostOnce }
        if version == .mqtt311, text.seal != nil || !one.conversation.isJSON {
            echoes.published(text.topic, publication.payload)
        }
        return publication
    }

    func settled(_ publication: Publication, _ outcome: Outcome, at now: HostTime) {
        guard let text = publication.row.flatMap({ inFlight.removeValue(forKey: $0) }) else { return }
        if version == .mqtt311 { echoes.taken(text.topic, publication.payload, at: now.steady) }
        settled.append((text, outcome))
    }

    var deadline: Int64? { nil }
}

extension Delivery {
    /// What a broker has answered.
    fileprivate mutating func note(_ outcome: Outcome, at now: Int64) {
        switch outcome {
        case .acknowledged: (state, cause, ackedAt) = (.relayed, nil, now)
        // "Not authorized", and everything else.
        case .refused(0x87): (state, error) = (.failed, RoutingError(rawValue: 33))
        case .refused, .postponed: (state, error) = (.failed, RoutingError(rawValue: 32))
        }
    }
}

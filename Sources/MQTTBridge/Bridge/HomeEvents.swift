import Gateway
import Log
import MeshModel
import Store

// What Home Assistant hears, at one broker:
//
//     change log --ChangeReader--> HeardEvents -> EventQueue -> PUBLISH -> PUBACK -> place in the change log
//     problems, refused commands ------------------^
//
// All of it runs on the broker's thread.

final class HomeEvents {
    /// Changes that are looked at in one go.
    private static let page = 500

    private let broker: Broker
    private let names: TopicNames
    private let gateway: Gateway
    private let logger: Logger
    private var reader: ChangeReader?
    private var queue = EventQueue(after: 0)
    private var heard = HeardEvents()
    /// There may be changes that were not looked at.
    private var hasChanges = true
    /// The place is to be on disk: an event was acknowledged, or not told because it had been told before.
    private var storesPlace = false
    /// What was wrong at the last look, by name and radio; nil before the first one.
    private var problems: [[String]: Problem]?
    /// When these were looked at, in milliseconds of the monotonic clock.
    private var problemsAt: Int64 = 0
    private var hasSaidTrouble = false

    init(_ broker: Broker, _ names: TopicNames, gateway: Gateway, logger: Logger) {
        (self.broker, self.names, self.gateway, self.logger) = (broker, names, gateway, logger)
    }

    /// The name of the place that a broker's reader has in the change log.
    static func reader(of broker: String) -> String { "home-assistant \(broker)" }

    private var kinds: Set<StoredChange.Kind> {
        var kinds: Set<StoredChange.Kind> = [.message, .nodeHeard, .waypoint, .notification]
        if broker.speech.takesCommands { kinds.insert(.delivery) }
        return kinds
    }

    // MARK: the connection

    /// A new connection begins where the last one ended.
    func connected(at now: HostTime) {
        hasChanges = true
        guard reader == nil else { return }
        do {
            // The broker's thread is woken for all its changes together (BrokerAtWork).
            let reader = try gateway.reader(named: Self.reader(of: broker.name), kinds: kinds, wake: {})
            queue = EventQueue(after: reader.place)
            let place = reader.place
            try gateway.store.readCommitted { try heard.begin($0, after: place, at: now.wall) }
            self.reader = reader
        } catch {
            logger.warning(
                "what happens cannot be told at the broker \(broker.name) until it is connected to anew: \(error)")
        }
    }

    func ended() {
        guard let reader else { return }
        keepPlace()
        queue.ended(at: reader.place)
        storesPlace = false
    }

    /// - Parameter isForGood: the broker is no longer configured.
    func leave(isForGood: Bool) {
        keepPlace()
        if isForGood { reader = nil } else { reader?.storePlace() }
    }

    // MARK: what happens

    func noteChanges() { hasChanges = true }

    /// Reads what has changed, as far as there is room.
    func look(_ mesh: ShownMesh, at now: HostTime) {
        guard let reader, hasChanges else { return }
        do {
            while !queue.isFull {
                let before = queue.seen
                var isThrough = false
                let step = try reader.next(limit: Self.page) { rows, changes, isAll in
                    for change in changes where change.number > queue.seen {
                        if let event = try heard.event(change, rows, mesh, broker, names, at: now.wall) {
                            queue.add(event)
                        }
                        queue.noteSeen(change.number)
                    }
                    if heard.takeRepetition() { storesPlace = true }
                    isThrough = isAll
                }
                switch step {
                case .missed(let count, _, let last): miss(count, upTo: last, reader)
                case .changes(_, let last): queue.noteSeen(last)
                }
                if isThrough {
                    hasChanges = false
                    break
                }
                // The rest is behind a page of changes whose events are on their way.
                if queue.seen == before { break }
                keepPlace()
            }
            hasSaidTrouble = false
        } catch {
            if !hasSaidTrouble { logger.warning("what the broker \(broker.name) is to hear cannot be read: \(error)") }
            hasSaidTrouble = true
        }
        keepPlace()
    }

    private func miss(_ count: Int64?, upTo last: Int64, _ reader: ChangeReader) {
        let what = count.map { "\($0) changes are" } ?? "what has changed is"
        logger.warning("the broker \(broker.name) has missed something: \(what) no longer in the change log")
        queue.ended(at: last)
        reader.pass(last)
    }

    /// - Parameter present: all that is wrong. What is so at the first look is no news, nor what has become so while the broker was
    ///   away.
    func look(at present: [Problem], at now: HostTime) {
        let present = Dictionary(
            present.map { ([$0.name, $0.source ?? ""], $0) }, uniquingKeysWith: { first, _ in first })
        let isLate = now.steady - problemsAt > EventQueue.lifetime + HomeBridge.betweenCounts
        defer { (problems, problemsAt) = (present, now.steady) }
        guard let before = problems, !isLate else { return }
        let begun = present.filter { before[$0.key] == nil }.map { ($0.value, "begun") }
        let solved = before.filter { present[$0.key] == nil }.map { ($0.value, "solved") }
        for (problem, type) in (begun + solved).sorted(by: { $0.0.name < $1.0.name }) {
            let place = problem.source.map { " " + $0.prefix(8) } ?? ""
            let payload = HeardEvents.payload("\(problem.name)\(place) \(now.wall / 1000) \(type)", type) { json in
                json.member("problem", problem.name)
                json.member("advice", problem.advice)
                json.member("command", problem.command)
            }
            add("problem", payload, at: now)
        }
    }

    /// What became of a command that is in no change log.
    func add(_ outcome: CommandOutcome, at now: HostTime) { add("commands", outcome.payload, at: now) }

    private func add(_ key: String, _ payload: [UInt8], at now: HostTime) {
        let publication = HeardEvents.publication(names.event(.gateway, key), payload)
        queue.add(.init(device: .gateway, at: now.wall, publication: publication))
    }

    // MARK: publications

    func next(_ room: Int, _ plan: Plan, at now: HostTime) -> [Publication] {
        defer { keepPlace() }
        return room > 0 ? queue.next(room, at: now, hearing: plan.hearing) : []
    }

    func deadline(_ plan: Plan) -> Int64? { queue.deadline(hearing: plan.hearing) }

    /// - Returns: false if the publication is no event.
    func settled(_ publication: Publication) -> Bool {
        guard publication.row != nil else { return false }
        queue.settled(publication)
        (storesPlace, hasChanges) = (true, true)
        return true
    }

    /// Moves the reader's place behind what is acknowledged. On disk it moves in one commit for all that was acknowledged together;
    /// while the disk fails, in memory.
    func keepPlace() {
        guard let reader, queue.place > reader.place else { return }
        guard storesPlace else { return reader.pass(queue.place) }
        storesPlace = false
        do { try reader.act(upTo: queue.place) { _ in } } catch { reader.pass(queue.place) }
    }
}

import Folders
import Log
import MeshModel
import Platform
import Store

// Apps and browsers that have registered (Store/PushRegistrationRows.swift) are targets beside those of files: each is a line of
// the same queue, with the same order, places and summaries.
//
//     row --devices--> Target --SendQueue--> shown(to:)? --> request --> answer: sent, tried again, given up, or nobody is there
//
// 1. A registration is told by its token's rights, as they are when it is sent: a row that the token is not shown any more goes
//    without having been sent.
// 2. What is not sent within an hour is given up: push services keep it for another one.
// 3. A push service that knows a registration no more ends it. Everything else that it says is about one notification.

extension RunningTargets {
    /// There are other registrations, or another push key. Returns at once.
    public func registrationsChanged() {
        let areThere = (try? gateway.store.readCommitted { try !$0.registrations().isEmpty }) ?? true
        signals.notify { signals in
            signals.isNew = true
            signals.lacksThread = false
            if areThere { startThread(&signals) }
        }
    }

    /// Goes by other settings. Returns at once.
    public func apply(_ settings: PushSettings) {
        let isOther = signals.withLock { signals in
            defer { signals.push = settings }
            return signals.push != settings
        }
        if isOther { registrationsChanged() }
    }

    /// Those in force.
    public var pushHosts: PushHosts { signals.withLock { $0.push.hosts } }

    /// Whether Apple's devices can be told.
    public var hasAPNs: Bool { signals.withLock { $0.push.apple != nil } }

    /// Whether anything is sent to registrations of this kind.
    public func canTell(_ address: PushAddress) -> Bool {
        if case .apple = address { hasAPNs } else { true }
    }

    /// Why an address is not called, in a sentence; nil if it is, and its keys are some.
    public func refusal(of address: PushAddress) -> String? {
        guard case .web(let endpoint, let p256dh, let auth) = address else { return nil }
        do throws(BadValue) {
            _ = try BrowserKeys(p256dh: p256dh, auth: auth)
        } catch { return error.text }
        return PushEndpoint.refusal(endpoint, allowed: signals.withLock { $0.push.hosts })
    }

    // MARK: the push key

    /// The public half, as browsers take it: 87 characters; nil while there is none.
    public var pushKeyShown: String? { (try? gateway.store.readCommitted { try $0.pushKey() })?.flatMap(Self.shown) }

    private static func shown(_ scalar: [UInt8]) -> String? { PushKey(scalar: scalar)?.shown }

    /// Makes another push key. The browsers' registrations are bound to the old one, and end.
    public func newPushKey() throws {
        guard let key = PushKey.make() else {
            throw Obstacle("a push key cannot be made: libhogweed is missing", command: "sudo apt install libhogweed6")
        }
        try gateway.store.commit { writer in
            try writer.replacePushKey(by: key.scalar)
            try writer.removeBrowsersRegistrations()
        }
        registrationsChanged()
    }

    // MARK: a test

    /// Sends something to a registration, ahead of what waits; ``registrationProgress(_:)`` has the result.
    ///
    /// - Returns: false if it is not there, or cannot be told.
    public func testRegistration(_ id: Int64) -> Bool {
        let found = try? gateway.store.readCommitted { try $0.registrations() }
        guard let row = found?.first(where: { $0.id == id }), let target = try? devices([row]).first else {
            return false
        }
        let now = clock().at
        signals.notify { signals in
            if let test = signals.tests[target.name], test.error == nil { return }
            signals.tests[target.name] = Test(at: now, error: nil)
            // The thread may not have read it yet.
            signals.devices.removeAll { $0.name == target.name }
            signals.devices.append(target)
            signals.waitingTests.append(target)
            startThread(&signals)
        }
        beginTests()
        return true
    }

    /// How delivery to a registration goes.
    public func registrationProgress(_ id: Int64) -> Progress? {
        progress(
            of: PushRegistration(id: id, token: 0, address: .web(endpoint: "", p256dh: "", auth: ""), registeredAt: 0)
                .target)
    }

    // MARK: targets

    /// Those that can be told.
    func devices(_ registrations: [PushRegistration]) throws -> [Target] {
        guard !registrations.isEmpty else { return [] }
        let scalar = try gateway.store.readCommitted { try $0.pushKey() }
        let (settings, tokens) = signals.withLock { signals in
            let tokens = signals.tokens ?? (PushTokens(), AppleTokens())
            signals.tokens = tokens
            return (signals.push, tokens)
        }
        let key = scalar.flatMap { PushKey(scalar: $0) }
        return registrations.compactMap { Self.target($0, settings, key, tokens) }
    }

    private static func target(
        _ registration: PushRegistration, _ settings: PushSettings, _ key: PushKey?,
        _ tokens: (web: PushTokens, apple: AppleTokens)
    ) -> Target? {
        var target: Target
        var own = Target.Registration(id: registration.id, token: registration.token)
        switch registration.address {
        case .web(let endpoint, let p256dh, let auth):
            // What is stored was checked when it was registered.
            guard let key, let address = try? WebAddress(endpoint),
                let keys = try? BrowserKeys(p256dh: p256dh, auth: auth)
            else { return nil }
            let receiver = WebPush(keys: keys, pushKey: key, contact: settings.contact, tokens: tokens.web)
            target = Target(registration.target, Target.Kind(receiver), address)
            own.isNamedHost = settings.hosts.name(address)
            own.obstacle = PushEndpoint.refusal(address, settings.hosts)
        case .apple(let token, let isSandbox):
            guard let apple = settings.apple else { return nil }
            let device = AppleDevice(
                token: token, isSandbox: isSandbox, isOtherHost: registration.isOtherHost,
                registeredAt: registration.registeredAt)
            let receiver = ApplePush(settings: apple, device: device, tokens: tokens.apple)
            target = Target(registration.target, Target.Kind(receiver), device.address(apple.hosts))
            own.obstacle = apple.obstacle
        }
        target.registration = own
        target.retryFor = Int64(WebPush.timeToLive) * 1000
        return target
    }

    // MARK: what is sent

    /// A notification as its registration's token is shown it now; nil if it is not.
    func shown(
        _ dispatch: Dispatch, to registration: Target.Registration, _ sources: [FoundSource], _ isShort: Bool
    ) throws -> Outgoing? {
        guard
            let row = try gateway.store.readCommitted({ [seen] reader -> FeedRow? in
                // Its message may have been deleted since it was read.
                if dispatch.id > 0, try reader.dispatch(dispatch.id) == nil { return nil }
                return try seen(registration.token, dispatch, reader)
            })
        else { return nil }
        var told = dispatch
        told.row = row
        told.row.uuid = dispatch.uuid
        let source = sources.first { $0.id == row.source }?.source.uuid
        var outgoing = Outgoing(told, in: source, isShort: isShort)
        if dispatch.isSummary { outgoing.body = try summary(dispatch, to: registration) }
        return outgoing
    }

    /// The body of a summary, without the titles of what its token is not shown any more.
    private func summary(_ dispatch: Dispatch, to registration: Target.Registration) throws -> String {
        let titles = try gateway.store.readCommitted { [seen] reader in
            try zip(dispatch.titledRows, dispatch.titles).filter { uuid, _ in
                guard let row = try reader.feedRow(uuid: uuid) else { return false }
                return try seen(registration.token, Dispatch(to: dispatch.target, at: dispatch.at, row), reader) != nil
            }.map(\.1)
        }
        return Outgoing.bodyOfSummary(titles, dispatch.counts)
    }

    // MARK: what becomes of it

    /// Nobody is there any more: what waits for it is not sent.
    func end(_ target: Target, _ queue: inout SendQueue) -> [@Sendable (Writer) throws -> Void] {
        guard let id = target.registration?.id else { return [] }
        let why = queue.lines[target.name]?.row.error ?? signals.withLock { $0.tests[target.name]?.error } ?? ""
        logger.notice("\(target.shown) has ended: \(why)", fields: ["registration": "\(id)"])
        queue.forget(target.name)
        signals.withLock { signals in
            signals.devices.removeAll { $0.name == target.name }
            signals.isNew = true
        }
        return [{ try $0.removeRegistration(id) }]
    }

    /// What an answer says of the registration itself.
    func changes(
        of registration: Target.Registration, _ before: SendQueue.Line, _ line: SendQueue.Line, _ fate: SendQueue.Fate
    ) -> [@Sendable (Writer) throws -> Void] {
        let id = registration.id
        var effects = fate == .changesHost ? noteOtherHost(of: line.target) : []
        if before.unheardSince != line.unheardSince {
            effects.append { [since = line.unheardSince] in try $0.note(unheardSince: since, of: id) }
        }
        return effects
    }

    /// Apple's other host may know the device. From then on it is asked there.
    func noteOtherHost(of target: Target) -> [@Sendable (Writer) throws -> Void] {
        guard let id = target.registration?.id, let receiver = target.kind.receiver as? ApplePush else { return [] }
        signals.withLock { $0.isNew = true }
        return [{ [isOther = !receiver.device.isOtherHost] in try $0.noteOtherHost(isOther, of: id) }]
    }

    /// Reports once per outage, in the log: the feed is for everybody, and this is about one phone.
    func sayOfRegistration(
        _ before: SendQueue.Line, _ line: SendQueue.Line, at now: SendTime, _ queue: inout SendQueue,
        _ effects: inout [@Sendable (Writer) throws -> Void]
    ) {
        let problem = Problem.Kind.pushFailing
        if line.row.failingSince == nil, before.row.isTold {
            logger.notice("\(problem): \(line.target.shown): that is over", fields: ["problem": problem.rawValue])
        }
        guard line.isFailing(at: now), !line.row.isTold else { return }
        queue.markTold(line.target.name)
        logger.warning(
            "\(problem): \(line.target.shown): \(line.row.error ?? "")", fields: ["problem": problem.rawValue])
        var told = line.row
        told.isTold = true
        effects.append { [told] in try $0.store(told) }
    }
}

extension Target.Registration {
    /// Why it is not called now; nil if it is.
    func obstacle(at now: SendTime) -> String? {
        obstacle ?? (now.isSure ? nil : "this computer's clock is not set")
    }
}

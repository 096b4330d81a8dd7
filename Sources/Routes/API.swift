import Gateway
import HTTPServer
import Log
import MeshModel
import Platform
import Store
import Synchronization

// What happens to a request, in this order; the first thing that fails is the answer.
//
// 1. The web site whose page asks, if any: 500 unless it is allowed. A preflight ends here (Contract 2.1).
// 2. The general limit, for clients from outside (Contract 2.5).
// 3. The body: bad JSON is 400 even without a token (Contract 7.3). One that was not kept, because it is long
//    and nobody knows its sender, is not looked at.
// 4. The path and the method: what they mean, without telling a stranger whether it exists.
// 5. Who asks: a token, or a user of this machine on the local socket.
// 6. A wrong method is as good as an unknown path: 404.
//    From here on what takes long, or waits for the disk, goes on aside (AnsweringAside.swift).
// 7. The source that the path names, and whether the token is for this kind of data.
// 8. The resource's own rules.

/// What answers requests over a gateway: one in, one response out, on the caller's thread. Rooms with pages extend it by
/// their handlers, and hand over their endpoints.
public struct API: Sendable {
    private let parts: APIParts
    /// Of the request that this copy answers.
    var readingTime = ReadingTime.own

    public var gateway: Gateway { parts.gateway }
    /// What rules have told.
    public var feed: NotificationFeed { parts.feed }
    /// Shown by `/api/health` and `/api/status`.
    public var version: String { parts.version }
    /// Where clients can connect, for the local status.
    public var listeners: @Sendable () -> [String] { parts.listeners }
    /// Host milliseconds since 1970 by which what was heard is recent or old.
    public var clock: @Sendable () -> Int64 { parts.clock }
    /// How many clients are connected, likewise; nil where nobody can be.
    public var connections: @Sendable () -> Int? { parts.connections }
    /// The ports where the radios are shared, likewise.
    public var shares: @Sendable () -> [SharedPortReport] { parts.shares }
    /// Nil: nobody runs any.
    public var rules: FolderDoor? { parts.rules }
    /// Likewise.
    public var brokers: FolderDoor? { parts.brokers }
    /// Nil: nobody sends anything.
    public var targets: FolderDoor? { parts.targets }
    /// Likewise.
    public var pushes: PushDoor? { parts.pushes }
    /// How conversations over brokers are doing.
    public var conversationDoor: ConversationDoor { parts.conversationDoor }
    /// Monotonic milliseconds.
    public var startedAt: Int64 { parts.startedAt }
    /// Bytes that the process had written to disks by then.
    public var writtenBefore: Int64 { parts.writtenBefore }
    public var admission: LocalAdmission { parts.admission }
    public var tokens: TokenCheck { parts.tokens }
    public var cookies: SessionCookies { parts.cookies }
    public var knownSources: KnownSources { parts.knownSources }
    var logger: Logger { parts.logger }
    /// In every entity tag, so that none outlives the process that gave it.
    public var start: UInt64 { parts.start }
    public var settings: @Sendable () -> [SettingInForce] { parts.settings }
    public var policy: PolicyInForce { parts.policy }
    public var requestLimit: RateLimit { parts.requestLimit }
    public var messageLimit: RateLimit { parts.messageLimit }
    public var wrongTokens: WrongTokens { parts.wrongTokens }
    public var streams: OpenStreams { parts.streams }
    public var documents: KeptDocuments { parts.documents }
    /// Reads that take longer than others may wait for.
    var longReads: WorkAside { parts.longReads }
    /// What changes something, and waits for the disk.
    var commits: WorkAside { parts.commits }
    var sharedCommits: SharedCommits { parts.sharedCommits }
    public var radioReadings: RadioReadings { parts.radioReadings }

    public var store: Store { gateway.store }
    public var crossOrigin: CrossOrigin { policy.value.crossOrigin }
    public var proxies: TrustedProxies { policy.value.proxies }
    public var queueing: Queueing { policy.value.queueing }

    /// - Parameters:
    ///   - endpoints: Everything that is answered.
    ///   - feed: What rules tell; nil: what the database has of it.
    ///   - settings: The daemon's settings as they are in force, for the command line.
    ///   - localGroup: Its members need no token on the local socket; the daemon's own user and root never do.
    ///   - clock: What time it is for the mesh, in milliseconds since 1970; nil: the host's.
    ///   - listeners: The addresses that the server is bound to.
    ///   - connections: How many are open there.
    ///   - shares: Where the radios are shared.
    ///   - rules: What is noticed, and told in the feed.
    ///   - brokers: Those that the mesh is shown at.
    ///   - targets: Where it is told besides.
    ///   - pushes: Apps and browsers that have asked to be told.
    ///   - conversations: Those over brokers.
    ///   - logger: Gets a line for each token that a token has made.
    public init(
        _ endpoints: [Endpoint], gateway: Gateway, feed: NotificationFeed? = nil, version: String,
        policy: ClientPolicy = ClientPolicy(),
        settings: @escaping @Sendable () -> [SettingInForce] = { [] }, localGroup: UInt32? = nil,
        clock: (@Sendable () -> Int64)? = nil, listeners: @escaping @Sendable () -> [String] = { [] },
        connections: @escaping @Sendable () -> Int? = { nil },
        shares: @escaping @Sendable () -> [SharedPortReport] = { [] }, rules: FolderDoor? = nil,
        brokers: FolderDoor? = nil,
        targets: FolderDoor? = nil, pushes: PushDoor? = nil, conversations: ConversationDoor = .none,
        logger: Logger = .silent
    ) {
        parts = APIParts(
            router: Router(endpoints), gateway: gateway, feed: feed ?? NotificationFeed(store: gateway.store),
            version: version, policy: policy, settings: settings, admission: LocalAdmission(group: localGroup),
            clock: clock ?? { WallClock.milliseconds() }, listeners: listeners, connections: connections,
            shares: shares, rules: rules, brokers: brokers, targets: targets, pushes: pushes,
            conversationDoor: conversations, logger: logger)
    }

    /// From now on this policy counts. Clients keep what they have used of their limits.
    public func apply(_ policy: ClientPolicy) {
        self.policy.value = PolicyInForce.Value(policy)
        requestLimit.set(limit: policy.requestLimit)
        messageLimit.set(limit: policy.messageLimit)
    }

    public func respond(_ request: Request) -> Response {
        var response = answered(request)
        response.headers += Header.forBrowsers
        return response
    }

    private func answered(_ request: Request) -> Response {
        let origin = request.header("Origin").flatMap { $0.isEmpty ? nil : $0 }
        guard origin.map({ crossOrigin.allows($0, host: proxies.host(of: request)) }) ?? true else {
            var response = APIError.originRefused.response
            CrossOrigin.admit(nil, to: &response)
            return response
        }
        var response = request.method == "OPTIONS" ? CrossOrigin.preflight : counted(request)
        CrossOrigin.admit(origin, to: &response)
        return response
    }

    /// The answer, unless the client has asked too often.
    private func counted(_ request: Request) -> Response {
        let standing = limit(request)
        var response: Response
        do throws(APIError) {
            if let standing, standing.isRefused {
                throw APIError.tooManyRequests(standing.kind, retryAfter: standing.reset)
            }
            response = try answer(request, standing)
        } catch {
            response = error.response
        }
        // They are added when it is given: only then it is known whether it has others.
        if case .later = response.body { return response }
        response.add(standing)
        return response
    }

    /// The body of an answer that the server gives by itself, before any request has come together.
    public func refused(_ reason: RefusalReason) -> Response {
        let error: APIError =
            switch reason {
            case .bodyTooLarge(let limit): .bodyTooLarge(limit: limit)
            default: .badRequest(reason.message)
            }
        var response = error.response
        response.status = reason.status
        return response
    }

    /// Counts the request, unless its client belongs to the house (Contract 2.5).
    private func limit(_ request: Request) -> RateLimit.Standing? {
        guard let address = proxies.address(of: request), !address.isPrivate else { return nil }
        return requestLimit.count(Client(address), now: BootTimeClock.milliseconds())
    }

    private func answer(_ request: Request, _ standing: RateLimit.Standing?) throws(APIError) -> Response {
        let body = request.isBodyLeft ? nil : try request.parsedBody()
        let segments = try segments(of: request)
        let match = parts.router.match(segments)
        let method = Endpoint.Method(rawValue: request.method == "HEAD" ? "GET" : request.method)
        let endpoint = method.flatMap { match?.target[$0] }
        var caller = try admit(request, to: endpoint, segments)
        caller.gatewayChannels = gateway.channelDatabase.channels
        guard let endpoint, let match else { throw .notFound("Cannot \(request.method) \(request.path)") }
        // Between its head and here, its token has become good; but nobody has its body.
        if request.isBodyLeft, endpoint.method != .get { throw .tokenInvalid }
        let asked = Asked(
            request: request, body: body, caller: caller, endpoint: endpoint, parameters: match.parameters,
            source: match.source, standing: standing)
        var response = try handle(asked)
        response.isForKnownClient = caller.token != nil
        return response
    }

    /// The caller; throws unless this endpoint is for it.
    private func admit(
        _ request: Request, to endpoint: Endpoint?, _ segments: [String]
    ) throws(APIError) -> Caller {
        if case .open = endpoint?.access { return .stranger }
        let isAdmitted =
            if case .local(let user, let group, _) = request.peer { admission.admits(uid: user, gid: group) } else {
                false
            }
        switch endpoint?.access {
        case .local:
            guard request.isLocal else { throw .notFound("Cannot \(request.method) \(request.path)") }
            guard isAdmitted else {
                throw .forbidden("Only the gateway's own user, root and members of its group may do this")
            }
            return .localUser
        case .session(let permission):
            let caller = isAdmitted ? .localUser : try sessionCaller(request)
            if let permission, !caller.scopes.allows(permission) { throw .insufficientForSession(permission) }
            return caller
        case .cookie(let permission):
            let hasToken = isAdmitted || request.header("Authorization") != nil
            let caller =
                isAdmitted ? .localUser : try hasToken ? sessionCaller(request) : cookieCaller(request)
            if let permission, !caller.scopes.allows(permission) { throw .insufficientForSession(permission) }
            return caller
        case .token(let permission):
            let caller = isAdmitted ? .localUser : try tokenCaller(request)
            // For one source the refusal comes behind the question whether there is such a source.
            if let permission, endpoint?.isPerSource == false, !caller.scopes.allows(permission) {
                throw .insufficient(
                    endpoint?.refusal ?? "Insufficient permissions", resource: permission.resource.name,
                    action: permission.action)
            }
            return caller
        case .everything:
            let caller = isAdmitted ? .localUser : try tokenCaller(request)
            // As above.
            if endpoint?.isPerSource == false, caller.scopes != .admin { throw .notAdmin(source: nil) }
            return caller
        case .open, nil:
            // Nobody learns without a token what there is below /api/v1.
            let isV1 = segments.prefix(2).map(Router.lowercased) == ["api", "v1"]
            return isV1 && !isAdmitted ? try tokenCaller(request) : .stranger
        }
    }

    public var tokenTime: Int64 { store.tokenTime }

    /// What the server asks about clients before a handler is called.
    public var clientRules: ClientRules {
        ClientRules(
            isProxy: { proxies.contain($0) }, address: { proxies.address(of: $0) }, keepsBody: { keepsBody(of: $0) },
            route: { route(of: $0) })
    }

    /// The path of the endpoint that answers; empty: none does.
    private func route(of request: Request) -> String {
        guard let segments = try? segments(of: request) else { return "" }
        return parts.router.match(segments)?.target[.get]?.path ?? ""
    }

    /// Whether the head of the request has a valid token or cookie. A wrong one is not counted here.
    private func keepsBody(of request: Request) -> Bool {
        if case .local(let user, let group, _) = request.peer, admission.admits(uid: user, gid: group) { return true }
        if request.header("Authorization") == nil { return (try? cookieCaller(request)) != nil }
        return tokens.isValid(authorization: request.header("Authorization"), now: tokenTime)
    }

    private func tokenCaller(_ request: Request) throws(APIError) -> Caller {
        try tokenCaller(request, authorization: request.header("Authorization"))
    }

    /// - Parameter authorization: the token as that header has it, wherever the request says it.
    func tokenCaller(_ request: Request, authorization: String?) throws(APIError) -> Caller {
        do throws(APIError) {
            return try tokens.check(authorization: authorization, now: tokenTime)
        } catch {
            if error == .tokenInvalid, let seconds = pauseOfWrongToken(request) {
                throw .tooManyWrongTokens(retryAfter: seconds)
            }
            throw error
        }
    }

    /// Counts a wrong token; the seconds that its client has to wait, nil when it may be told what is wrong.
    private func pauseOfWrongToken(_ request: Request) -> Int? {
        // All clients of a proxy that does not tell them apart would pay for one of them.
        guard request.isLocal || proxies.address(of: request).map({ !proxies.contain($0) }) ?? false else { return nil }
        return wrongTokens.count(proxies.client(of: request), now: BootTimeClock.milliseconds())
    }

    private func sessionCaller(_ request: Request) throws(APIError) -> Caller {
        do throws(APIError) {
            return try tokenCaller(request)
        } catch {
            switch error {
            case .tokenMissing, .tokenInvalid: throw .authenticationRequired
            default: throw error
            }
        }
    }

    // MARK: for the routes

    /// A weak tag for what a call is answered with: it covers the path, the query, what the token may see, the source,
    /// and what the answer is made from.
    ///
    /// Ask for it before reading: a tag may be older than what it stands for, never newer.
    ///
    /// The topics count changes of all channels. To a token that may not read all of them they would tell of the others:
    /// its answers have the tags of their bodies, and are read to be compared.
    ///
    /// - Parameter numbers: what the answer is made from beside the topics, such as what changes with time alone.
    public func tag(_ call: Call, _ topics: Topic..., with numbers: [UInt64] = []) -> EntityTag {
        let caller = call.caller
        if topics.contains(where: { caller.isHidden(somethingOf: $0) }) { return .ofTheBody }
        var parts: [UInt64] = []
        parts.reserveCapacity(6 + topics.count + numbers.count)
        parts.append(start)
        parts.append(call.request.fingerprint)
        parts.append(caller.scopes.bits)
        parts.append(UInt64(caller.gatewayChannels.upperBound))
        // A message shows a token its own name.
        if topics.contains(.messages), !caller.readsSenders { parts.append(UInt64(bitPattern: caller.token ?? 0)) }
        if let source = call.sourceIfAny { parts.append(UInt64(bitPattern: source.id.rawValue)) }
        for topic in topics { parts.append(store.revision(topic)) }
        parts.append(contentsOf: numbers)
        return EntityTag(parts: parts)
    }
}

extension Caller {
    fileprivate func isHidden(somethingOf topic: Topic) -> Bool {
        !readsAllChannels || topic == .packets && !may(.read, .messages)
    }
}

extension Request {
    /// Whether it came over the local socket.
    var isLocal: Bool { if case .local = peer { true } else { false } }
}

extension Store {
    /// By which tokens expire, in host milliseconds: before the host knows the time, it is not earlier than in the last
    /// run, or a token that has expired would be good again after each start in 1970.
    public var tokenTime: Int64 {
        let now = WallClock.milliseconds()
        return now < PlausibleTime.earliestMilliseconds ? max(now, lastRunAt) : now
    }
}

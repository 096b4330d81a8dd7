import Gateway
import MeshModel
import Store

// An act as it would leave now: over which radio, on which channel, with which words. Channels are looked up by their names, because
// they may have moved since the rule fired.

struct ActPlan: Sendable {
    enum Request: Sendable {
        case ask(NodeRequest, NodeNumber, channel: Int?)
        case ownPosition(channel: Int)

        var kind: NodeRequest { if case .ask(let kind, _, _) = self { kind } else { .position } }
    }

    let source: SourceID
    /// The answer first.
    private(set) var texts: [OutgoingText] = []
    private(set) var requests: [Request] = []
    /// Of each of these on the air.
    private(set) var bytes: [Int] = []
    private(set) var claim = ActQueue.Claim()

    /// The port that has to be free.
    var port: PortNumber { texts.isEmpty ? requests.first?.kind.port ?? .textMessage : .textMessage }

    fileprivate init(over source: SourceID) { self.source = source }
}

/// A radio over which an act may leave.
struct ActRadio: Sendable {
    var number: NodeNumber
    var lora: LoRaSettings?
    var isTransmitDisabled: Bool

    init(_ number: NodeNumber, _ lora: LoRaSettings?, isTransmitDisabled: Bool) {
        (self.number, self.lora, self.isTransmitDisabled) = (number, lora, isTransmitDisabled)
    }

    /// The one of this source, while it is there.
    init?(of source: SourceID, _ gateway: Gateway) {
        let status = gateway.status(of: source)
        guard status.isConnected, let number = status.myInfo?.number else { return nil }
        self.init(number, status.lora, isTransmitDisabled: status.txDisabled)
    }
}

/// What plans are made of: one state of the database, and the radios as they are now.
struct ActPlanner {
    let reader: Reader
    let facts: any RuleFacts
    /// nil: it is away.
    let radio: (SourceID) -> ActRadio?
    let now: Moment
    /// When the gateway began, in milliseconds of the clock that is never set.
    let began: Int64
    let version: String
    let zone: LocalZone

    /// Milliseconds for which a report of the channel's use counts.
    private static let fresh: Int64 = 1_800_000

    /// - Returns: nil: there is nobody whose turn it is.
    /// - Throws: ``Skipped``, or what the database throws.
    func plan(_ act: Act) throws -> ActPlan? {
        let (source, radio) = try radio(of: act)
        var making = Making(plan: ActPlan(over: source), act: act, radio: radio)
        try addTexts(&making)
        guard try addRequests(&making) else { return nil }
        guard !making.plan.texts.isEmpty || !making.plan.requests.isEmpty else { throw Skipped.empty }
        if let node = act.node { making.claim.nodes.insert(node) }
        making.claim.channelUse = try channelUse(of: radio.number, in: source)
        making.claim.isQuiet = now.isSure && act.rule.quiet?.night(at: now.at, in: zone) != nil
        making.plan.finish(making.claim)
        return making.plan
    }

    fileprivate struct Making {
        var plan: ActPlan
        let act: Act
        let radio: ActRadio
        var claim = ActQueue.Claim()

        mutating func count(bytes: Int) {
            claim.airtime += ActAirtime.milliseconds(bytes: bytes, radio.lora)
            plan.add(bytes: bytes)
        }
    }

    // MARK: the radio

    /// The one that has heard the event; else the oldest that the rule allows, one that is there first.
    private func radio(of act: Act) throws -> (SourceID, ActRadio) {
        let heard = act.telling.matter.source
        let radios = try facts.sources().filter(\.source.isEnabled)
        let allowed = radios.filter { act.rule.conditions.failed(in: $0.source) == nil }
        let isOfRadio = try heard != .gateway && facts.source(heard) != nil
        let found =
            isOfRadio
            ? radios.first { $0.id == heard }
            : allowed.first { radio($0.id) != nil } ?? allowed.first
        guard let found, let radio = radio(found.id) else { throw Skipped.noRadio }
        guard !radio.isTransmitDisabled else { throw Skipped.transmitterOff }
        return (found.id, radio)
    }

    /// Per cent; nil: the radio has not said lately.
    private func channelUse(of own: NodeNumber, in source: SourceID) throws -> Double? {
        let last = try facts.pointBefore(row: .max, at: now.at, "channelUtilization", of: own, in: source)
        return last.flatMap { now.at - $0.at <= Self.fresh ? $0.value : nil }
    }

    /// By index.
    private func channels(in source: SourceID) throws -> [Int: String] {
        try facts.channelNames(in: source).filter { (0...7).contains($0.key) }
    }

    private func channel(_ word: String, in source: SourceID) throws -> Int {
        let names = try channels(in: source)
        if let number = Int(word), names[number] != nil { return number }
        let exact = names.filter { $0.value == word }.keys.min()
        guard let found = exact ?? names.filter({ $0.value.lowercased() == word.lowercased() }).keys.min() else {
            throw Skipped.noChannel
        }
        return found
    }

    /// The channel on which a text came, wherever it is now.
    private func channel(of message: Message, _ name: String?, in source: SourceID) throws -> Int {
        let names = try channels(in: source)
        if let now = names[message.channel], name == nil || now == name { return message.channel }
        guard let name, let moved = names.filter({ $0.value == name }).keys.min() else { throw Skipped.noChannel }
        return moved
    }

    // MARK: texts

    private func addTexts(_ making: inout Making) throws {
        let (act, acting, source) = (making.act, making.act.acting, making.plan.source)
        guard acting.hasText else { return }
        let message = act.message
        // Over a broker nobody can be answered.
        let isHeard = act.telling.overBroker == nil
        let own: OutgoingText.Destination? = try message.flatMap { message in
            guard isHeard else { return nil }
            if message.channel >= 0 { return .channel(try channel(of: message, act.telling.channelName, in: source)) }
            return message.to == making.radio.number ? .node(message.from) : nil
        }
        let values = try acting.reply != nil || acting.text != nil ? values(act, in: source) : TemplateValues()
        if let reply = acting.reply {
            guard let message, let own else { throw Skipped.empty }
            let destination = acting.repliesDirectly ? .node(message.from) : own
            try add(reply.filled(values), to: destination, replyTo: message, &making)
        }
        if let reaction = acting.reaction {
            guard let message, let own else { throw Skipped.empty }
            let emoji = reaction.emoji(hops: message.hopsAway)
            // How far away it is may be unknown.
            if let emoji { try add(emoji, to: own, replyTo: message, isTapback: true, &making) }
        }
        guard let text = acting.text else { return }
        let destination: OutgoingText.Destination
        switch acting.addressee {
        case .channel(let word): destination = .channel(try channel(word, in: source))
        case .node(let number): destination = .node(number)
        case .sender:
            guard let node = act.node else { throw Skipped.empty }
            destination = .node(node)
        }
        let isSame = own == destination
        if message != nil, !isSame { making.claim.isElsewhere = true }
        try add(text.filled(values), to: destination, replyTo: isSame ? message : nil, &making)
    }

    private func add(
        _ text: String, to destination: OutgoingText.Destination, replyTo message: Message?, isTapback: Bool = false,
        _ making: inout Making
    ) throws {
        guard !text.isEmpty else { throw Skipped.empty }
        var isEncrypted = false
        switch destination {
        case .channel(let channel): making.claim.channels.insert(.init(source: making.plan.source, channel: channel))
        case .node(let number):
            guard try !facts.isOwn(number), !number.isBroadcast else { throw Skipped.empty }
            isEncrypted = try checkKey(of: number, making)
            making.claim.nodes.insert(number)
        }
        making.count(
            bytes: ActAirtime.bytes(of: text, isReply: message != nil, isTapback: isTapback, isEncrypted: isEncrypted))
        making.plan.add(
            OutgoingText(
                text: text, destination: destination, replyID: message?.packetID, isTapback: isTapback,
                lifetime: Act.lifetime))
    }

    /// - Returns: whether a text for this node goes encrypted to it alone.
    private func checkKey(of number: NodeNumber, _ making: Making) throws -> Bool {
        let node = try facts.node(number, in: making.plan.source)
        if node?.isKeyInDoubt == true { throw Skipped.keyInDoubt }
        let own = try facts.node(making.radio.number, in: making.plan.source)
        let isEncrypted = node?.publicKey != nil && node?.isLicensed == false && own?.isLicensed != true
        if let message = making.act.message, message.pkiEncrypted, message.from == number, !isEncrypted {
            throw Skipped.unencrypted
        }
        return isEncrypted
    }

    // MARK: requests

    /// - Returns: false: there is nobody whose turn it is.
    private func addRequests(_ making: inout Making) throws -> Bool {
        let (act, acting, source) = (making.act, making.act.acting, making.plan.source)
        if let kind = acting.request {
            if acting.asksDue {
                if let node = try dueNode(act.rule, own: making.radio.number, in: source) {
                    making.ask(kind, node)
                } else if making.plan.texts.isEmpty, acting.announcement == nil {
                    return false
                }
            } else {
                guard let node = act.node, try !facts.isOwn(node) else { throw Skipped.empty }
                making.ask(kind, node)
            }
        }
        if let announcement = acting.announcement {
            guard case .channel(let word) = acting.addressee else { throw Skipped.noChannel }
            let channel = try channel(word, in: source)
            making.claim.channels.insert(.init(source: source, channel: channel))
            let request: ActPlan.Request =
                switch announcement {
                case .nodeInfo: .ask(.nodeInfo, .broadcast, channel: channel)
                case .position: .ownPosition(channel: channel)
                }
            making.plan.add(request)
            making.count(bytes: ActAirtime.bytes(of: request.kind))
        }
        return true
    }

    // MARK: words

    private func values(_ act: Act, in source: SourceID) throws -> TemplateValues {
        var values = TemplateValues(act.telling, act.rule, try facts.nodeOf(act, in: source))
        (values.at, values.zone, values.version) = (now.at, zone, version)
        values.uptime = now.uptime - began
        values.radio = try facts.radioName(of: source) ?? facts.source(source)?.name ?? ""
        let acting = act.acting
        if acting.reply?.countsNodes == true || acting.text?.countsNodes == true {
            let counts = try reader.nodeCounts(heardSince: now.at / 1_000 - 7_200, in: source)
            (values.known, values.nodes, values.direct) = counts
        }
        if let byte = act.message?.relayNode, byte != 0, act.message?.hopsAway != 0 {
            let names = try reader.shortNames(endingIn: byte, in: source)
            let known = names.count == 1 ? names[0] : nil
            let hex = String(byte & 0xFF, radix: 16)
            values.relay = known ?? (hex.count < 2 ? "0" + hex : hex)
        }
        return values
    }
}

extension ActPlan {
    fileprivate mutating func add(_ text: OutgoingText) { texts.append(text) }
    fileprivate mutating func add(bytes: Int) { self.bytes.append(bytes) }
    fileprivate mutating func add(_ request: Request) { requests.append(request) }
    fileprivate mutating func finish(_ claim: ActQueue.Claim) { self.claim = claim }
}

extension ActPlanner.Making {
    mutating func ask(_ kind: NodeRequest, _ node: NodeNumber) {
        plan.add(.ask(kind, node, channel: nil))
        claim.nodes.insert(node)
        count(bytes: ActAirtime.bytes(of: kind))
    }
}

extension RuleFacts {
    fileprivate func nodeOf(_ act: Act, in source: SourceID) throws -> Node? {
        try act.node.flatMap { try node($0, in: source) } ?? act.telling.matter.node
    }
}

extension TemplateValues {
    /// What an event says, without the gateway and the time.
    init(_ telling: Telling, _ rule: Rule, _ node: Node?) {
        self.init()
        if case .node(let number) = telling.subject {
            self.node = node?.longName ?? number.placeholderLongName
            short = node?.shortName ?? number.placeholderShortName
            id = number.id
            (hops, snr, rssi) = (node?.hopsAway, node?.snr, node?.rssi)
            (channelNumber, viaMQTT) = (node?.channel, node?.viaMQTT ?? false)
        }
        channel = telling.channelName
        if let message = telling.message {
            (hops, snr, rssi) = (message.hopsAway, message.rxSNR, message.rxRSSI)
            isDirect = message.channel < 0
            channelNumber = isDirect ? nil : message.channel
            viaMQTT = message.viaMQTT ?? false
        }
        value = telling.measured(rule)
        found = telling.found
    }
}

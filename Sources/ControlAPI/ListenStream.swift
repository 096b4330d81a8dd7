import Gateway
import HTTPServer
import JSON
import MeshModel
import Platform
import Routes
import Store

// `mesh-gateway listen`: what happens, as it happens.

extension ControlAPI {
    static let eventEndpoints: [Endpoint] = [.local(.get, "/local/events", ControlAPI.followEvents)]

    /// `GET /local/events?after=…`, and what ``EventFilter`` takes: a line for each event that passes. The first one says
    /// that listening has begun (`start`), and one in place of events that were too fast for the reader how many they
    /// were (`missed`).
    private func followEvents(_ call: Call) throws(APIError) -> Response {
        let filter = try question(call) { try EventFilter($0) }
        let last = call.request.queryValue("after").flatMap { UInt64($0) } ?? gateway.events.next - 1
        let listener = gateway.events.listen(after: last, wantsDebugText: filter.kinds.contains(.debug))
        let stream = LiveStream(listener, store) { _ in
            var lines = LiveStream.Lines()
            try lines.add { try $0.event(kind: "start", sequence: last, at: WallClock.milliseconds()) }
            return lines
        } next: { told, reader in
            var lines = LiveStream.Lines()
            if told.missed > 0 {
                let sequence = (told.events.first?.sequence ?? gateway.events.next) - 1
                try lines.add {
                    try $0.event(kind: "missed", sequence: sequence, at: WallClock.milliseconds(), missed: told.missed)
                }
            }
            let places = try Places(reader, gateway)
            for event in told.events where try filter.passes(event, reader) && !places.isOverBroker(event) {
                try lines.add { try $0.event(event, places, reader) }
            }
            return lines
        }
        return stream.response
    }
}

/// The sources of events, and how their channels are called.
private struct Places {
    var sources: [SourceID: (found: FoundSource, channels: ChannelNames)] = [:]

    init(_ reader: Reader, _ gateway: Gateway) throws {
        for found in try reader.sources() {
            sources[found.id] = (found, try ChannelNames(found, reader, lora: gateway.status(of: found.id).lora))
        }
    }

    /// What is said over brokers is followed by `messages --with`.
    func isOverBroker(_ event: Event) -> Bool { event.what.message != nil && sources[event.source] == nil }
}

extension JSONWriter {
    /// All members are there in each event; those that say nothing about its kind are null.
    fileprivate mutating func event(
        kind: String, sequence: UInt64, at time: Int64, missed: UInt64? = nil, source: FoundSource? = nil,
        _ details: EventDetails = EventDetails(), packet: (inout JSONWriter) throws -> Void = { $0.null() },
        message: (inout JSONWriter) throws -> Void = { $0.null() },
        node: (inout JSONWriter) throws -> Void = { $0.null() }
    ) throws {
        member("schema", "listen/1")
        member("sequence", sequence)
        self.time("time", milliseconds: time)
        member("kind", kind)
        if let source { self.source(source) } else { null("source") }
        key("packet")
        try packet(&self)
        key("message")
        try message(&self)
        key("node")
        try node(&self)
        member("state", details.state)
        member("name", details.name)
        member("text", details.text)
        member("missed", missed)
    }

    fileprivate mutating func event(_ event: Event, _ places: Places, _ reader: Reader) throws {
        let place = places.sources[event.source]
        func write(
            _ json: inout JSONWriter, _ details: EventDetails = EventDetails(),
            packet: (inout JSONWriter) throws -> Void = { $0.null() },
            message: (inout JSONWriter) throws -> Void = { $0.null() },
            node: (inout JSONWriter) throws -> Void = { $0.null() }
        ) throws {
            try json.event(
                kind: event.kind.rawValue, sequence: event.sequence, at: event.time, source: place?.found, details,
                packet: packet, message: message, node: node)
        }
        guard let (found, channels) = place else { return try write(&self) }
        switch event.what {
        case .received(let packet, let raw):
            try write(&self, packet: { try $0.packet(packet, raw: raw, found, channels, reader) })
        case .sent(let packet):
            try write(&self, packet: { try $0.packet(packet, raw: nil, found, channels, reader) })
        case .message(let id), .delivery(let id, _):
            // It can have been deleted meanwhile.
            let message = try reader.message(id: id, in: found.id)
            try write(
                &self,
                message: { json in
                    guard let message else { return json.null() }
                    try json.object { try $0.told(message, found, channels, reader) }
                })
        case .node(let number): try write(&self, node: { try $0.party(number, found, reader) })
        case .key(let number, let name, let text):
            try write(&self, EventDetails(name: name, text: text), node: { try $0.party(number, found, reader) })
        case .link(let state):
            try write(&self, EventDetails(state: state.name, name: state.problem?.name, text: state.problem?.advice))
        case .problem(let problem), .solved(let problem):
            try write(&self, EventDetails(name: problem.name, text: problem.advice))
        case .restarted(let text), .notice(let text), .debugText(let text):
            try write(&self, EventDetails(text: text))
        }
    }

    /// A packet as it came or went.
    private mutating func packet(
        _ packet: MeshPacket, raw: [UInt8]?, _ source: FoundSource, _ channels: ChannelNames, _ reader: Reader
    ) throws {
        let data = packet.decoded
        try object { json in
            json.member("id", packet.id)
            json.key("from")
            try json.party(packet.from, source, reader)
            json.key("to")
            if packet.to.isBroadcast { json.null() } else { try json.party(packet.to, source, reader) }
            json.member("channel", data == nil ? nil : packet.channel)
            json.member("channelName", data == nil ? nil : channels[Int(packet.channel)])
            json.member("port", data?.port.rawValue)
            json.member("portName", data?.port.name)
            json.member(
                "content",
                packet.words { number in
                    (try? reader.node(number, in: source.id))?.shownShortName ?? number.id
                })
            json.member("hopStart", packet.hopStart)
            json.member("hopLimit", packet.hopLimit)
            json.member("hopsAway", raw == nil ? nil : packet.hopsAway)
            json.member("relayNode", packet.relayNode)
            // 0 dB is what a packet has that did not come over LoRa.
            json.float("snr", packet.rxRSSI == nil ? nil : Double(packet.rxSNR))
            json.member("rssi", packet.rxRSSI)
            json.member("viaMqtt", packet.viaMQTT)
            json.member("wantAck", packet.wantAck)
            json.member("pkiEncrypted", packet.pkiEncrypted)
            json.member("requestId", data.flatMap { $0.requestID == 0 ? nil : $0.requestID })
            json.member("replyTo", data.flatMap { $0.replyID == 0 ? nil : $0.replyID })
            json.member("payload", packet.payloadBytes.map(hexadecimal))
            json.member("raw", raw.map(hexadecimal))
        }
    }
}

/// What an event says besides whom and what it is about.
private struct EventDetails {
    var state: String?
    var name: String?
    var text: String?
}

extension MeshPacket {
    fileprivate var payloadBytes: [UInt8]? {
        switch payload {
        case .decoded(let data): data.payload
        case .encrypted(let bytes): bytes
        case .none: nil
        }
    }
}

/// What a daemon has the process of a connection do.
enum ConnectionCall: PairValue {
    /// Load the library, say its version, and end.
    case probe
    /// The first call.
    case connect(ConnectionSettings)
    /// `number` is the daemon's own, and comes back with the acknowledgement.
    case publish(number: Int32, OutgoingMessage)
    case subscribe(number: Int32, Subscription)
    case unsubscribe(number: Int32, filter: String)
    /// The batch has been handled: the broker may be told so.
    case answer
    /// Say goodbye to the broker, so that the will is not published, and end.
    case disconnect

    init(from frame: inout FrameReader) throws(MalformedFrame) {
        switch try frame.number(UInt8.self) {
        case 1: self = .probe
        case 2: self = .connect(try ConnectionSettings(from: &frame))
        case 3: self = .publish(number: try frame.number(), try OutgoingMessage(from: &frame))
        case 4: self = .subscribe(number: try frame.number(), try Subscription(from: &frame))
        case 5: self = .unsubscribe(number: try frame.number(), filter: try frame.text())
        case 6: self = .answer
        case 7: self = .disconnect
        default: throw MalformedFrame()
        }
    }

    func write(to frame: inout FrameWriter) {
        func begin(_ kind: UInt8) { frame.put(kind) }
        switch self {
        case .probe: begin(1)
        case .connect(let settings):
            begin(2)
            settings.write(to: &frame)
        case .publish(let number, let message):
            begin(3)
            frame.put(number)
            message.write(to: &frame)
        case .subscribe(let number, let subscription):
            begin(4)
            frame.put(number)
            subscription.write(to: &frame)
        case .unsubscribe(let number, let filter):
            begin(5)
            frame.put(number)
            frame.put(filter)
        case .answer: begin(6)
        case .disconnect: begin(7)
        }
    }
}

/// Whom a process connects to, and as whom.
struct ConnectionSettings: PairValue {
    var version: ProtocolChoice.Version
    var host: String
    var port: UInt16
    /// Seconds.
    var keepAlive: UInt16 = 60
    var clientID: String
    /// The broker forgets an earlier session of this client.
    var isClean = true
    /// Seconds that the broker keeps the session after the connection; MQTT 5 only.
    var sessionExpiry: UInt32 = 0
    var user: String?
    var password: String?
    var hasTLS = false
    /// Paths.
    var authorities: String?
    var certificate: String?
    var key: String?
    /// The will's topic: the broker publishes `offline` there, retained, if the connection breaks.
    var statusTopic: String?
    /// Bytes of a packet that the broker may send us; MQTT 5 only.
    var largestPacket: UInt32 = 64 << 10
    /// Bytes that the process may take beside what it has before it connects; 0 for any.
    var memory: UInt32 = 8 << 20

    init(_ version: ProtocolChoice.Version, host: String, port: UInt16, clientID: String) {
        (self.version, self.host, self.port, self.clientID) = (version, host, port, clientID)
    }

    init(from frame: inout FrameReader) throws(MalformedFrame) {
        guard let version = ProtocolChoice.Version(rawValue: Int32(try frame.number(UInt8.self))) else {
            throw MalformedFrame()
        }
        self.version = version
        host = try frame.text()
        port = try frame.number()
        keepAlive = try frame.number()
        clientID = try frame.text()
        isClean = try frame.flag()
        sessionExpiry = try frame.number()
        (user, password) = (try frame.optionalText(), try frame.optionalText())
        hasTLS = try frame.flag()
        (authorities, certificate) = (try frame.optionalText(), try frame.optionalText())
        (key, statusTopic) = (try frame.optionalText(), try frame.optionalText())
        largestPacket = try frame.number()
        memory = try frame.number()
    }

    func write(to frame: inout FrameWriter) {
        frame.put(UInt8(version.rawValue))
        frame.put(host)
        frame.put(port)
        frame.put(keepAlive)
        frame.put(clientID)
        frame.put(isClean)
        frame.put(sessionExpiry)
        for text in [user, password] { frame.put(text) { $0.put($1) } }
        frame.put(hasTLS)
        for text in [authorities, certificate, key, statusTopic] { frame.put(text) { $0.put($1) } }
        frame.put(largestPacket)
        frame.put(memory)
    }
}

/// How much a delivery is worth: at most once, at least once, exactly once.
enum Quality: UInt8, PairValue {
    case atMostOnce, atLeastOnce, exactlyOnce

    init(from frame: inout FrameReader) throws(MalformedFrame) {
        guard let quality = Quality(rawValue: try frame.number()) else { throw MalformedFrame() }
        self = quality
    }

    func write(to frame: inout FrameWriter) { frame.put(rawValue) }
}

/// A name and a value that a message of MQTT 5 carries.
struct UserProperty: PairValue {
    var name: String
    var value: String

    init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    init(from frame: inout FrameReader) throws(MalformedFrame) {
        (name, value) = (try frame.text(), try frame.text())
    }

    func write(to frame: inout FrameWriter) {
        frame.put(name)
        frame.put(value)
    }
}

struct OutgoingMessage: PairValue {
    var topic: String
    var payload: [UInt8]
    var quality = Quality.atLeastOnce
    var isRetained = false
    /// Seconds that the broker keeps it; nil for ever. MQTT 5 only, as the properties.
    var expiry: UInt32?
    var properties: [UserProperty] = []

    init(_ topic: String, _ payload: [UInt8]) { (self.topic, self.payload) = (topic, payload) }

    init(from frame: inout FrameReader) throws(MalformedFrame) {
        (topic, payload) = (try frame.text(), try frame.bytes())
        quality = try Quality(from: &frame)
        isRetained = try frame.flag()
        expiry = try frame.optional { reader throws(MalformedFrame) in try reader.number() }
        properties = try frame.several { reader throws(MalformedFrame) in try UserProperty(from: &reader) }
    }

    func write(to frame: inout FrameWriter) {
        frame.put(topic)
        frame.put(payload)
        quality.write(to: &frame)
        frame.put(isRetained)
        frame.put(expiry) { $0.put($1) }
        frame.put(properties) { $1.write(to: &$0) }
    }
}

/// A subscription. All but the filter and the quality is for MQTT 5 only.
struct Subscription: PairValue {
    /// Which retained messages come when it is made.
    enum RetainHandling: UInt8, Sendable { case always, ifNew, never }

    var filter: String
    var quality = Quality.atLeastOnce
    /// Nothing comes that this client has published.
    var isNoLocal = false
    /// The retain flag comes as it was published; otherwise it says that a message stood there when the subscription was made.
    var isRetainAsPublished = false
    var retainHandling = RetainHandling.always
    /// 1 to 268,435,455: comes with each of its messages.
    var identifier: UInt32?

    init(_ filter: String) { self.filter = filter }

    /// Without what we publish ourselves.
    static func ofOthers(_ filter: String) -> Subscription {
        var subscription = Subscription(filter)
        subscription.isNoLocal = true
        return subscription
    }

    init(from frame: inout FrameReader) throws(MalformedFrame) {
        filter = try frame.text()
        quality = try Quality(from: &frame)
        (isNoLocal, isRetainAsPublished) = (try frame.flag(), try frame.flag())
        guard let handling = RetainHandling(rawValue: try frame.number()) else { throw MalformedFrame() }
        retainHandling = handling
        identifier = try frame.optional { reader throws(MalformedFrame) in try reader.number() }
    }

    func write(to frame: inout FrameWriter) {
        frame.put(filter)
        quality.write(to: &frame)
        frame.put(isNoLocal)
        frame.put(isRetainAsPublished)
        frame.put(retainHandling.rawValue)
        frame.put(identifier) { $0.put($1) }
    }
}

extension FrameReader {
    mutating func optionalText() throws(MalformedFrame) -> String? {
        try optional { reader throws(MalformedFrame) in try reader.text() }
    }
}

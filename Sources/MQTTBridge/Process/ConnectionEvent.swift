/// What the process of a connection tells its daemon.
enum ConnectionEvent: PairValue {
    /// The library's version, such as "2.0.11".
    case loaded(String)
    /// Why the library cannot be loaded. The last event.
    case missing(String)
    /// TCP's connection is made.
    case opened
    /// The CONNACK. `text` says a refusal in words, as in the others.
    case answered(code: Int, text: String, BrokerLimits, isSessionPresent: Bool)
    case received(IncomingMessage)
    case acknowledged(number: Int32, code: Int, text: String)
    case subscribed(number: Int32, code: Int)
    case unsubscribed(number: Int32)
    /// The broker's DISCONNECT.
    case ended(code: Int, text: String)
    /// A call of the library has failed, with this code of its own: the connection is over. The last event.
    ///
    /// `isUnanswered`: the last batch was not acknowledged to the broker, whatever the daemon has answered.
    case failed(code: Int32, text: String, isUnanswered: Bool)
    /// What came before was read at once; until ``ConnectionCall/answer`` nothing is read from the broker or written to it.
    case endOfBatch

    init(from frame: inout FrameReader) throws(MalformedFrame) {
        switch try frame.number(UInt8.self) {
        case 1: self = .loaded(try frame.text())
        case 2: self = .missing(try frame.text())
        case 3: self = .opened
        case 4:
            let (code, text) = (try frame.code(), try frame.text())
            let limits = try BrokerLimits(from: &frame)
            self = .answered(code: code, text: text, limits, isSessionPresent: try frame.flag())
        case 5: self = .received(try IncomingMessage(from: &frame))
        case 6:
            self = .acknowledged(number: try frame.number(), code: try frame.code(), text: try frame.text())
        case 7: self = .subscribed(number: try frame.number(), code: try frame.code())
        case 8: self = .unsubscribed(number: try frame.number())
        case 9: self = .ended(code: try frame.code(), text: try frame.text())
        case 10:
            self = .failed(code: try frame.number(), text: try frame.text(), isUnanswered: try frame.flag())
        case 11: self = .endOfBatch
        default: throw MalformedFrame()
        }
    }

    func write(to frame: inout FrameWriter) {
        func begin(_ kind: UInt8) { frame.put(kind) }
        switch self {
        case .loaded(let version):
            begin(1)
            frame.put(version)
        case .missing(let reason):
            begin(2)
            frame.put(reason)
        case .opened: begin(3)
        case .answered(let code, let text, let limits, let isSessionPresent):
            begin(4)
            frame.put(UInt8(clamping: code))
            frame.put(text)
            limits.write(to: &frame)
            frame.put(isSessionPresent)
        case .received(let message):
            begin(5)
            message.write(to: &frame)
        case .acknowledged(let number, let code, let text):
            begin(6)
            frame.put(number)
            frame.put(UInt8(clamping: code))
            frame.put(text)
        case .subscribed(let number, let code):
            begin(7)
            frame.put(number)
            frame.put(UInt8(clamping: code))
        case .unsubscribed(let number):
            begin(8)
            frame.put(number)
        case .ended(let code, let text):
            begin(9)
            frame.put(UInt8(clamping: code))
            frame.put(text)
        case .failed(let code, let text, let isUnanswered):
            begin(10)
            frame.put(code)
            frame.put(text)
            frame.put(isUnanswered)
        case .endOfBatch: begin(11)
        }
    }
}

struct IncomingMessage: PairValue {
    var topic: String
    var payload: [UInt8]
    var quality = Quality.atMostOnce
    var isRetained = false
    /// Of the subscriptions that it comes by, and what its publisher said beside it; MQTT 5 only.
    var identifiers: [UInt32] = []
    var properties: [UserProperty] = []

    init(_ topic: String, _ payload: [UInt8]) { (self.topic, self.payload) = (topic, payload) }

    init(from frame: inout FrameReader) throws(MalformedFrame) {
        (topic, payload) = (try frame.text(), try frame.bytes())
        quality = try Quality(from: &frame)
        isRetained = try frame.flag()
        identifiers = try frame.several { reader throws(MalformedFrame) in try reader.number() }
        properties = try frame.several { reader throws(MalformedFrame) in try UserProperty(from: &reader) }
    }

    func write(to frame: inout FrameWriter) {
        frame.put(topic)
        frame.put(payload)
        quality.write(to: &frame)
        frame.put(isRetained)
        frame.put(identifiers) { $0.put($1) }
        frame.put(properties) { $1.write(to: &$0) }
    }
}

/// What a broker's CONNACK says about the broker.
public struct BrokerLimits: Hashable, Sendable {
    /// Bytes; nil for any.
    public var maximumPacketSize: Int?
    /// How many messages to the broker may be unacknowledged.
    public var receiveMaximum = 65_535
    /// Seconds, if the broker replaces our keep-alive.
    public var keepAlive: Int?
    public var maximumQoS = 2
    public var retains = true
    public var hasWildcards = true
    public var hasSubscriptionIdentifiers = true

    init() {}
}

extension BrokerLimits: PairValue {
    init(from frame: inout FrameReader) throws(MalformedFrame) {
        maximumPacketSize = Int(try frame.number(UInt32.self)).nonzero
        receiveMaximum = Int(try frame.number(UInt16.self))
        keepAlive = Int(try frame.number(UInt16.self)).nonzero
        maximumQoS = Int(try frame.number(UInt8.self))
        (retains, hasWildcards) = (try frame.flag(), try frame.flag())
        hasSubscriptionIdentifiers = try frame.flag()
    }

    func write(to frame: inout FrameWriter) {
        frame.put(UInt32(clamping: maximumPacketSize ?? 0))
        frame.put(UInt16(clamping: receiveMaximum))
        frame.put(UInt16(clamping: keepAlive ?? 0))
        frame.put(UInt8(clamping: maximumQoS))
        frame.put(retains)
        frame.put(hasWildcards)
        frame.put(hasSubscriptionIdentifiers)
    }
}

extension Int {
    fileprivate var nonzero: Int? { self == 0 ? nil : self }
}

extension FrameReader {
    /// A code of MQTT.
    fileprivate mutating func code() throws(MalformedFrame) -> Int { Int(try number(UInt8.self)) }
}

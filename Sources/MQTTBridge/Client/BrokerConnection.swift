import CMosquitto
import Glibc

// One connection through libmosquitto: made, used and thrown away, so that neither a broker's limits nor what was in flight
// survives from an earlier one. The publisher knows what still has to arrive.

/// Why the library cannot be loaded.
public struct MissingLibrary: Error, Hashable, CustomStringConvertible {
    public let reason: String

    public var description: String {
        "a broker needs libmosquitto, which cannot be loaded (\(reason)); install it: sudo apt install libmosquitto1"
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
}

/// What the library reported during a call.
enum ConnectionEvent: Hashable, Sendable {
    case answered(code: Int, BrokerLimits)
    case received(topic: String, payload: [UInt8], isRetained: Bool)
    case acknowledged(message: Int32, code: Int)
    case subscribed(message: Int32, code: Int)
    /// The broker's DISCONNECT; 0 if the connection ended without one.
    case ended(code: Int)
}

/// `@unchecked Sendable`: it belongs to one thread at a time; the short-lived one that connects hands it over under a lock.
final class BrokerConnection: @unchecked Sendable {
    struct Settings: Sendable {
        var version: ProtocolChoice.Version
        var clientID: String
        var user: String?
        var password: String?
        var hasTLS: Bool
        /// Paths.
        var authorities: String?
        var certificate: String?
        var key: String?
        /// The will's topic: the broker publishes `offline` there, retained, if the connection breaks.
        var statusTopic: String?
    }

    /// A failed call: libmosquitto's code and text.
    struct Failure: Error, Hashable {
        let code: Int32
        let text: String

        /// The packet is longer than the broker accepts.
        var isOversize: Bool { code == 25 }

        /// Something that the broker sent made the library abort. Each time leaks the memory of a connection.
        var isAbort: Bool { code == MG_MOSQUITTO_ABORTED }
    }

    /// The largest packet that an MQTT 5 broker may send us, in bytes.
    static let maximumPacketSize: UInt32 = 64 << 10

    let version: ProtocolChoice.Version
    private var client: OpaquePointer!
    private var events: [ConnectionEvent] = []
    /// The library's last error message, the only place that says why TLS failed.
    private(set) var complaint: String?
    /// The same in words, for what is known; nil otherwise.
    private(set) var reason: String?
    private var host = ""

    /// Loads the library on the first call.
    static func load() throws(MissingLibrary) {
        if let reason = mg_mosquitto_load() { throw MissingLibrary(reason: String(cString: reason)) }
    }

    /// "2.0.11"; nil if it is not loaded.
    static var libraryVersion: String? {
        let version = mg_mosquitto_version()
        return version == 0 ? nil : "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
    }

    /// Requires ``load()``.
    init(_ settings: Settings) throws(Failure) {
        version = settings.version
        let texts = [
            settings.clientID, settings.user, settings.password, settings.authorities, settings.certificate,
            settings.key, settings.statusTopic, settings.statusTopic.map { _ in "offline" },
        ].map { $0.flatMap { strdup($0) } }
        defer { for text in texts { free(text) } }
        var options = mg_mosquitto_settings()
        options.protocol = settings.version.rawValue
        options.has_tls = settings.hasTLS
        options.maximum_packet_size = Self.maximumPacketSize
        options.client_id = UnsafePointer(texts[0])
        (options.user, options.password) = (UnsafePointer(texts[1]), UnsafePointer(texts[2]))
        options.ca = UnsafePointer(texts[3])
        (options.certificate, options.key) = (UnsafePointer(texts[4]), UnsafePointer(texts[5]))
        (options.will_topic, options.will_payload) = (UnsafePointer(texts[6]), UnsafePointer(texts[7]))
        var handlers = Self.handlers
        var code: Int32 = 0
        client = mg_mosquitto_new(&options, &handlers, Unmanaged.passUnretained(self).toOpaque(), &code)
        if client == nil { throw failure(code) }
    }

    deinit { if let client { mg_mosquitto_free(client) } }

    /// mosquitto_connect_bind_v5. Blocks for the name lookup and TCP.
    func connect(to host: String, port: Int, keepAlive: Int) throws(Failure) {
        self.host = host
        let code = mg_mosquitto_connect(client, host, Int32(port), Int32(keepAlive))
        // MOSQ_ERR_EAI
        if code == 15 { throw Failure(code: code, text: FailureWords.ofName(host)) }
        try check(code)
    }

    /// mosquitto_socket; nil if not connected. Any call may change it.
    var descriptor: Int32? {
        let descriptor = mg_mosquitto_socket(client)
        return descriptor < 0 ? nil : descriptor
    }

    /// mosquitto_want_write. Check it after each read, because a publication made in a callback is only queued.
    var wantsWrite: Bool { mg_mosquitto_wants_write(client) }

    /// Bytes that have arrived. 0 on a socket that poll(2) calls readable means that the broker has closed it.
    var unread: Int { Int(mg_mosquitto_unread(client)) }

    /// mosquitto_loop_read: a packet or a few.
    func read() throws(Failure) -> [ConnectionEvent] { try call { mg_mosquitto_read($0) } }

    /// mosquitto_loop_write.
    func write() throws(Failure) -> [ConnectionEvent] { try call { mg_mosquitto_write($0) } }

    /// mosquitto_loop_misc: the keep-alive.
    func keepAlive() throws(Failure) -> [ConnectionEvent] { try call { mg_mosquitto_misc($0) } }

    /// mosquitto_disconnect: the will is not published.
    func disconnect() { _ = mg_mosquitto_disconnect(client) }

    /// mosquitto_publish_v5 with QoS 1.
    ///
    /// - Parameter expiry: seconds that the broker keeps it; nil for ever. MQTT 5 only.
    /// - Returns: the number that its acknowledgement carries.
    func publish(
        _ topic: String, _ payload: [UInt8], isRetained: Bool, expiry: UInt32? = nil
    ) throws(Failure) -> Int32 {
        var message: Int32 = 0
        try check(
            mg_mosquitto_publish(client, topic, payload, payload.count, isRetained, expiry ?? 0, &message))
        return message
    }

    /// mosquitto_subscribe_v5 with QoS 1.
    func subscribe(_ filter: String, isLocal: Bool) throws(Failure) -> Int32 {
        var message: Int32 = 0
        try check(mg_mosquitto_subscribe(client, filter, isLocal, &message))
        return message
    }

    /// The library's text.
    static func text(ofRefusal code: Int, _ version: ProtocolChoice.Version) -> String {
        String(cString: mg_mosquitto_refusal(version.rawValue, Int32(code))).lowercasedFirst
    }

    // MARK: callbacks

    private func call(_ body: (OpaquePointer) -> Int32) throws(Failure) -> [ConnectionEvent] {
        let code = body(client)
        let brought = events
        events = []
        if code == MG_MOSQUITTO_ABORTED {
            throw Failure(code: code, text: "it sends what libmosquitto \(Self.libraryVersion ?? "") gives up at")
        }
        // Events count even if the call failed: a refusal above 5 is an event, and the call says "protocol error".
        if code != 0, brought.isEmpty { throw failure(code) }
        return brought
    }

    private func check(_ code: Int32) throws(Failure) {
        if code != 0 { throw failure(code) }
    }

    /// For code 14 the reason is in errno.
    private func failure(_ code: Int32) -> Failure {
        let number = errno
        if let reason { return Failure(code: code, text: reason) }
        if let complaint, code != 14 { return Failure(code: code, text: complaint) }
        let text = code == 14 ? String(cString: strerror(number)) : String(cString: mg_mosquitto_error(code))
        return Failure(code: code, text: text.lowercasedFirst)
    }

    private static func connection(_ context: UnsafeMutableRawPointer?) -> BrokerConnection {
        Unmanaged<BrokerConnection>.fromOpaque(context!).takeUnretainedValue()
    }

    private static var handlers: mg_mosquitto_events {
        mg_mosquitto_events(
            answered: { context, code, limits in
                BrokerConnection.connection(context).events.append(
                    .answered(code: Int(code), BrokerLimits(limits!.pointee)))
            },
            received: { context, topic, payload, size, _, isRetained in
                let bytes = UnsafeRawBufferPointer(start: payload, count: size)
                BrokerConnection.connection(context).events.append(
                    .received(topic: String(cString: topic!), payload: Array(bytes), isRetained: isRetained))
            },
            acknowledged: { context, message, code in
                BrokerConnection.connection(context).events.append(.acknowledged(message: message, code: Int(code)))
            },
            subscribed: { context, message, code in
                BrokerConnection.connection(context).events.append(.subscribed(message: message, code: Int(code)))
            },
            ended: { context, code in
                BrokerConnection.connection(context).events.append(.ended(code: Int(code)))
            },
            complained: { context, text, verification in
                BrokerConnection.connection(context).note(String(cString: text!), verification: Int(verification))
            })
    }

    private func note(_ complaint: String, verification: Int) {
        self.complaint = complaint
        // The first one says most: the name's mismatch is followed by OpenSSL's sentence for everything.
        reason =
            reason ?? FailureWords.ofComplaint(complaint, host: host)
            ?? FailureWords.ofCertificate(verification: verification, host: host)
    }
}

extension BrokerLimits {
    fileprivate init(_ limits: mg_mosquitto_limits) {
        maximumPacketSize = limits.maximum_packet_size == 0 ? nil : Int(limits.maximum_packet_size)
        receiveMaximum = Int(limits.receive_maximum)
        keepAlive = limits.keep_alive == 0 ? nil : Int(limits.keep_alive)
        maximumQoS = Int(limits.maximum_qos)
        retains = limits.retains
        hasWildcards = limits.wildcards
    }
}

extension String {
    /// "Connection refused" for the middle of a sentence; a word that begins with two capitals stays as it is.
    fileprivate var lowercasedFirst: String {
        var rest = self[...]
        guard let first = rest.popFirst(), rest.first?.isUppercase != true else { return trimmed }
        return (first.lowercased() + rest).trimmed
    }

    /// Without the full stop that ends the library's sentences.
    private var trimmed: String {
        var text = self[...]
        while let last = text.last, last == "." || last.isWhitespace { text.removeLast() }
        return String(text)
    }
}

import CMosquitto
import Glibc

// libmosquitto in the process of a connection: calls in, events out. Nothing else here knows the library. It is never closed again,
// because OpenSSL registers functions that run at the end of the process.

final class BrokerLibrary {
    /// A failed call: the library's code, and a text.
    struct Failure: Error {
        let code: Int32
        let text: String
    }

    /// Bytes of a message. No useful one is longer, and MQTT 3.1.1 has no way to say so.
    static let longestMessage = 256 << 10
    /// MOSQ_ERR_NOMEM: of a failure by what is longer.
    static let tooLargeCode: Int32 = 1
    private static let tooLong = "it sends a packet of more than \(longestMessage >> 10) kB"

    private let settings: ConnectionSettings
    private var client: OpaquePointer!
    private var events: [ConnectionEvent] = []
    /// Bytes of the messages among them.
    private(set) var eventBytes = 0
    private var hasLongMessage = false
    /// The library has closed the connection.
    private var hasEnded = false
    /// The library's last error message, the only place that says why TLS failed.
    private var complaint: String?
    /// The same in words, for what is known; nil otherwise.
    private var reason: String?
    /// The daemon's numbers by the library's, of what is not acknowledged yet.
    private var numbers: [Int32: Int32] = [:]

    /// - Returns: its version, such as "2.0.11".
    static func load() throws(Failure) -> String {
        if let reason = mg_mosquitto_load() { throw Failure(code: 0, text: String(cString: reason)) }
        let version = mg_mosquitto_version()
        return "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
    }

    /// Requires ``load()``.
    init(_ settings: ConnectionSettings) throws(Failure) {
        self.settings = settings
        let texts = [
            settings.clientID, settings.user, settings.password, settings.authorities, settings.certificate,
            settings.key, settings.statusTopic, settings.statusTopic.map { _ in "offline" },
        ].map { $0.flatMap { strdup($0) } }
        defer { for text in texts { free(text) } }
        var options = mg_mosquitto_settings()
        options.protocol = settings.version.rawValue
        (options.is_clean, options.session_expiry) = (settings.isClean, settings.sessionExpiry)
        options.has_tls = settings.hasTLS
        options.maximum_packet_size = settings.largestPacket
        options.client_id = UnsafePointer(texts[0])
        (options.user, options.password) = (UnsafePointer(texts[1]), UnsafePointer(texts[2]))
        options.ca = UnsafePointer(texts[3])
        (options.certificate, options.key) = (UnsafePointer(texts[4]), UnsafePointer(texts[5]))
        (options.will_topic, options.will_payload) = (UnsafePointer(texts[6]), UnsafePointer(texts[7]))
        var handlers = Self.handlers
        var code: Int32 = 0
        client = mg_mosquitto_new(&options, &handlers, Unmanaged.passUnretained(self).toOpaque(), &code)
        guard client == nil else { return }
        // MOSQ_ERR_INVAL
        if settings.hasTLS, code == 3 {
            throw Failure(code: code, text: "a file of the certificates cannot be read")
        }
        throw failure(code)
    }

    /// mosquitto_connect_bind_v5. Blocks for the name lookup and TCP.
    func connect() throws(Failure) {
        let code = mg_mosquitto_connect(client, settings.host, Int32(settings.port), Int32(settings.keepAlive))
        // MOSQ_ERR_EAI
        if code == 15 { throw Failure(code: code, text: FailureWords.ofName(settings.host)) }
        try check(code)
    }

    /// mosquitto_socket; nil if not connected. Any call may change it: ask before each poll, because a failed call closes it, and its
    /// number may then belong to another file.
    var descriptor: Int32? {
        let descriptor = mg_mosquitto_socket(client)
        return descriptor < 0 ? nil : descriptor
    }

    /// mosquitto_want_write.
    var wantsWrite: Bool { mg_mosquitto_wants_write(client) }

    /// What was reported since the last call.
    func takeEvents() -> [ConnectionEvent] {
        defer { (events, eventBytes) = ([], 0) }
        return events
    }

    var eventCount: Int { events.count }

    /// mosquitto_loop_read: a packet, or those of one record of TLS.
    func read() throws(Failure) { try check(mg_mosquitto_read(client)) }

    /// mosquitto_loop_write.
    func write() throws(Failure) { try check(mg_mosquitto_write(client)) }

    /// mosquitto_loop_misc.
    func keepAlive() throws(Failure) { try check(mg_mosquitto_misc(client)) }

    /// mosquitto_disconnect.
    func disconnect() { _ = mg_mosquitto_disconnect(client) }

    /// Why the connection has ended, as far as known.
    var endReason: String { reason ?? "" }

    // MARK: calls

    /// mosquitto_publish_v5. One over the broker's limits is answered as if the broker had refused it.
    func publish(_ number: Int32, _ message: OutgoingMessage) throws(Failure) {
        let topic = strdup(message.topic)
        let names = message.properties.map { (strdup($0.name), strdup($0.value)) }
        defer {
            free(topic)
            for (name, value) in names {
                free(name)
                free(value)
            }
        }
        let pairs = names.map { mg_mosquitto_pair(name: UnsafePointer($0), value: UnsafePointer($1)) }
        var id: Int32 = 0
        let code = message.payload.withUnsafeBytes { payload in
            pairs.withUnsafeBufferPointer { pairs in
                var publication = mg_mosquitto_publication()
                publication.topic = UnsafePointer(topic)
                (publication.payload, publication.size) = (payload.baseAddress, payload.count)
                (publication.qos, publication.is_retained) = (Int32(message.quality.rawValue), message.isRetained)
                publication.expiry = message.expiry ?? 0
                (publication.pairs, publication.pair_count) = (pairs.baseAddress, pairs.count)
                return mg_mosquitto_publish(client, &publication, &id)
            }
        }
        // MOSQ_ERR_OVERSIZE_PACKET, and the broker's word for it.
        if code == 25 {
            events.append(.acknowledged(number: number, code: 0x95, text: text(ofRefusal: 0x95)))
            return
        }
        try check(code)
        numbers[id] = number
    }

    /// mosquitto_subscribe_v5.
    func subscribe(_ number: Int32, _ wanted: Subscription) throws(Failure) {
        let filter = strdup(wanted.filter)
        defer { free(filter) }
        var subscription = mg_mosquitto_subscription()
        subscription.filter = UnsafePointer(filter)
        subscription.qos = Int32(wanted.quality.rawValue)
        (subscription.no_local, subscription.retain_as_published) = (wanted.isNoLocal, wanted.isRetainAsPublished)
        subscription.retain_handling = Int32(wanted.retainHandling.rawValue)
        subscription.identifier = wanted.identifier ?? 0
        var id: Int32 = 0
        try check(mg_mosquitto_subscribe(client, &subscription, &id))
        numbers[id] = number
    }

    /// mosquitto_unsubscribe_v5.
    func unsubscribe(_ number: Int32, _ filter: String) throws(Failure) {
        var id: Int32 = 0
        try check(mg_mosquitto_unsubscribe(client, filter, &id))
        numbers[id] = number
    }

    // MARK: failures

    private func check(_ code: Int32) throws(Failure) {
        if code != 0 { throw failure(code) }
        if hasLongMessage { throw Failure(code: Self.tooLargeCode, text: Self.tooLong) }
    }

    /// For code 14, MOSQ_ERR_ERRNO, the reason is in errno.
    private func failure(_ code: Int32) -> Failure {
        let number = errno
        if let reason { return Failure(code: code, text: reason) }
        if code == Self.tooLargeCode { return Failure(code: code, text: Self.tooLong) }
        // Its codes confuse what a network, TLS and a protocol do (#3258).
        if hasEnded { return Failure(code: code, text: "") }
        if let complaint, code != 14 { return Failure(code: code, text: complaint) }
        let text = code == 14 ? String(cString: strerror(number)) : String(cString: mg_mosquitto_error(code))
        return Failure(code: code, text: text.lowercasedFirst)
    }

    /// The library's text.
    private func text(ofRefusal code: Int32, _ version: ProtocolChoice.Version = .mqtt5) -> String {
        String(cString: mg_mosquitto_refusal(version.rawValue, code)).lowercasedFirst
    }

    // MARK: callbacks

    private static func library(_ context: UnsafeMutableRawPointer?) -> BrokerLibrary {
        Unmanaged<BrokerLibrary>.fromOpaque(context!).takeUnretainedValue()
    }

    private static var handlers: mg_mosquitto_events {
        mg_mosquitto_events(
            answered: { context, code, isPresent, limits in
                let library = BrokerLibrary.library(context)
                library.events.append(
                    .answered(
                        code: Int(code),
                        text: code == 0 ? "" : library.text(ofRefusal: code, library.settings.version),
                        BrokerLimits(limits!.pointee), isSessionPresent: isPresent))
            },
            received: { context, message in BrokerLibrary.library(context).take(message!.pointee) },
            acknowledged: { context, message, code in
                let library = BrokerLibrary.library(context)
                guard let number = library.numbers.removeValue(forKey: message) else { return }
                let text = code >= 128 ? library.text(ofRefusal: code) : ""
                library.events.append(.acknowledged(number: number, code: Int(code), text: text))
            },
            subscribed: { context, message, code in
                let library = BrokerLibrary.library(context)
                guard let number = library.numbers.removeValue(forKey: message) else { return }
                library.events.append(.subscribed(number: number, code: Int(code)))
            },
            unsubscribed: { context, message in
                let library = BrokerLibrary.library(context)
                guard let number = library.numbers.removeValue(forKey: message) else { return }
                library.events.append(.unsubscribed(number: number))
            },
            ended: { context, code in
                let library = BrokerLibrary.library(context)
                library.hasEnded = true
                // Without a word of the broker's, the call that has noticed it says why.
                if code != 0 { library.events.append(.ended(code: Int(code), text: library.text(ofRefusal: code))) }
            },
            complained: { context, text, verification in
                BrokerLibrary.library(context).note(String(cString: text!), verification: Int(verification))
            })
    }

    private func take(_ message: mg_mosquitto_message) {
        guard message.size <= Self.longestMessage else {
            hasLongMessage = true
            return
        }
        let bytes = UnsafeRawBufferPointer(start: message.payload, count: message.size)
        var received = IncomingMessage(String(cString: message.topic), Array(bytes))
        received.quality = Quality(rawValue: UInt8(clamping: message.qos)) ?? .atMostOnce
        (received.packetID, received.isRetained) = (message.packet_id, message.is_retained)
        (received.identifiers, received.properties) = (identifiers(message.properties), pairs(message.properties))
        eventBytes += received.topic.utf8.count + received.payload.count
        events.append(.received(received))
    }

    private func identifiers(_ list: mg_mosquitto_properties?) -> [UInt32] {
        var (found, value): ([UInt32], UInt32) = ([], 0)
        var next = mg_mosquitto_next_identifier(list, &value, false)
        while let place = next {
            found.append(value)
            next = mg_mosquitto_next_identifier(place, &value, true)
        }
        return found
    }

    private func pairs(_ list: mg_mosquitto_properties?) -> [UserProperty] {
        var found: [UserProperty] = []
        var (name, value): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?) = (nil, nil)
        var next = mg_mosquitto_next_pair(list, &name, &value, false)
        while let place = next {
            let texts = [name, value].map { $0.map { String(cString: $0) } ?? "" }
            found.append(UserProperty(texts[0], texts[1]))
            free(name)
            free(value)
            (name, value) = (nil, nil)
            next = mg_mosquitto_next_pair(place, &name, &value, true)
        }
        return found
    }

    private func note(_ complaint: String, verification: Int) {
        self.complaint = complaint
        // The first one says most: the name's mismatch is followed by OpenSSL's sentence for everything.
        reason =
            reason ?? FailureWords.ofComplaint(complaint, host: settings.host)
            ?? FailureWords.ofCertificate(verification: verification, host: settings.host)
    }
}

extension BrokerLimits {
    fileprivate init(_ limits: mg_mosquitto_limits) {
        maximumPacketSize = limits.maximum_packet_size == 0 ? nil : Int(limits.maximum_packet_size)
        receiveMaximum = Int(limits.receive_maximum)
        keepAlive = limits.keep_alive == 0 ? nil : Int(limits.keep_alive)
        maximumQoS = Int(limits.maximum_qos)
        (retains, hasWildcards) = (limits.retains, limits.wildcards)
        hasSubscriptionIdentifiers = limits.subscription_identifiers
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

import Foundation
import Glibc
import Log
import MeshModel
import MeshProtocol
import Platform
import RadioLink
import RadioSimulator
import Store
import Synchronization
import Testing

@testable import Gateway
@testable import RadioShare

/// A simulated radio, its gateway, and shared ports in front of it.
final class SharedHouse: @unchecked Sendable {
    let simulated: SimulatedRadio
    let store: Store
    private(set) var gateway: Gateway
    private(set) var share: RadioShare
    let source: SourceID
    let log = Mutex<[String]>([])
    let tap = SharedTap()
    private let folder: String
    private let apps = Mutex<[App]>([])

    /// Waits until the gateway has the radio's handshake.
    ///
    /// - Parameter ports: on the loopback, at a free port each, with these rights.
    init(
        _ ports: [ClientRight] = [.send], pace: SendingPace = SendingPace(text: 0, traceroute: 0, request: 0),
        isAway: Bool = false, closes: Bool = false, times: ShareTimes = ShareTimes(),
        _ change: (inout SimulatorOptions) -> Void = { _ in },
        admits: @escaping @Sendable (String) -> Bool = { _ in true }, monotonic: (@Sendable () -> MonotonicTime)? = nil
    ) throws {
        var options = SimulatorOptions()
        (options.chatter, options.timeScale, options.limitsRates) = (0, 10, false)
        change(&options)
        let simulated = try SimulatedRadio(options)
        self.simulated = simulated
        simulated.start()
        if isAway { simulated.unplug() }
        folder = FileManager.default.temporaryDirectory.path + "/share-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        store = try Store(path: folder + "/mesh.db")
        let tap = tap
        let store = store
        makeGateway = {
            try Gateway(store: store, pace: pace, monotonic: monotonic, logger: .silent) {
                RadioLink(
                    address: .connection(name: "simulated"), connect: { try simulated.connect() }, tap: tap,
                    delegate: $0)
            }
        }
        gateway = try makeGateway()
        source = try #require(try store.read { try $0.sources() }.first).0
        let lines = Lines()
        let shared = ports.map { SharedPort(address: "127.0.0.1", port: 0, right: $0, closes: closes) }
        makeShare = { gateway in
            RadioShare(
                gateway, shared, [:], admits, times: times,
                Logger(LogThreshold(.debug)) { lines.add("\($0.level) \($0.text)") })
        }
        share = makeShare(gateway)
        self.lines = lines
        try share.start()
        gateway.start()
        if !isAway { try waitForHandshake() }
    }

    private let makeGateway: () throws -> Gateway
    private let makeShare: (Gateway) -> RadioShare
    private let lines: Lines

    /// The service was restarted: with the same database, and other ports.
    func startGatewayAgain() throws {
        share.stop()
        gateway.stop()
        gateway = try makeGateway()
        share = makeShare(gateway)
        try share.start()
        gateway.start()
        try waitForHandshake()
    }

    var logged: [String] { lines.all }

    deinit {
        for app in apps.withLock({ $0 }) { app.close() }
        share.stop()
        gateway.stop()
        store.close()
        simulated.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func waitForHandshake() throws {
        try #require(eventually { gateway.handshake(of: source) != nil }, "there is no handshake")
    }

    /// - Parameters:
    ///   - place: of its port.
    ///   - last: the client's address is 127.0.0.`last`.
    func connect(_ place: Int = 0, from last: UInt8 = 1, receiveBuffer: Int32? = nil, reads: Bool = true) throws -> App
    {
        let app = try App(port: share.status[place].port, from: last, receiveBuffer: receiveBuffer, reads: reads)
        apps.withLock { $0.append(app) }
        return app
    }

    /// A client that has had a whole handshake.
    func connected(_ place: Int = 0, from last: UInt8 = 1, nonce: UInt32 = 4711) throws -> App {
        let app = try connect(place, from: last)
        app.send(.wantConfig(nonce))
        try #require(app.wait { $0.contains { $0.message == .configComplete(nonce) } } != nil, "no handshake")
        return app
    }

    var number: NodeNumber { simulated.number }

    /// No client was told the private key, a password, or a PIN: fixed_pin and pin of Bluetooth, pin_code of the screen.
    func expectNoSecrets(_ location: SourceLocation = #_sourceLocation) {
        let fields: [UInt8] = [0x18, 0x08, 0x30]
        let pins = fields.flatMap { field in SimulatedRadio.pins.map { [field] + varint($0) } }
        let secrets = [simulated.privateKey] + SimulatedRadio.passwords.map { Array($0.utf8) } + pins
        for app in apps.withLock({ $0 }) {
            for secret in secrets {
                #expect(!app.bytes.contains(secret), "a secret went out", sourceLocation: location)
            }
        }
    }

    /// How often the radio was given this order.
    func asked(_ order: [UInt8]) -> Int {
        tap.written.withLock { $0 }.count { ClientPacket(inToRadio: $0)?.content?.payload == order }
    }

    /// What the radio was given: payloads of ToRadio with a packet of this id.
    func written(_ id: PacketID) -> [[UInt8]] {
        tap.written.withLock { $0 }.filter { ClientPacket(inToRadio: $0)?.id == id }
    }
}

/// A number as it lies in a field.
func varint(_ value: UInt32) -> [UInt8] {
    var (rest, bytes): (UInt32, [UInt8]) = (value, [])
    while rest > 127 {
        bytes.append(UInt8(rest & 127) | 128)
        rest >>= 7
    }
    return bytes + [UInt8(rest)]
}

/// Asks again and again until something holds; false when it does not even after a long time.
func eventually(seconds: Double = 120, _ holds: () throws -> Bool) rethrows -> Bool {
    let limit = Date(timeIntervalSinceNow: seconds)
    while limit.timeIntervalSinceNow > 0 {
        if try holds() { return true }
        usleep(5000)
    }
    return try holds()
}

final class Lines: Sendable {
    private let list = Mutex<[String]>([])
    func add(_ line: String) { list.withLock { $0.append(line) } }
    var all: [String] { list.withLock { $0 } }
}

/// Sees what goes over the link.
final class SharedTap: LinkTap {
    let written = Mutex<[[UInt8]]>([])
    /// The frames of the last handshake, as the radio sent them.
    let handshake = Mutex<[[UInt8]]>([])

    func opened(_ name: String, at now: MonotonicTime) {}
    func arrived(_ bytes: UnsafeRawBufferPointer) {}
    func decoded(_ output: StreamDecoder<FromRadio>.Output, at now: MonotonicTime) {
        guard case .frame(let message, let raw) = output else { return }
        switch message {
        case .myInfo: handshake.withLock { $0 = [raw] }
        case .metadata, .channel, .config, .moduleConfig, .other, .nodeInfo: handshake.withLock { $0.append(raw) }
        default: break
        }
    }
    func handedOn() {}
    func wrote(_ bytes: [UInt8], at now: MonotonicTime) { written.withLock { $0.append(Array(bytes.dropFirst(4))) } }
    func live(_ handshake: [[UInt8]], at now: MonotonicTime) {}
    func closed(_ reason: String, at now: MonotonicTime) {}
}

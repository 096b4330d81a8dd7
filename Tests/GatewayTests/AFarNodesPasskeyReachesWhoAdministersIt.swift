import Foundation
import Log
import MeshModel
import MeshProtocol
import RadioLink
import Store
import Synchronization
import Testing

@testable import Gateway

/// What another node answers to who administers it through our radio: its session passkey has to come back to it, so that
/// it reaches those who watch the radio's frames. Nothing here keeps it.
@Suite struct AFarNodesPasskeyReachesWhoAdministersIt {
    private let passkey: [UInt8] = [0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8]
    private let privateKey = [UInt8](repeating: 0x5a, count: 32)

    /// get_config_response { security { public_key, private_key } }, session_passkey
    private var answer: [UInt8] {
        let security = [0x0a, 32] + [UInt8](repeating: 7, count: 32) + [0x12, 32] + privateKey
        let config: [UInt8] = [0x42, UInt8(security.count)] + security
        return [0x32, UInt8(config.count)] + config + [0xaa, 6, 8] + passkey
    }

    private final class Recording: TrafficSink {
        let bytes = Mutex<[UInt8]>([])

        func add(_ kind: RecordedStream.Entry.Kind, at now: MonotonicTime) {
            if case .received(let frame) = kind { bytes.withLock { $0 += frame } }
            let line = RecordedStream.Entry(time: 0, kind: kind).line()
            bytes.withLock { $0 += line }
        }
        func begin(after handshake: [UInt8], at now: MonotonicTime) {}
    }

    @Test func andNobodyElse() throws {
        let log = Log()
        let recording = Recording()
        let test = try TestGateway(
            logger: Logger(LogThreshold(.trace)) { entry in log.texts.withLock { $0.append("\(entry)") } },
            tap: TrafficRecorder(to: recording))
        let listener = test.gateway.frames(of: try test.source, kinds: [.packet]) {}
        let events = test.gateway.events.listen()
        try test.hear(
            .heard(.admin, answer, from: alice, to: own) { packet, data in
                packet.pkiEncrypted = true
                data.requestID = 5
            })

        let frame = try #require(listener.take().frames.first)
        #expect(frame.raw.contains([0xaa, 6, 8] + passkey))
        #expect(frame.raw.contains([UInt8](repeating: 7, count: 32)) && !frame.raw.contains(privateKey))
        #expect(!"\(frame)".contains("209"))
        // Its value is as everybody sees it.
        guard case .packet(let value) = frame.value else { return #expect(Bool(false)) }
        #expect(value.decoded?.payload.contains(7) == true && value.decoded?.payload.contains(0xd1) == false)

        let told = events.nextEvents(upTo: 512) {}.events
        #expect(told.contains { $0.kind == .packet })
        for event in told { #expect(!"\(event)".contains("209, 210, 211") && !"\(event)".contains("90, 90, 90")) }
        #expect(try test.packets(from: alice).count == 1)
        test.stop()
        for name in try FileManager.default.contentsOfDirectory(atPath: test.folder) {
            let table = Array(FileManager.default.contents(atPath: test.folder + "/" + name) ?? Data())
            #expect(!table.contains(passkey) && !table.contains(privateKey), "\(name)")
        }
        let recorded = recording.bytes.withLock { $0 }
        #expect(recorded.contains([UInt8](repeating: 7, count: 32)) && !recorded.contains(passkey))
        #expect(!recorded.contains(privateKey))
        for text in log.texts.withLock({ $0 }) { #expect(!text.contains("209, 210") && !text.contains("d1d2d3")) }
    }

    private final class Log: Sendable { let texts = Mutex<[String]>([]) }

    /// Own administration has a way of its own, and what nodes say to each other is none of ours.
    @Test(arguments: [(own, own), (alice, bob), (alice, .broadcast)])
    func thatIsNotForUsHasNone(_ from: NodeNumber, _ to: NodeNumber) throws {
        let test = try TestGateway()
        let listener = test.gateway.frames(of: try test.source, kinds: [.packet]) {}
        try test.hear(.heard(.admin, answer, from: from, to: to))
        let frame = try #require(listener.take().frames.first)
        #expect(frame.raw.contains([UInt8](repeating: 7, count: 32)))
        #expect(!frame.raw.contains(passkey) && !frame.raw.contains(privateKey))
    }
}

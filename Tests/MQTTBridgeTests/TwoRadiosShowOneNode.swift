import Foundation
import MeshModel
import Store
import Testing

@testable import MQTTBridge

private let node = NodeNumber(0x101)
/// 2026, in host milliseconds.
private let now: Int64 = 1_795_000_000_000

private func heard(_ id: UInt32 = .random(in: 1...UInt32.max)) -> MeshPacket {
    MeshPacket(from: node, to: .broadcast, id: id, payload: .none)
}

/// A node that several radios hear is one device, and what is shown of it does not depend on which of them heard its last packet.
@Suite struct TwoRadiosShowOneNode {
    /// A store with two radios, and what is shown of it.
    private final class House {
        let store: Store
        let radios: [SourceID]
        var mesh = ShownMesh(.all)
        private let folder = NSTemporaryDirectory() + "radios-\(UUID().uuidString)"

        init() throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            store = try Store(path: folder + "/db")
            radios = try store.commit { writer in
                try (1...2).map { number in
                    let uuid = "\(number)1111111-2222-4333-8444-555555555555"
                    return try writer.insert(
                        Source(uuid: uuid, name: "Radio \(number)", isEnabled: true, createdAt: now))
                }
            }
            // Without somebody who listens no change gets a number.
            store.observe { _ in }
            _ = try store.read { try mesh.load($0, at: now) }
        }

        deinit {
            store.close()
            try? FileManager.default.removeItem(atPath: folder)
        }

        /// A radio has heard it, so many seconds after `now`.
        func hear(
            _ radio: Int, after seconds: Int64, temperature: Double? = nil, packet: MeshPacket = heard(),
            _ change: @escaping @Sendable (inout Node) -> Void = { _ in }
        ) throws {
            let (source, at) = (radios[radio], now + seconds * 1000)
            let place = try store.read { try $0.newestChange() }
            try store.commit(as: .live) { writer in
                try writer.updateNode(node, in: source, at: at) { row in
                    row.lastHeard = at / 1000
                    change(&row)
                }
                guard let temperature else { return }
                let telemetry = Telemetry(kind: .environment, values: [.init("temperature", temperature)])
                try writer.insertTelemetry(telemetry, from: node, packet: packet, in: source, at: at)
            }
            _ = try store.read { reader in
                let changes = try reader.changes(after: place, kinds: HomeBridge.kinds, limit: 100).0
                return try mesh.take(changes, reader, at: at)
            }
        }

        var shown: Device? { mesh.devices[.node(node)] }
    }

    @Test func itsNameIsTheOneThatWasLearntLast() throws {
        let house = try House()
        try house.hear(0, after: 0) { ($0.longName, $0.hardwareModel, $0.firmwareVersion) = ("Roof", 4, "2.7.0") }
        #expect(house.shown?.name == "Roof")
        let first = try #require(house.shown)
        // The other one has not heard its name.
        try house.hear(1, after: 10)
        #expect(house.shown?.isDescribed(as: first) == true)
        try house.hear(1, after: 20) { $0.longName = "Tower" }
        #expect(house.shown?.name == "Tower")
        // And now it is the first that has missed it.
        try house.hear(0, after: 30)
        #expect(house.shown?.name == "Tower")
        try house.hear(0, after: 40) { $0.nickname = "Ours" }
        try house.hear(1, after: 50)
        #expect(house.shown?.name == "Ours")
    }

    @Test func itsPlaceIsTheNewest() throws {
        let house = try House()
        func place(_ latitude: Double, _ seconds: Int64) -> @Sendable (inout Node) -> Void {
            { row in (row.latitude, row.longitude, row.positionTimestamp) = (latitude, 7, now + seconds * 1000) }
        }
        try house.hear(0, after: 0, place(46, -86_400))
        try house.hear(1, after: 10, place(47, 10))
        try house.hear(0, after: 20)
        #expect(house.shown?.reports[.position]?.values["latitude"] == .number(47))
    }

    @Test func aDoubtOfOneIsADoubt() throws {
        let house = try House()
        try house.hear(0, after: 0) { ($0.announcedKey, $0.keyMismatch) = (PublicKey([UInt8](1...32)), true) }
        try house.hear(1, after: 10)
        #expect(house.shown?.reports[.node]?.values["key_in_doubt"] == .flag(true))
        try house.hear(0, after: 20) { ($0.announcedKey, $0.keyMismatch) = (nil, false) }
        #expect(house.shown?.reports[.node]?.values["key_in_doubt"] == .flag(false))
    }

    /// A person has decided to keep the known one.
    @Test func anotherKeyBesideAKeptOneIsNoDoubt() throws {
        let house = try House()
        try house.hear(0, after: 0) { row in
            (row.announcedKey, row.keyMismatch, row.isKeyManuallyVerified) = (PublicKey([UInt8](1...32)), true, true)
        }
        #expect(house.shown?.reports[.node]?.values["key_in_doubt"] == .flag(false))
    }

    /// Heard twice it was told once: how often it tells decides how long its values count.
    @Test func aReportIsOne() throws {
        let house = try House()
        for hour in 0..<6 as Range<Int64> {
            let packet = heard()
            for radio in 0..<2 {
                try house.hear(
                    radio, after: hour * 3 * 3_600 + Int64(radio), temperature: Double(hour), packet: packet)
            }
        }
        let times = try #require(house.shown?.times[.environment])
        #expect(times.count == 6 && Life.hours(for: times) == 12, "\(times)")
    }

    /// It was set back: what was told before is of the future, and the next report is the newest all the same.
    @Test func aReportOfTheFutureHoldsNothingUp() throws {
        let house = try House()
        for day in 300..<310 as Range<Int64> { try house.hear(0, after: day * 86_400, temperature: 1) }
        try house.hear(0, after: 0, temperature: 2)
        #expect(house.shown?.reports[.environment]?.values["temperature"] == .number(2))
        #expect(house.shown?.times[.environment] == [now])
        // The same when everything is read again.
        var mesh = ShownMesh(.all)
        _ = try house.store.read { try mesh.load($0, at: now) }
        #expect(mesh.devices[.node(node)]?.reports[.environment]?.values["temperature"] == .number(2))
    }

    @Test(arguments: [(3, 3, true, true), (3, 2, true, false), (0, 0, true, false), (3, 3, false, false)])
    func directIsWhatNobodyHasRelayed(start: UInt32, limit: UInt32, isByAir: Bool, isShown: Bool) throws {
        let house = try House()
        var packet = heard()
        (packet.hopStart, packet.hopLimit) = (start, limit)
        if isByAir { (packet.rxRSSI, packet.rxSNR) = (-80, 5) }
        try house.hear(0, after: 0, temperature: 1, packet: packet) { $0.hopsAway = 2 }
        var mesh = ShownMesh(.direct)
        _ = try house.store.read { try mesh.load($0, at: now) }
        #expect((mesh.devices[.node(node)] != nil) == isShown)
    }

    /// Also where it is known by its places alone, and its last packet was relayed.
    @Test func directIsAlsoWhoToldItsPlace() throws {
        let house = try House()
        var packet = heard()
        (packet.hopStart, packet.hopLimit, packet.rxRSSI, packet.rxSNR) = (3, 3, -80, 5)
        let (radio, direct) = (house.radios[0], packet)
        try house.store.commit { writer in
            let position = Position(latitudeI: 460_000_000, longitudeI: 70_000_000)
            try writer.insertPosition(position, from: node, packet: direct, in: radio, at: now)
        }
        try house.hear(0, after: 60) { $0.hopsAway = 3 }
        var mesh = ShownMesh(.direct)
        _ = try house.store.read { try mesh.load($0, at: now + 120_000) }
        #expect(mesh.devices[.node(node)] != nil)
    }

    /// It was heard directly in a packet that is in no row of what was measured.
    @Test func aDirectOneStaysWhenEverythingIsReadAgain() throws {
        let house = try House()
        house.mesh = ShownMesh(.direct)
        _ = try house.store.read { try house.mesh.load($0, at: now) }
        try house.hear(0, after: 0) { $0.hopsAway = 0 }
        try house.hear(0, after: 60) { $0.hopsAway = 3 }
        #expect(house.shown != nil)
        _ = try house.store.read { try house.mesh.load($0, at: now + 120_000) }
        #expect(house.shown != nil)
        _ = try house.store.read { try house.mesh.load($0, at: now + ShownMesh.directFor + 60_001) }
        #expect(house.shown == nil)
    }
}

import MeshModel
import Testing

@testable import Store

@Test func everyFieldOfASourceSurvives() throws {
    let folder = Folder()
    let (store, id) = try Store.withSource(folder)
    #expect(try store.read { try $0.sources().map(\.1) } == [.example])
    var full = Source(uuid: "other", name: "Attic", isEnabled: false, createdAt: 0)
    full.deviceID = "device:00ff"
    full.device = "tcp:hill:4403"
    full.nodeNumber = NodeNumber(.max - 1)
    full.firmwareVersion = "2.8.0"
    full.lora = LoRaSettings(
        usePreset: false, modemPreset: .init(rawValue: 4), region: 3, hopLimit: 7, txEnabled: false)
    try store.commit { [full] in try $0.update(id) { $0 = full } }
    let found = try store.read { try $0.source(uuid: "other") }
    #expect(found?.0 == id)
    #expect(found?.1 == full)
    let revision = store.revision(.sources)
    try store.commit { writer in
        try writer.update(id) { _ in }
        try writer.update(SourceID(rawValue: 99)) { $0.name = "nobody" }
    }
    #expect(store.revision(.sources) == revision)
    // The oldest first.
    let newer = try store.commit { try $0.insert(.example) }
    #expect(try store.read { try $0.sources().map(\.0) } == [id, newer])
}

@Test func channelsAreWrittenWhereTheyDiffer() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let primary = Channel(index: 0, role: .primary, psk: [1], isMuted: true)
    let hikers = Channel(
        index: 1, role: .secondary, name: "Hikers", psk: Array(0..<32), id: .max, uplinkEnabled: true,
        downlinkEnabled: true, positionPrecision: 0)
    let unused = Channel(index: 7)
    func update(_ channels: [Channel]) throws -> Int64 {
        try store.commit { writer in
            let before = writer.connection.totalChanges
            try writer.updateChannels(channels, in: source, at: noon)
            return writer.connection.totalChanges - before
        }
    }
    #expect(try update([unused, primary, hikers]) == 3)
    #expect(try store.read { try $0.channels(in: source) } == [primary, hikers, unused])
    let revision = store.revision(.channels)
    #expect(try update([primary, hikers, unused]) == 0)
    #expect(store.revision(.channels) == revision)
    var renamed = hikers
    renamed.name = "Climbers"
    _ = try update([primary, renamed])
    #expect(store.revision(.channels) > revision)
    // The seventh got lost on its way: it is still there.
    #expect(try store.read { try $0.channels(in: source) } == [primary, renamed, unused])
    #expect(try store.read { try $0.channel(1, in: source) } == renamed)
    #expect(try store.read { try $0.counts(in: source).channels } == 3)
}

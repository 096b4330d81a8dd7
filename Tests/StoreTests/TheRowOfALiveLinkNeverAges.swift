import MeshModel
import Testing

@testable import Store

private func fill(_ writer: Writer, _ source: SourceID, _ other: SourceID) throws {
    let old = noon - 90 * day
    try writer.insert(Happening(.started, at: old))
    // The first one came back, and is here still; the second one left.
    for (name, of) in [("live", source), ("lost", source), ("live", source), ("live", other), ("lost", other)] {
        try writer.insert(Happening(.link, at: old, source: of, name: name, text: name))
    }
    for number in 0..<40 as Range<Int64> {
        try writer.insert(Happening(.notice, at: old + number * hour, source: source))
    }
}

/// Since when a radio is there is known however long it is: what else happened goes with its age, or when the database is too
/// large.
@Suite struct TheRowOfALiveLinkNeverAges {
    private let folder = Folder.inMemory()

    private func expectOnlyTheLiveLink(_ store: Store, _ source: SourceID) throws {
        let left = try store.read { try $0.happenings() }.filter { $0.at < noon - 80 * day }
        #expect(left.map(\.kind) == [.link] && left.first?.name == "live" && left.first?.source == source)
        #expect(try store.read { try $0.liveLinks() } == left)
    }

    @Test func byAge() throws {
        let (store, source) = try Store.withSource(folder, retention: .month)
        defer { store.close() }
        try store.commit { writer in
            let other = try writer.insert(Source(uuid: "other", name: "o", isEnabled: true, createdAt: 1))
            try fill(writer, source, other)
            try writer.insert(Happening(.notice, at: noon, source: source))
            try writer.pruneOld(now: noon)
        }
        try expectOnlyTheLiveLink(store, source)
        // A start ends every link before it.
        try store.commit { writer in
            try writer.insert(Happening(.started, at: noon))
            try writer.pruneOld(now: noon)
        }
        #expect(try store.read { try $0.happenings() }.allSatisfy { $0.at == noon })
        #expect(try store.read { try $0.liveLinks() }.isEmpty)
    }

    @Test func bySize() throws {
        let (store, source) = try Store.withSource(folder, retention: .unlimited)
        defer { store.close() }
        try store.commit { writer in
            // More live links than a batch deletes at once.
            for number in 0..<40 {
                let uuid = "radio \(number)"
                let other = try writer.insert(Source(uuid: uuid, name: "o", isEnabled: true, createdAt: 1))
                try writer.insert(Happening(.link, at: noon - day, source: other, name: "live"))
            }
            for number in 0..<200 as Range<Int64> {
                try writer.insert(Happening(.notice, at: noon + number * hour, source: source))
            }
            writer.retention = Retention(telemetry: nil, positions: nil, packets: nil, messages: nil, size: 20_000)
            try writer.noteSize()
            try writer.pruneAll()
        }
        let left = try store.read { try $0.happenings(limit: .max) }
        #expect(left.count { $0.kind == .link } == 40)
        #expect(left.count { $0.kind == .notice } == 1)
    }
}

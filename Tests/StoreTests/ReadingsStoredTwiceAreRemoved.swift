import Foundation
import MeshModel
import Testing

@testable import Store

/// `format-2-repeated-readings.db` is what version 0.1.0 made of recording 28-tcp-reconnect-replayed-telemetry: one
/// node's battery twice and its place twice, as the radio was connected again.
@Suite struct ReadingsStoredTwiceAreRemoved {
    private final class Told: UpgradeObserver {
        var readings: [Int] = []
        func begin(_ upgrade: Upgrade) {}
        func progress(_ fraction: Double) {}
        func removed(readings: Int) { self.readings.append(readings) }
        var isInterrupted: Bool { false }
    }

    private func released() throws -> Folder {
        let folder = Folder()
        try FileManager.default.copyItem(
            atPath: ReleasedDatabases.path(of: "format-2-repeated-readings"), toPath: folder.database)
        return folder
    }

    /// `id | what` of each reading.
    private func readings(_ connection: DatabaseConnection) throws -> [String] {
        try connection.once(
            """
            SELECT 'telemetry ' || id || ' ' || metrics FROM telemetry
            UNION ALL SELECT 'position ' || id || ' ' || latitude_i FROM positions
            UNION ALL SELECT 'status ' || id || ' ' || text FROM node_statuses
            """
        ).rows { $0.text() }
    }

    private func upgraded(_ folder: Folder, _ observer: Told) throws -> [String] {
        try Store(path: folder.database, observer: observer).close()
        let new = try DatabaseConnection(path: folder.database, access: .readOnly)
        defer { new.close() }
        #expect(try new.once("PRAGMA integrity_check").rows { $0.text() } == ["ok"])
        return try readings(new)
    }

    @Test func andItIsSaidHowMany() throws {
        let folder = try released()
        let old = try DatabaseConnection(path: folder.database, access: .readOnly)
        let before = try readings(old)
        old.close()
        let observer = Told()
        let after = try upgraded(folder, observer)
        let gone = before.filter { !after.contains($0) }
        #expect(
            gone == [
                #"telemetry 6 {"batteryLevel":94,"voltage":3.9,"uptimeSeconds":1234}"#, "position 2 471007232",
            ])
        #expect(after.count == before.count - 2 && observer.readings == [2])
        // And points are counted as before.
        let store = try Store(path: folder.database)
        #expect(try store.read { try $0.telemetryCount() } == 27)
        // The next start has nothing to do.
        store.close()
        #expect(try upgraded(folder, observer) == after && observer.readings == [2])
    }

    /// Each of these could be real: what changes in the second copy of the battery's row or of its packet.
    @Test(arguments: [
        "UPDATE packets SET rx_rssi = -80 WHERE packet_id = 1786664649", "UPDATE packets SET transport = 5",
        "UPDATE packets SET priority = 64", "UPDATE packets SET via_mqtt = 1", "DELETE FROM packets",
        "UPDATE packets SET at = at + 1", "UPDATE telemetry SET packet_id = 7 WHERE id = 6",
        #"UPDATE telemetry SET metrics = '{"batteryLevel":93}' WHERE id = 6"#,
        #"UPDATE telemetry SET metrics = '{"batteryLevel":93}' WHERE id = 4"#,
        "UPDATE telemetry SET kind = 3 WHERE id = 4", "UPDATE telemetry SET node = node + 1 WHERE id = 4",
        "UPDATE telemetry SET text = 'x' WHERE id = 6", "DELETE FROM telemetry WHERE id = 4",
    ])
    func andNothingThatCouldBeReal(_ change: String) throws {
        let folder = try released()
        let old = try DatabaseConnection(path: folder.database, access: .readWrite)
        try old.execute(change)
        old.close()
        #expect(try upgraded(folder, Told()).contains { $0.hasPrefix("telemetry 6 ") })
    }

    /// A place that was told again with another time, or after another one.
    @Test(arguments: [
        "UPDATE positions SET time = 1795591711 WHERE id = 2", "UPDATE positions SET latitude_i = 1 WHERE id = 1",
        "UPDATE positions SET altitude = NULL WHERE id = 1",
    ])
    func norAPlaceThatCouldBe(_ change: String) throws {
        let folder = try released()
        let old = try DatabaseConnection(path: folder.database, access: .readWrite)
        try old.execute(change)
        old.close()
        #expect(try upgraded(folder, Told()).contains { $0.hasPrefix("position 2 ") })
    }

    /// A key that nobody has is in nobody's doubt any more; one that is known stays in doubt.
    @Test func noKeyIsInDoubtThatNobodyHas() throws {
        let folder = try released()
        let old = try DatabaseConnection(path: folder.database, access: .readWrite)
        try old.execute("UPDATE nodes SET key_mismatch = 1, key_doubted_at = 5")
        try old.execute("UPDATE nodes SET public_key = NULL WHERE number = 4")
        let known = try old.integer("SELECT count(*) FROM nodes WHERE public_key IS NOT NULL")
        old.close()
        _ = try upgraded(folder, Told())
        let new = try DatabaseConnection(path: folder.database, access: .readOnly)
        #expect(try new.integer("SELECT count(*) FROM nodes WHERE key_mismatch") == known)
        #expect(try new.integer("SELECT key_mismatch FROM nodes WHERE number = 4") == 0)
    }
}

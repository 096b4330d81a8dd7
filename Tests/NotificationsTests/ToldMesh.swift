import Foundation
import Gateway
import Log
import MeshModel
import Platform
import RadioLink
import Store

@testable import Notifications

extension Curl {
    /// The 30 s of a service may be over where a sanitizer and other tests run beside it.
    static let unhurried = Curl(patience: 600_000_000_000)
}

/// A database with a gateway and a folder of targets, and what runs them.
final class ToldMesh {
    private struct NoRadio: Error {}

    let path: String
    private(set) var store: Store!
    private(set) var gateway: Gateway!
    private(set) var running: RunningTargets!
    let log = Monitor<[String]>([])

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("told-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path + "/targets.d", withIntermediateDirectories: true)
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String, _ text: String) throws {
        try text.write(toFile: "\(path)/targets.d/\(name)", atomically: true, encoding: .utf8)
    }

    /// - Parameter seen: what a registration's token is shown.
    func start(
        curl: Curl = .unhurried, clock: (@Sendable () -> SendTime)? = nil, push: PushSettings = PushSettings(),
        seen: @escaping RunningTargets.PushSight = { _, told, _ in told.row }
    ) throws {
        let store = try Store(path: path + "/mesh.db")
        self.store = store
        gateway = try Gateway(store: store, logger: .silent) { delegate in
            RadioLink(address: .connection(name: "none"), connect: { throw NoRadio() }, delegate: delegate)
        }
        let logger = Logger(LogThreshold(.info)) { [log] entry in log.withLock { $0.append(entry.text) } }
        let folder = TargetsFolder(path: path + "/targets.d")
        let now = clock ?? { SendTime(at: WallClock.milliseconds(), uptime: MonotonicClock.milliseconds()) }
        running = RunningTargets(
            gateway, folder: folder, logger: logger, curl: curl, clock: now, push: push, seen: seen)
        running.reload()
    }

    /// Whatever is under way is not heard of any more.
    func kill() {
        running?.stop()
        gateway?.stop()
        store?.close()
        (running, gateway, store) = (nil, nil, nil)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/targets.d/\(name)") }

    /// A rule tells a target something.
    ///
    /// - Parameter end: of its quiet hours, in host milliseconds.
    @discardableResult
    func tell(
        _ target: String, _ title: String, rule: String = "rule", at: Int64 = WallClock.milliseconds(),
        until end: Int64? = nil
    ) throws -> String {
        let row = FeedRow(
            at: at, in: nil, type: "direct-message", title: title, body: title, needs: [.info], rule: rule)
        try store.commit { writer in
            try writer.insert(row)
            try writer.insert(Dispatch(to: target, at: at, row, heldUntil: end))
        }
        running.wake()
        return row.uuid
    }

    func waiting() throws -> [Dispatch] {
        try store.read { reader in try reader.dispatchCounts().keys.flatMap { try reader.dispatches(of: $0) } }
    }

    /// Within some minutes.
    func eventually(_ isSo: () throws -> Bool) throws -> Bool {
        for _ in 0..<6_000 {
            if try isSo() { return true }
            usleep(50_000)
        }
        return false
    }
}

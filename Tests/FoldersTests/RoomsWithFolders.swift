import Folders
import Foundation
import Log
import Platform
import RadioLink
import Rules
import Store

@testable import Gateway
@testable import MQTTBridge
@testable import Notifications

/// A room that keeps a folder of files, as a test sees it.
enum FolderRoom: String, CaseIterable, Sendable {
    case rules, targets, brokers

    var folder: String { "\(rawValue).d" }

    var limit: Int {
        switch self {
        case .rules: RuleFile.kind.limit
        case .targets: TargetFile.kind.limit
        case .brokers: BrokerFile.kind.limit
        }
    }

    /// A good file.
    ///
    /// - Parameters:
    ///   - name: no two files are one broker.
    ///   - version: 1 to 9, which is seen in what is in force.
    func text(_ name: String, _ version: Int) -> String {
        switch self {
        case .rules: "when = battery below \(version) %\n"
        case .targets: "kind = ntfy\nurl = http://127.0.0.1:9/topic\nallow-local = yes\nretry-for = \(version)h\n"
        // Where nobody listens.
        case .brokers: "url = mqtt://\(name).invalid:1\nkeep-alive = \(version)0\n"
        }
    }
}

/// One of the rooms at work on a folder of its own.
final class RoomAtWork {
    private struct NoRadio: Error {}

    let path: String
    let log = Monitor<[String]>([])
    let reload: () -> FolderChanges
    /// The versions of what is in force, by name.
    let inForce: () -> [String: Int]
    /// Those that the room shows.
    let mistakes: () -> [Mistake]
    private let root: String
    private let stopRoom: () -> Void
    private let store: Store
    private let gateway: Gateway

    init(_ room: FolderRoom) throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("folder-\(UUID().uuidString)").path
        path = "\(root)/\(room.folder)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        store = try Store(path: root + "/db")
        let (log, file) = (log, "\(root)/mesh-gateway.conf")
        let logger = Logger(LogThreshold(.debug)) { entry in log.notify { $0.append(entry.text) } }
        gateway = try Gateway(store: store, logger: .silent) { delegate in
            RadioLink(address: .connection(name: "none"), connect: { throw NoRadio() }, delegate: delegate)
        }
        switch room {
        case .rules:
            let rules = RunningRules(gateway, folder: RulesFolder(besideFile: file), logger: logger)
            (reload, stopRoom) = ({ rules.reload() }, { rules.stop() })
            inForce = { RoomAtWork.versions(rules.state.inForce) { $0.text.filter(\.isNumber) } }
            mistakes = { rules.state.allMistakes }
        case .targets:
            let targets = RunningTargets(
                gateway, folder: TargetsFolder(besideFile: file), logger: logger, push: PushSettings(),
                seen: { _, told, _ in told.row }, publicURL: { nil })
            (reload, stopRoom) = ({ targets.reload() }, { targets.stop() })
            inForce = { RoomAtWork.versions(targets.state.inForce) { "\($0.retryFor / 3_600_000)" } }
            mistakes = { targets.state.folder.allMistakes }
        case .brokers:
            let brokers = RunningBrokers(
                gateway, folder: BrokersFolder(besideFile: file), program: BrokerProgram(path: "/nonexistent"),
                facts: { GatewayFacts(version: "1.0") }, logger: logger)
            (reload, stopRoom) = ({ brokers.reload() }, { brokers.stop() })
            // What is connected to.
            inForce = { RoomAtWork.versions(brokers.reports.map { $0.broker }) { "\($0.keepAlive / 10)" } }
            mistakes = { brokers.current.folder.allMistakes }
        }
    }

    fileprivate static func versions<Content: FileContent>(
        _ contents: [Content], _ version: (Content) -> String
    ) -> [String: Int] {
        Dictionary(contents.map { ($0.name, Int(version($0)) ?? -1) }) { $1 }
    }

    func write(_ name: String, _ text: String) throws {
        try text.write(toFile: "\(path)/\(name)", atomically: true, encoding: .utf8)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }

    func stop() {
        stopRoom()
        gateway.stop()
        store.close()
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }
}

import MeshModel
import Routes
import Store

@testable import Folders
@testable import MQTTBridge
@testable import Notifications
@testable import Rules

// Rules, targets and brokers of which nothing is at work. Their rooms print them.

private let root = "/etc/mesh-gateway"

extension FolderDoor {
    /// It has missed something; what it has told is the database's.
    static var oneRule: FolderDoor { rules([("silent", "when = node silent for 6h")], near: nearMisses) }

    static var noRules: FolderDoor { rules([], near: []) }

    private static func rules(_ texts: [(name: String, text: String)], near: [NearMiss]) -> FolderDoor {
        let folder = RulesFolder(path: root + "/rules.d")
        let files = texts.map { RuleFile($0.text, name: $0.name, path: folder.file(of: $0.name)) }
        let state = {
            var state = RunningRules.State()
            state.take(FolderReading(began: 1, read: files, mistakes: []))
            return state
        }()
        let unknown: @Sendable (String) -> APIError = { .notFound("There is no rule \($0)") }
        return FolderDoor(
            names: { files.map(\.name) },
            rows: { wanted, question, reader in
                let shown = try ShownRules(state, in: folder, wanted, reader, maySee: question.maySee)
                return { $0.rules(shown, wanted) }
            },
            test: { name, question, reader in
                guard let rule = state.inForce(name) else { throw unknown(name) }
                var test = RuleTest(rule, reach: "All of it.")
                (test.since, test.firings, test.near) = (500, try reader.firings(of: name, limit: 10), near)
                test.count = test.firings.count
                test.acts = test.firings.prefix(1).map { firing in
                    var act = TestedAct(firing.row)
                    act.packets = [.init(key: "reply", to: "LongFast", text: "pong", bytes: 29, airtime: 412)]
                    return act
                }
                let shown = test.filtered(limit: question.limit, maySee: question.maySee)
                let sources = try reader.sources()
                return .shown({ $0.ruleTest(name, shown, sources) })
            }, unknown: unknown,
            told: { subject, question, reader in
                if case .rule(let name) = subject, try reader.rules().allSatisfy({ $0.name != name }) {
                    throw unknown(name)
                }
                let told = try ToldByRules(
                    about: subject, rules: files.map(\.name), near: near, limit: question.limit, reader,
                    maySee: question.maySee, sees: question.sees, word: { $0.delivery?.detailName })
                return { json in
                    if case .rule(let name) = subject { json.member("rule", name) }
                    json.told(told)
                }
            })
    }

    private static var nearMisses: [NearMiss] {
        let peer = TestGateway.peer
        let text = Message(
            id: "x_\(peer.rawValue)_7", from: peer, to: .broadcast, text: "hello", channel: 0, packetID: 7,
            timestamp: 2, createdAt: 2, updatedAt: 2)
        var muted = NearMiss(
            .muted(until: nil), of: "silent", at: 2000, in: .gateway, message: text, need: .message(channel: 0))
        muted.condition = "muted"
        var other = NearMiss(.node, of: "silent", at: 1000, in: .gateway, node: peer, need: .node(channel: 0))
        other.condition = "another node, wanted favourites"
        return [muted, other]
    }

    /// One that was tried and failed, and one whose file has a mistake.
    static var twoTargets: FolderDoor {
        targets([("mail", ""), ("phone", "kind = ntfy\nurl = https://ntfy.sh/secret\nfallback = mail")])
    }

    static var noTargets: FolderDoor { targets([]) }

    private static func targets(_ texts: [(name: String, text: String)]) -> FolderDoor {
        let folder = TargetsFolder(path: root + "/targets.d")
        let files = texts.map { TargetFile($0.text, name: $0.name, path: folder.file(of: $0.name)) }
        var read = FolderOfFiles<TargetFile>()
        read.take(FolderReading(began: 1, read: files, mistakes: []))
        let shown = ShownTargets(RunningTargets.State(read), in: folder) { name in
            guard name == "phone" else { return nil }
            return RunningTargets.Progress(
                row: TargetRow(name), waiting: 2, isFailing: true,
                test: RunningTargets.Test(at: TestGateway.now, error: "ntfy.sh does not answer."))
        }
        return FolderDoor(
            names: { shown.targets.map(\.name) },
            rows: { wanted, _, reader in
                let held = try reader.heldCounts()
                return { $0.targets(shown, wanted, held: held) }
            },
            test: { name, _, _ in
                guard !files.isEmpty, name == "phone" else { throw APIError.notFound("There is no target \(name)") }
                return .begun
            }, unknown: { .notFound("There is no target \($0)") })
    }

    /// One that works, and one whose file has a mistake.
    static var twoBrokers: FolderDoor {
        var house = ShownBroker("house", state: "live")
        (house.address, house.homeAssistant, house.version) = ("mqtts://house:8883", "favourites", "5")
        (house.devices, house.deleted) = (3, ["0000abcd"])
        var broken = ShownBroker("broken", state: "broken")
        broken.mistakes = [Mistake("there is no url", file: "\(root)/brokers.d/broken.conf", line: 1)]
        return .brokers([broken, house])
    }

    static var noBrokers: FolderDoor { brokers([]) }

    static func brokers(_ brokers: [ShownBroker]) -> FolderDoor {
        let shown = ShownBrokers(brokers, folder: root + "/brokers.d")
        let unknown: @Sendable (String) -> APIError = { .notFound("There is no broker \($0)") }
        return FolderDoor(
            names: { brokers.map(\.name) }, rows: { wanted, _, _ in { $0.brokers(shown, wanted) } },
            test: { name, _, _ in
                guard name == "house", !brokers.isEmpty else { throw unknown(name) }
                return .takesLong { brokerTest }
            }, unknown: unknown,
            metrics: { _ in
                let devices = brokers.map { ($0.name, $0.devices) }
                return [Metric("mesh_gateway_broker_devices", "Devices.", label: "broker", devices)]
            }, refresh: { name in name == "house" && !brokers.isEmpty })
    }

    private static var brokerTest: Members {
        var (broker, trial) = (Broker("house", path: ""), TrialReport())
        (broker.host, broker.port, broker.hasTLS) = ("house", 8883, true)
        (trial.isConnected, trial.protocolVersion) = (true, "5")
        (trial.mayRead, trial.mayPublish) = (true, false)
        trial.devices = [
            .init(
                object: "gateway", name: "mesh-gateway", entities: 7, events: ["event.meshgw_gateway_mesh"],
                commands: ["button.meshgw_radio_89abcdef_restart"])
        ]
        return { [broker, trial] in $0.brokerTest(broker, trial) }
    }
}

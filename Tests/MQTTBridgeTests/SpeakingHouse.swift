import JSON
import MeshModel
import RadioSimulator
import Testing

@testable import MQTTBridge

/// mosquitto, a gateway with a simulated radio whose first two nodes have buttons, and somebody who plays Home
/// Assistant.
final class SpeakingHouse {
    let mosquitto: Mosquitto
    let gate: VersionGate?
    let test: BridgedGateway
    let home: FakeHomeAssistant
    var simulated: SimulatedRadio { test.simulated! }
    var hiker: SimulatedNode { simulated.nodes[0] }
    var hut: SimulatedNode { simulated.nodes[1] }
    var radio: DeviceID { test.radio }

    init(isOld: Bool = false, _ lines: String = "home-assistant-texts = 0, Hikers\nhome-assistant-commands = yes")
        throws
    {
        mosquitto = try Mosquitto()
        try mosquitto.start()
        gate = isOld ? try VersionGate(to: mosquitto.port) : nil
        var options = SimulatorOptions()
        (options.chatter, options.timeScale, options.limitsRates) = (0, 10, false)
        test = try BridgedGateway(radio: options)
        try test.waitUntilLive()
        home = try FakeHomeAssistant(at: mosquitto.port, of: test)
        // By their ids, so that both have buttons.
        let nodes = "\(test.simulated!.nodes[0].number.id) \(test.simulated!.nodes[1].number.id)"
        try test.configure(gate?.port ?? mosquitto.port, "home-assistant = \(nodes)\n\(lines)")
    }

    func waitUntilShown() {
        home.waitFor("notify_text_1", of: radio)
        home.waitFor("button_traceroute", of: .node(hiker.number))
        home.waitFor("notify_text", of: .node(hut.number))
    }

    func outcome(_ command: String, _ type: String, of target: DeviceID) throws -> JSONValue {
        try home.wait(.gateway, "commands", "\(command) \(type)") {
            $0["command"]?.string == command && $0.type == type && $0["target"]?.string == target.object
        }
    }

    func stop() {
        home.stop()
        test.stop()
    }
}

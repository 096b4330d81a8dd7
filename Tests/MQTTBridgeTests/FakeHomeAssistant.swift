import Foundation
import JSON
import MeshModel
import RadioSimulator
import Testing

@testable import Gateway
@testable import MQTTBridge

/// Somebody at a broker who hears all events, publishes commands, and looks at configurations.
final class FakeHomeAssistant {
    private let loop: RunningLoop
    let names: TopicNames

    init(at port: Int, of gateway: BridgedGateway) throws {
        names = TopicNames(gateway: try gateway.gateway.nameAtBrokers())
        loop = try RunningLoop(
            .local(port) { $0.clientID = "home-\(UUID().uuidString.prefix(8))" }, gateway: "eeeeeeee",
            user: RecordedUser(subscribingTo: ["\(names.base)/+/event/+", names.configurations]))
        loop.user.wait("subscribed") { $0.isAllowed == true }
    }

    /// Waits until a device's configuration has a component.
    func waitFor(_ component: String, of device: DeviceID) {
        let topic = names.configuration(device.object)
        loop.user.wait("\(component) of \(device.object)") { state in
            state.received.last { $0.topic == topic }.map { $0.payload.contains("\"\(component)\":{\"p\"") } ?? false
        }
        // Events go two seconds after a configuration that was just published.
    }

    func waitUntilSubscribed(times: Int) { loop.user.wait("subscribed again") { $0.isSubscribed >= times } }

    func command(_ device: DeviceID, _ key: String, _ payload: String, isRetained: Bool = false) {
        command(names.command(device, key), Array(payload.utf8), isRetained: isRetained)
    }

    func command(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) {
        loop.publish([Publication(topic: topic, payload: payload, quality: .atMostOnce, isRetained: isRetained)])
    }

    /// It has started.
    func birth() {
        loop.publish([
            Publication(topic: names.birth, payload: Array("online".utf8), quality: .atMostOnce, isRetained: false)
        ])
    }

    /// The events of an entity so far.
    func events(_ device: DeviceID, _ key: String) -> [JSONValue] {
        let topic = names.event(device, key)
        return loop.user.state.withLock { state in
            state.received.filter { $0.topic == topic }.compactMap { JSONValue(Array($0.payload.utf8)) }
        }
    }

    /// All ids of events, in their order.
    var ids: [String] {
        loop.user.state.withLock { state in
            state.received.filter { $0.topic.contains("/event/") }
                .compactMap { JSONValue(Array($0.payload.utf8))?["id"]?.string }
        }
    }

    /// The first event of an entity, past or to come, that is like this.
    @discardableResult
    func wait(
        _ device: DeviceID, _ key: String, _ what: String, where matches: @escaping (JSONValue) -> Bool
    ) throws -> JSONValue {
        let topic = names.event(device, key)
        _ = loop.user.state.wait(seconds: 60) { state in
            let isThere = state.received.contains { message in
                message.topic == topic && JSONValue(Array(message.payload.utf8)).map(matches) == true
            }
            return isThere ? true : nil
        }
        return try #require(events(device, key).first(where: matches), "\(what) among \(events(device, key))")
    }

    /// No event was retained.
    var hasRetained: Bool {
        loop.user.state.withLock { $0.received.contains { $0.topic.contains("/event/") && $0.isRetained } }
    }

    func stop() { loop.stop() }
}

extension JSONValue {
    /// Its members' names.
    var keys: Set<String> { if case .object(let members) = self { Set(members.keys) } else { [] } }
    var type: String? { self["event_type"]?.string }
}

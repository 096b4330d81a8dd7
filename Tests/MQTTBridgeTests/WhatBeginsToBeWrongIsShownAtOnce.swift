import JSON
import MeshModel
import Platform
import Testing

@testable import Gateway
@testable import MQTTBridge

/// Somebody says that something is wrong now. Home Assistant's sensor follows within seconds, without a reload.
@Suite struct WhatBeginsToBeWrongIsShownAtOnce {
    @Test func andWhatIsOverIsNoLonger() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        let present = Monitor<[Problem]>([])
        test.gateway.problems.add { showsFiles in showsFiles ? [] : present.withLock { $0 } }
        try test.configure(mosquitto.port)
        try test.eventually("it is shown") { test.brokers.reports.first?.devices ?? 0 > 0 }

        func isShown(_ count: Int) throws -> [String: String] {
            try Retained(at: mosquitto.port) { kept in
                kept.contains { topic, text in
                    topic.hasSuffix("/gateway/state")
                        && JSONValue(Array(text.utf8))?["problems"] == .number(Double(count))
                }
            }.messages
        }
        present.withLock { $0 = [Problem(.shareClosed, "It is taken."), Problem(.targetFailing, "It is silent.")] }
        test.gateway.problems.changed()
        let state = try #require(try isShown(2).first { $0.key.hasSuffix("/gateway/state") }?.value)
        #expect(state.contains("share-closed") && state.contains("It is silent."), "\(state)")
        present.withLock { $0 = [] }
        test.gateway.problems.changed()
        #expect(try isShown(0).contains { $0.key.hasSuffix("/gateway/state") && !$0.value.contains("share-closed") })
    }
}

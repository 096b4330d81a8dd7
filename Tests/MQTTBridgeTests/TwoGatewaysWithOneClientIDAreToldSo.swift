import Foundation
import Testing

@testable import MQTTBridge

/// A database that was copied to a second machine: both gateways have one client id, and each connection ends the other one's.
@Suite struct TwoGatewaysWithOneClientIDAreToldSo {
    @Test func inTheReason() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let first = try TalkingGateway()
        try first.configure(mosquitto.port)
        try first.add()
        try first.waitUntilConnected()
        first.stop()
        let copy = first.bridged.folder + "-copy"
        try FileManager.default.copyItem(atPath: first.bridged.folder, toPath: copy)
        let both = try [first.bridged.folder, copy].map { try TalkingGateway(folder: $0) }
        for gateway in both {
            try gateway.bridged.eventually("it is said: \(gateway.state())") {
                gateway.state().reason?.contains("client id meshgw_") == true
            }
        }
        both[1].stop()
        // The one that stays connects again, and says nothing of it any more.
        try both[0].waitUntilConnected()
        #expect(both[0].state().reason == nil)
        both[0].stop()
    }
}

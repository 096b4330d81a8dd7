import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import Gateway
@testable import RestAPI

/// At MeshMonitor's own path. The order is on its way when the answer comes: nobody waits for the radio.
@Suite struct TheRadioIsRestartedThroughTheAPI {
    private func reboot(_ test: TestGateway, _ body: String, scope: String = "configuration:write") throws -> Answer {
        try test.ask("POST", "/api/device/reboot", as: test.token([scope]), body)
    }

    @Test func theOrderIsAnsweredAtOnce() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let answer = try reboot(live.test, #"{"seconds":7,"sourceId":"\#(live.test.uuid)"}"#)
        #expect(answer.status == 200)
        #expect(answer.text == #"{"success":true,"message":"Device will reboot in 7 seconds"}"#)
        let sent = try #require(
            live.radio.waitForPacket(timeout: 90) {
                $0.decoded?.port == .admin && $0.decoded?.payload.prefix(2) == [0x88, 0x06]
            })
        // reboot_seconds (97): 7
        #expect(sent.decoded?.payload == [0x88, 0x06, 7] && sent.to == live.radio.number)
    }

    @Test(arguments: [#"{"seconds":-1}"#, #"{"seconds":86401}"#, #"{"seconds":"soon"}"#])
    func aTimeThatIsNoneIsRefused(_ body: String) throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        #expect(try reboot(live.test, body).status == 400)
    }

    @Test func aRadioThatIsAwayIsSaidToBe() throws {
        let test = try TestGateway()
        let answer = try reboot(test, "{}")
        #expect(answer.status == 503)
        #expect(JSONText(answer.body).raw("code") == "\"NOT_CONNECTED\"")
        #expect(try reboot(test, #"{"sourceId":"nowhere"}"#).status == 404)
    }

    @Test func itTakesThePermission() throws {
        let test = try TestGateway()
        for scope in ["configuration:read", "messages:write", "nodes:write"] {
            #expect(try reboot(test, "{}", scope: scope).status == 403)
        }
    }
}

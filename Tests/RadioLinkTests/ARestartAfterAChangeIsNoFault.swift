import MeshModel
import Testing

@testable import MeshProtocol
@testable import RadioLink

/// Firmware restarts after most changes of settings. Whoever renames a radio four times has no weak power supply.
@Suite struct ARestartAfterAChangeIsNoFault {
    private func restart(_ radio: inout SessionInVirtualTime) {
        radio.advance(seconds: 8)
        radio.receive(.rebooted)
        radio.advance(seconds: 3)
        radio.goLive()
        radio.advance(seconds: 20)
    }

    private static let requests: [AdminRequest] = [
        .setSection(SettingsSection(SettingsName("owner")!, [0x12, 1, 0x41])!), .commitEdit, .reboot(5),
        .passed(AdminOrder([0x88, 6, 5])!), .passed(AdminOrder([0xA0, 6, 1])!),
    ]

    @Test(arguments: requests.indices) func oneIsExpected(_ place: Int) {
        var radio = SessionInVirtualTime()
        radio.goLive()
        for token in 0..<6 {
            radio.session.ask(Self.requests[place], token: token, at: radio.now)
            restart(&radio)
        }
        #expect(radio.problems.isEmpty)
    }

    /// The next one nobody has asked for.
    @Test func andNoMoreThanOne() {
        var radio = SessionInVirtualTime()
        radio.goLive()
        radio.session.ask(Self.requests[0], token: 1, at: radio.now)
        for _ in 0..<5 { restart(&radio) }
        #expect(radio.problems == ["keeps-restarting"])
    }

    /// A getter restarts nothing.
    @Test func afterAQuestionItIsAFault() {
        var radio = SessionInVirtualTime()
        radio.goLive()
        for token in 0..<4 {
            radio.session.ask(.metadata, token: token, at: radio.now)
            restart(&radio)
        }
        #expect(radio.problems == ["keeps-restarting"])
    }
}

import MeshModel
import MeshProtocol
import RadioLink
import Testing

@Suite struct AProblemThatIsOverGoesAway {
    private func reboot(_ radio: inout SessionInVirtualTime) {
        radio.receive(.rebooted)
        radio.advance(seconds: 3)
        radio.goLive()
    }

    @Test func aRadioThatKeepsRestartingIsNamedForTenMinutes() {
        var radio = SessionInVirtualTime()
        radio.goLive()
        for _ in 0..<3 {
            reboot(&radio)
            radio.advance(seconds: 20)
        }
        #expect(radio.problems.isEmpty)
        reboot(&radio)
        #expect(radio.problems == ["keeps-restarting"])
        #expect(radio.session.problems[0].advice.contains(" 4 times"))
        // The first of the four is ten minutes ago.
        for _ in 0..<56 {
            radio.advance(seconds: 10)
            radio.receive(.heartbeatAnswer)
        }
        #expect(radio.session.problems.isEmpty)
        #expect(radio.solved == ["keeps-restarting"])
    }

    /// One boot prints many signs of itself, for seconds.
    @Test func theSignsOfOneStartAreOneRestart() {
        var radio = SessionInVirtualTime()
        radio.goLive()
        for _ in 0..<3 {
            radio.receive(text: "ESP-ROM:esp32s3-20210327")
            radio.receive(text: "rst:0x1 (POWERON_RESET),boot:0x8 (SPI_FAST_FLASH_BOOT)")
            radio.receive(.rebooted)
            radio.advance(seconds: 2)
            radio.receive(text: "//\\ E S H T /\\ S T / C")
            radio.advance(seconds: 2)
            radio.goLive()
            radio.advance(seconds: 30)
        }
        #expect(radio.problems.isEmpty)
    }

    /// It never gets as far as answering.
    @Test func aBootLoopIsNamed() {
        var radio = SessionInVirtualTime()
        for _ in 0..<20 {
            radio.receive(text: "ESP-ROM:esp32s3-20210327")
            radio.advance(seconds: 3)
        }
        #expect(radio.problems == ["keeps-restarting"])
    }

    /// A radio on native USB takes its port with it.
    @Test func aPortThatKeepsVanishingIsNamed() {
        var radio = SessionInVirtualTime()
        for _ in 0..<5 {
            radio.goLive()
            radio.advance(seconds: 20)
            radio.session.end(isCut: true)
            radio.advance(seconds: 1)
            radio.session.begin(at: radio.now)
            radio.pump()
        }
        #expect(radio.problems == ["keeps-restarting"])
    }

    @Test func aChangedNodeNumberIsShownForADay() {
        var radio = SessionInVirtualTime()
        radio.goLive()
        radio.answers.number = NodeNumber(0x8765_4321)
        radio.answers.region = 0
        reboot(&radio)
        // A notice comes after what is to be acted upon.
        #expect(radio.session.problems.map(\.name) == ["region-unset", "node-number-changed"])
        radio.answers.region = 3
        reboot(&radio)
        #expect(radio.session.problems.map(\.name) == ["node-number-changed"])
        for _ in 0..<1727 {
            radio.advance(seconds: 50)
            radio.receive(.heartbeatAnswer)
        }
        #expect(radio.session.problems.map(\.name) == ["node-number-changed"])
        radio.advance(seconds: 50)
        #expect(radio.session.problems.isEmpty)
        #expect(radio.solved == ["region-unset", "node-number-changed"])
    }

    @Test func aFactoryResetIsShownUntilTheRegionIsSet() {
        var radio = SessionInVirtualTime()
        radio.goLive()
        (radio.answers.region, radio.answers.nodeCount) = (0, 1)
        reboot(&radio)
        #expect(radio.session.problems.map(\.name) == ["factory-reset", "region-unset"])
        reboot(&radio)
        #expect(radio.session.problems.map(\.name) == ["factory-reset", "region-unset"])
        radio.answers.region = 3
        reboot(&radio)
        #expect(radio.session.problems.isEmpty)
        #expect(radio.solved.sorted() == ["factory-reset", "region-unset"])
    }

    /// 2.8 takes its first region without a restart, and says nothing.
    @Test func aRegionThatWasSetIsSeenByWhatIsHeard() {
        var radio = SessionInVirtualTime()
        radio.answers.region = 0
        radio.goLive()
        radio.forget()
        radio.answers.region = 3
        radio.receive(.text("hello"))
        radio.goLive()
        #expect(radio.nonces == [69420, 69421])
        #expect(radio.session.problems.isEmpty)
        // Asked once in ten minutes only, whoever forges what.
        radio.answers.region = 0
        reboot(&radio)
        radio.forget()
        for _ in 0..<50 { radio.receive(.text("hello")) }
        #expect(radio.nonces.isEmpty)
    }

    @Test func aHostThatGetsItsClockIsTold() {
        let clock = Clock(seconds: 1_700_000_000)
        var radio = SessionInVirtualTime(clock: clock)
        radio.goLive()
        #expect(radio.problems == ["host-clock-unset"])
        clock.set(1_790_000_000)
        radio.advance(seconds: 61)
        #expect(radio.session.problems.isEmpty)
        #expect(radio.solved == ["host-clock-unset"])
    }

    @Test func whyTheLastAttemptFailedIsShownDuringTheNext() {
        var radio = SessionInVirtualTime()
        radio.advance(seconds: 100)
        #expect(radio.reopened.map(\.name) == ["wrong-device"])
        radio.session.end()
        radio.session.begin(at: radio.now)
        radio.pump()
        #expect(radio.session.problems.map(\.name) == ["wrong-device"])
        radio.goLive()
        #expect(radio.session.problems.isEmpty)
        // Known by now: it is silent, not another device.
        radio.session.end()
        radio.session.begin(at: radio.now)
        radio.advance(seconds: 100)
        #expect(radio.reopened.map(\.name) == ["wrong-device", "not-responding"])
    }

    @Test func aRebootThatNothingShowedIsCountedByTheRadio() {
        var radio = SessionInVirtualTime()
        radio.answers.rebootCount = 7
        radio.goLive()
        radio.forget()
        radio.answers.rebootCount = 8
        // Two heartbeats without an answer.
        radio.receive(.heartbeatAnswer)
        radio.advance(seconds: 130)
        radio.goLive()
        #expect(radio.reboots.count == 1)
    }
}

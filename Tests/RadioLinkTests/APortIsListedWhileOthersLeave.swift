import FakeSerial
import RadioLink
import Testing

/// A hub that is pulled out takes several devices away at once: what stays is listed all the same.
@Test func aPortIsListedWhileOthersLeave() async throws {
    let stays = FakeRadioDevice()
    try stays.plug()
    let leaving = Task.detached {
        let others = (1...8).map { _ in FakeRadioDevice() }
        while !Task.isCancelled {
            for other in others { try other.plug() }
            for other in others { other.unplug() }
        }
    }
    var missed = 0
    for _ in 1...500 where !PortScan.ports().contains(where: { $0.path == stays.path }) { missed += 1 }
    leaving.cancel()
    try await leaving.value
    #expect(missed == 0)
}

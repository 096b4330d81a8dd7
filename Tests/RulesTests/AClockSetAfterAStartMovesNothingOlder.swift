import MeshModel
import Testing

@testable import Rules

/// A Raspberry Pi has no clock of its own: what an earlier run has noted was right, and stays as it is when the time is known.
@Suite struct AClockSetAfterAStartMovesNothingOlder {
    /// It starts in 1970, or at the time at which it was switched off.
    @Test(arguments: [minute, noon + 3 * hour]) func andWhatLastsIsToldInTime(_ start: Int64) throws {
        let killed = try KilledMesh(["low": "when = battery below 20 %\nrepeat = 24h"])
        let mesh = killed.mesh
        try mesh.measure(anna, ["batteryLevel": 10])
        #expect(mesh.told() == ["begins: Anna: battery 10 %"])
        mesh.now.at = start
        try killed.kill()
        try mesh.setClock(by: noon + 20 * hour - mesh.now.at)
        try mesh.pass(3 * hour)
        #expect(mesh.told() == [])
        try mesh.pass(2 * hour)
        #expect(mesh.told() == ["lasts: Anna: battery still 10 %"])
    }

    /// What this run has noted goes with its clock.
    @Test func butWhatIsOfThisRun() throws {
        let killed = try KilledMesh(["low": "when = battery below 20 %\nrepeat = 24h"])
        let mesh = killed.mesh
        try killed.kill()
        try mesh.measure(anna, ["batteryLevel": 10])
        _ = mesh.told()
        try mesh.setClock(by: 48 * hour)
        try mesh.pass(23 * hour)
        #expect(mesh.told() == [])
        try mesh.pass(2 * hour)
        #expect(mesh.told() == ["lasts: Anna: battery still 10 %"])
    }

    /// The clock was a year ahead. It is right again after a start, or is put right in the run.
    @Test(arguments: [true, false]) func norIsAnythingToCome(_ isRight: Bool) throws {
        let year = 365 * 24 * hour
        let killed = try KilledMesh(["low": "when = battery below 20 %\nrepeat = 24h"])
        let mesh = killed.mesh
        try mesh.setClock(by: year)
        try mesh.measure(anna, ["batteryLevel": 10])
        try mesh.pass(hour)
        _ = mesh.told()
        if isRight { mesh.now.at -= year }
        try killed.kill()
        if !isRight { try mesh.setClock(by: -year) }
        try mesh.pass(25 * hour)
        #expect(mesh.told() == ["lasts: Anna: battery still 10 %"])
    }

    /// Somebody has switched the host off and on, because it had lost its radio.
    @Test func andARadioIsAwaySinceThen() throws {
        let killed = try KilledMesh(["away": "when = radio lost for 1h"])
        let mesh = killed.mesh
        try mesh.link("lost")
        try mesh.pass(30 * minute)
        mesh.now.at = minute
        try killed.kill(isBack: false)
        try mesh.setClock(by: noon + 40 * minute - mesh.now.at)
        try mesh.pass(20 * minute)
        #expect(mesh.told() == [])
        try mesh.pass(10 * minute)
        #expect(mesh.told() == ["begins: The radio Home is lost"])
    }
}

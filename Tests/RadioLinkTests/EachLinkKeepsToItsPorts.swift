import FakeSerial
import MeshModel
import RadioLink
import Testing

@Suite struct EachLinkKeepsToItsPorts {
    @Test func theRadioThatNobodyNamesIsTakenByItself() throws {
        let (named, other) = (FakeRadioDevice(), FakeRadioDevice(vendor: 0x239A, product: 0x4405))
        for device in [named, other] { try device.plug() }
        let radios = [named, other].map { ScriptedRadio(on: $0.controller) }
        let mine = Set([named, other].map(\.path))
        let claims = PortClaims()
        let (first, second) = (Listener(), Listener())
        // The one that looks for itself comes first.
        let auto = RadioLink(address: .auto, claims: claims, portFilter: { mine.contains($0.path) }, delegate: first)
        let path = RadioLink(address: .path(named.stablePath), claims: claims, delegate: second)
        auto.start()
        path.start()
        #expect(first.waitUntilLive())
        #expect(second.waitUntilLive())
        #expect(named.opens > 0 && other.opens > 0)
        #expect(!first.states.contains { $0.problem != nil } && !second.states.contains { $0.problem != nil })
        for link in [auto, path] { link.stop() }
        for radio in radios { radio.stop() }
    }

    /// A radio that comes back under the name that another link waits for is that link's.
    @Test func noneFollowsItsRadioToAnothersPort() throws {
        let (one, two) = (FakeRadioDevice(), FakeRadioDevice())
        let names = [one.name, two.name]
        for device in [one, two] { try device.plug() }
        var radios = [one, two].map { ScriptedRadio(on: $0.controller) }
        let claims = PortClaims()
        let listeners = [Listener(), Listener()]
        let links = zip([one, two], listeners).map {
            RadioLink(address: .path($0.path), claims: claims, delegate: $1)
        }
        for link in links { link.start() }
        for listener in listeners { #expect(listener.waitUntilLive()) }

        for radio in radios { radio.stop() }
        for device in [one, two] { device.unplug() }
        for listener in listeners { #expect(listener.waitForProblem("device-absent")) }
        try one.plug(as: names[1])
        radios = [ScriptedRadio(on: one.controller)]
        #expect(listeners[1].waitUntilLive(2))
        try two.plug(as: names[0])
        radios.append(ScriptedRadio(on: two.controller))
        #expect(listeners[0].waitUntilLive(2))
        for (link, listener) in zip(links, listeners) {
            #expect(link.statistics.connections == 2)
            #expect(!listener.states.contains { $0.problem?.name == "port-busy" })
            link.stop()
        }
        for radio in radios { radio.stop() }
    }

    /// A named radio that comes back under a third name is not taken by the link that looks for itself.
    @Test func aRadioThatIsFollowedIsNotTaken() throws {
        let (named, other) = (FakeRadioDevice(), FakeRadioDevice())
        let mine = Set([named, other].compactMap(\.serialNumber))
        for device in [named, other] { try device.plug() }
        var radios = [named, other].map { ScriptedRadio(on: $0.controller) }
        let claims = PortClaims()
        let (first, second) = (Listener(), Listener())
        let path = RadioLink(address: .path(named.path), claims: claims, delegate: first)
        let auto = RadioLink(
            address: .auto, claims: claims, portFilter: { mine.contains($0.usb?.serialNumber ?? "") }, delegate: second)
        for link in [path, auto] { link.start() }
        for listener in [first, second] { #expect(listener.waitUntilLive()) }

        for radio in radios { radio.stop() }
        for device in [named, other] { device.unplug() }
        #expect(first.waitForProblem("device-absent"))
        #expect(second.waitForProblem("no-radio"))
        try named.plug(as: FakeRadioDevice.uniqueName())
        radios = [ScriptedRadio(on: named.controller)]
        #expect(first.waitUntilLive(2))
        #expect(auto.state.problem?.name == "no-radio")
        try other.plug(as: FakeRadioDevice.uniqueName())
        radios.append(ScriptedRadio(on: other.controller))
        #expect(second.waitUntilLive(2))
        #expect(auto.statistics.connections == 2 && path.statistics.connections == 2)
        for link in [path, auto] { link.stop() }
        for radio in radios { radio.stop() }
    }
}

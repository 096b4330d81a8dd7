import Testing

@testable import MQTTBridge

/// Names in .local are looked up by a module that is not on every computer.
@Suite struct AnUnknownNameSaysWhatItNeeds {
    @Test(arguments: [
        ("homeassistant.local", false, "sudo apt install libnss-mdns"), ("Attic.LOCAL", false, "libnss-mdns"),
        ("homeassistant.local", true, "nothing in this network answers"),
        ("house.example", false, "is it spelled right?"),
    ])
    func inWords(host: String, hasMulticast: Bool, words: String) {
        let text = FailureWords.ofName(host, hasMulticast: hasMulticast)
        #expect(text.hasPrefix("the name \(host) is not known: ") && text.contains(words), "\(text)")
        let isMissing = host.lowercased().hasSuffix(".local") && !hasMulticast
        #expect(text.contains("libnss-mdns") == isMissing)
    }

    @Test func whereItIsConnectedTo() throws {
        let loop = try RunningLoop(.local(1883) { $0.host = "nobody-is-called-so.invalid" })
        loop.waitForLog("the name nobody-is-called-so.invalid is not known")
        loop.stop()
    }
}

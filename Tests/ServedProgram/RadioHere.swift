import MeshModel
import RadioSimulator
import Testing

/// A simulated radio in the test's own process, so that the test can pull its plug and see what it was given. Its time
/// runs ten times as fast, and nothing comes from its mesh by itself.
final class RadioHere {
    let radio: SimulatedRadio

    init(_ change: (inout SimulatorOptions) -> Void = { _ in }) throws {
        var options = SimulatorOptions()
        options.timeScale = 10
        options.chatter = 0
        change(&options)
        radio = try SimulatedRadio(options)
        radio.start()
    }

    deinit { radio.stop() }

    /// The packets of own texts that reached the radio.
    var texts: [String] {
        radio.received.compactMap(\.decoded).filter { $0.port == .textMessage }
            .map { String(decoding: $0.payload, as: UTF8.self) }
    }

    /// Somebody on the mesh says something, and the gateway hears it.
    func say(_ text: String, to gateway: ServedGateway, sourceLocation: SourceLocation = #_sourceLocation) throws {
        radio.sendText(from: radio.nodes[0].number, text)
        try gateway.eventually("\"\(text)\" is there", sourceLocation: sourceLocation) {
            try gateway.messages().contains { $0["text"] == .string(text) }
        }
    }
}

import Gateway

// Why something was not sent, as it follows "because".

extension SendRefusal {
    var words: String {
        switch self {
        case .notConnected: "the radio was away"
        case .transmitDisabled: "the radio's transmitter is switched off"
        case .storage(let reason): "it could not be stored: \(reason)"
        case .tooLong(let parts): "it would take \(parts) packets, and three are the most"
        case .keyInDoubt(let node):
            "another key than the known one was seen for \(node.id); mesh-gateway keys shows both"
        }
    }
}

extension RequestRefusal {
    var words: String {
        switch self {
        case .notConnected: "the radio was away"
        case .transmitDisabled: "the radio's transmitter is switched off"
        case .notHeardDirectly: "the node was not heard directly within a day"
        case .tooSoon(let seconds): "the node would not answer before \(seconds) s have passed"
        case .tooMany(let seconds): "as many wait for the radio already; there is room in \(seconds) s"
        case .noPosition: "the radio has told no position"
        case .storage(let reason): "it could not be stored: \(reason)"
        }
    }
}

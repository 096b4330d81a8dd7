import MeshModel

extension Problem.Kind {
    /// What it is in a few words, for the time when nobody has the sentence of `status` any more: it is over, or began before the
    /// gateway's start. nil if no rule tells of it with `when = problem`.
    var words: String? {
        switch self {
        case .bridgeStopped: "A bridge is stopped, because its channel is another one now"
        case .brokerAway: "A broker is away"
        case .brokerBroken: "A broker's file has a mistake, or the broker refuses the gateway"
        case .cannotOpen: "The radio's port cannot be opened"
        case .changesDropped: "Something that was heard got lost"
        case .connectionClosed: "The radio closed the connection"
        case .connectionFailed: "No connection to the radio"
        case .conversationFlooded: "More came over a broker than a conversation takes"
        case .conversationRefused: "A broker does not let a conversation read"
        case .deviceAbsent: "The radio's port is not there"
        case .factoryReset: "The radio was reset to its factory settings"
        case .handshakeIncomplete: "The radio leaves out parts of its settings"
        case .hostClockUnset: "This computer's clock is not set"
        case .keepsRestarting: "The radio keeps restarting"
        case .noRadio: "There is no radio"
        case .nodeNumberChanged: "The radio's node number has changed"
        case .notASerialPort: "The radio's port is no serial port"
        case .notResponding: "The radio has stopped answering"
        case .packetsWithheld: "The radio passes on no packets"
        case .permissionDenied: "The gateway may not open the radio's port"
        case .portBusy: "Another program has the radio's port"
        case .pushFailing: "Registered phones or browsers are not told"
        case .radioLocked: "The radio is locked"
        case .regionUnset: "The radio has no region"
        case .restartOrdered: "The radio restarts, as it was told to"
        case .ruleBroken: "A rule's file has a mistake"
        case .sameRadio: "A radio is connected twice"
        case .serialAPIDisabled: "The radio prints log lines and does not answer"
        case .severalRadios: "There are several radios to choose from"
        case .shareClosed: "A shared port is closed"
        case .targetBroken: "A target's file has a mistake, or a target is missing"
        case .targetFailing: "A target is not told"
        case .transmitterOff: "The radio's transmitter is switched off"
        case .unplugged: "The radio was unplugged"
        case .wrongDevice: "What is on the port is no Meshtastic radio"
        case .diskFailing, .keysInDoubt, .notRunning: nil
        }
    }
}

import MeshModel
import Store

// Which events become a row of `happened`: a link that came or went, a problem that began or ended, a restart of the radio, a
// notice of the radio. A key event has its row in the transaction of the node's row (KeyWatch).

extension AttachedRadio {
    /// Nil: it gets no row.
    func happening(_ what: Event.What, at now: Int64) -> Happening? {
        switch what {
        case .link(.live): Happening(.link, at: now, name: LinkState.live.name, text: wayToRadio)
        case .link(let state):
            // Searching, opening and configuring lie between: the row of before says since when the link is not there.
            switch state {
            case .lost, .stopped:
                Happening(
                    .link, at: now, name: isRestarting ? Happening.restarting : state.name, text: state.problem?.text)
            default: nil
            }
        case .problem(let problem): Happening(.problem, at: now, name: problem.name, text: problem.advice)
        case .solved(let problem): Happening(.solved, at: now, name: problem.name, text: problem.advice)
        case .restarted(let text):
            Happening(.restart, at: now, name: isRestarting ? Happening.restarting : nil, text: text)
        case .notice(let text): Happening(.notice, at: now, text: text)
        case .received, .sent, .message, .delivery, .node, .key, .debugText: nil
        }
    }

    /// The port, and the firmware at its other end.
    private var wayToRadio: String {
        let version = snapshot?.metadata?.firmwareVersion
        return [portName ?? device, version.map { "firmware \($0)" }].compactMap(\.self).joined(separator: ", ")
    }
}

extension Problem {
    fileprivate var text: String { "\(name): \(advice)" }
}

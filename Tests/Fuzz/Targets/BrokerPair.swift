import MQTTBridge

/// What a daemon and the process of a broker's connection write to each other: the first byte says by how many bytes it is read. The rest
/// is what the other side has written, calls or events.
///
/// Whatever it is: how it is cut changes nothing, and what was read is written again as the same bytes.
final class BrokerPair: FuzzTarget {
    private let areEvents: Bool

    init(events: Bool) { areEvents = events }

    private func again(_ bytes: [UInt8], _ size: Int) -> [UInt8]? {
        areEvents ? CarriedPair.eventsAgain(bytes, by: size) : CarriedPair.callsAgain(bytes, by: size)
    }

    func run(_ input: [UInt8]) throws {
        guard let size = input.first else { return }
        let bytes = Array(input[1...])
        let whole = again(bytes, bytes.count)
        try check(again(bytes, Int(size)) == whole, "read by \(size) it is something else")
        guard let whole else { return }
        try check(bytes.starts(with: whole), "\(bytes) was written again as \(whole)")
    }
}

import MeshProtocol

/// The radio's own parser of what the host writes, with its weaknesses (SerialReference 1.2): the byte after a false
/// 0x94 is not looked at again, so that `94 94 C3` loses a frame; there is no timeout, so that a frame that a killed
/// host left half written swallows the beginning of the next one's.
struct HostFrames {
    private enum State { case hunting, magic, lengthHigh, lengthLow, body }

    private var state = State.hunting
    private var length = 0
    private var body: [UInt8] = []

    mutating func feed(_ bytes: some Sequence<UInt8>, emit: ([UInt8]) -> Void) {
        for byte in bytes {
            switch state {
            case .hunting:
                if byte == 0x94 { state = .magic }
            case .magic:
                state = byte == 0xC3 ? .lengthHigh : .hunting
            case .lengthHigh:
                length = Int(byte) << 8
                state = .lengthLow
            case .lengthLow:
                length |= Int(byte)
                body.removeAll(keepingCapacity: true)
                state = length > StreamFrame.maximumLength ? .hunting : .body
            case .body:
                body.append(byte)
            }
            // An empty frame is a frame: it counts as contact.
            if state == .body, body.count == length {
                state = .hunting
                emit(body)
            }
        }
    }
}

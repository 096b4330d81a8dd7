import MeshProtocol

/// Who sees what goes over a link, byte for byte: a recorder. All calls come on the link's thread and must not block.
public protocol LinkTap: Sendable {
    /// The port is open, the decoder is empty.
    func opened(_ name: String, at now: MonotonicTime)
    /// These bytes will be decoded now; each is in one output, at once or later.
    func arrived(_ bytes: UnsafeRawBufferPointer)
    /// In the order of the bytes. Garbage comes without them.
    func decoded(_ output: StreamDecoder<FromRadio>.Output, at now: MonotonicTime)
    /// All that the bytes so far have brought was handed to the delegate.
    func handedOn()
    /// This went to the radio, to its last byte.
    func wrote(_ bytes: [UInt8], at now: MonotonicTime)
    /// The session is live after this handshake: payloads in the radio's order, without the radio's secrets.
    func live(_ handshake: [[UInt8]], at now: MonotonicTime)
    /// The port is closed; nothing continues.
    func closed(_ reason: String, at now: MonotonicTime)
}

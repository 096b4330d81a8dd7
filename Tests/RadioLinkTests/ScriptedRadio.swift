import Glibc
import MeshModel
import MeshProtocol
import Synchronization

/// A healthy radio at the other end of a pseudo terminal or socket: answers want_config, heartbeats and packets.
final class ScriptedRadio: Sendable {
    private struct State {
        var received: [ToRadio] = []
        var firstBytes: [UInt8] = []
        var isStopping = false
        var isSilent = false
    }

    let answers: RadioAnswers
    private let descriptor: Int32
    private let ownsDescriptor: Bool
    private let state = Mutex(State())
    private let thread = Mutex<pthread_t?>(nil)

    init(
        on descriptor: Int32, ownsDescriptor: Bool = false, answers: RadioAnswers = RadioAnswers(),
        isSilent: Bool = false
    ) {
        self.descriptor = descriptor
        self.ownsDescriptor = ownsDescriptor
        self.answers = answers
        state.withLock { $0.isSilent = isSilent }
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<ScriptedRadio>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        self.thread.withLock { [thread] in $0 = thread }
    }

    /// Ends the thread; what the host has written until now has been read.
    func stop() {
        state.withLock { $0.isStopping = true }
        if let thread = thread.withLock({ $0.take() }) { pthread_join(thread, nil) }
    }

    var received: [ToRadio] { state.withLock { $0.received } }
    var firstBytes: [UInt8] { state.withLock { $0.firstBytes } }

    func send(_ messages: FromRadio...) { for message in messages { write(StreamFrame.encode(message.encoded())) } }

    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                // A host that has left must not end the whole test run by SIGPIPE.
                let sent = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                return sent < 0 && errno == ENOTSOCK
                    ? Glibc.write(descriptor, bytes.baseAddress, bytes.count) : sent
            }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    private func run() {
        var decoder = StreamDecoder<ToRadio>(decode: { ToRadio(decoding: $0) })
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            // Read before the poll, so that one more poll finds what the host wrote before stop().
            let isStopping = state.withLock { $0.isStopping }
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&poller, 1, 5)
            let count = Int32(poller.revents) & POLLIN != 0 ? read(descriptor, &buffer, buffer.count) : 0
            if count > 0 {
                state.withLock { if $0.firstBytes.count < 600 { $0.firstBytes += buffer[..<count] } }
                buffer.withUnsafeBytes { bytes in
                    decoder.feed(UnsafeRawBufferPointer(rebasing: bytes[..<count]), now: 0) { output in
                        if case .frame(let message, _) = output { receive(message) }
                    }
                }
                continue
            }
            if isStopping { break }
            // No host has the terminal open, which poll reports at once and for ever.
            if Int32(poller.revents) & POLLHUP != 0 { poll(nil, 0, 2) }
        }
        if ownsDescriptor { close(descriptor) }
    }

    private func receive(_ message: ToRadio) {
        let isSilent = state.withLock {
            $0.received.append(message)
            return $0.isSilent
        }
        guard !isSilent else { return }
        switch message {
        case .wantConfig(let nonce): for frame in answers.handshake(nonce) { send(frame) }
        case .heartbeat: send(.heartbeatAnswer)
        case .packet(let packet):
            send(.queueStatus(QueueStatus(result: 0, free: 15, capacity: 16, packetID: packet.id)))
            if packet.decoded?.port == .admin { send(.routingAnswer(to: packet.id, from: answers.number)) }
        default: break
        }
    }
}

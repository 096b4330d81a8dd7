import Gateway
import Glibc
import Log
import MeshModel
import MeshProtocol
import RadioLink
import RadioSimulator
import Rules
import Store

/// Which packets of the recordings are played.
enum FrameKind: String {
    /// What nodes say again and again: telemetry, positions, neighbours, who they are. Not what the radio itself repeats.
    case repeated
    case text
    case telemetry

    func has(_ packet: MeshPacket) -> Bool {
        guard let data = packet.decoded, !packet.isReplay else { return false }
        return switch self {
        case .repeated: [.telemetry, .position, .nodeInfo, .neighborInfo].contains(data.port) && data.requestID == 0
        // An empty one is no message: who waits for its row or its event would wait for ever.
        case .text: data.port == .textMessage && data.replyID == 0 && !data.payload.isEmpty
        case .telemetry: data.port == .telemetry && data.requestID == 0
        }
    }
}

/// The frames of the recordings under new packet ids and from other senders, again and again.
struct Frames {
    let kind: FrameKind
    let packets: [MeshPacket]
    let nodes: Int

    init(of kind: FrameKind, in recordings: String, nodes: Int) throws {
        (self.kind, self.nodes) = (kind, nodes)
        var packets: [MeshPacket] = []
        for path in try recordingPaths(in: recordings) {
            var decoder = StreamDecoder { FromRadio(decoding: $0) }
            for entry in try RecordedStream(contentsOfFile: path).entries {
                guard case .received(let bytes) = entry.kind else { continue }
                bytes.withUnsafeBytes { bytes in
                    decoder.feed(bytes, now: 0) { output in
                        if case .frame(.packet(let packet), _) = output, kind.has(packet) { packets.append(packet) }
                    }
                }
            }
        }
        precondition(packets.count > 10, "the recordings have too little in them")
        self.packets = packets
    }

    subscript(index: Int) -> [UInt8] {
        var packet = packets[index % packets.count]
        let sender = index % nodes
        packet.id = UInt32(truncatingIfNeeded: index + 1) &* 2_654_435_761
        packet.from = NodeNumber(0x4350_0000 + UInt32(sender))
        // No two have the same key: that would be news each time.
        if case .decoded(var data) = packet.payload, case .nodeInfo(var user) = PacketContent(data) {
            user.publicKey = PublicKey([UInt8](repeating: UInt8(sender >> 8), count: 31) + [UInt8(sender & 0xFF)])
            data.payload = user.encoded()
            packet.payload = .decoded(data)
        }
        packet.to = .broadcast
        return Self.bytes(of: packet)
    }

    static func bytes(of packet: MeshPacket) -> [UInt8] {
        var packet = packet
        packet.rxTime = UInt32(hostMilliseconds() / 1000)
        return StreamFrame.encode(FromRadio.packet(packet).encoded())
    }
}

/// Writes them to standard output, for other programs to read the same.
func writeStream(recordings: String, kind: FrameKind, nodes: Int, count: Int) throws {
    let frames = try Frames(of: kind, in: recordings, nodes: nodes)
    for index in 0..<count {
        let frame = frames[index]
        guard write(STDOUT_FILENO, frame, frame.count) == frame.count else { exit(74) }  // EX_IOERR
    }
}

/// The processor time that one frame costs on its whole way, from the bytes on the link to the committed row.
///
/// A simulated radio makes the handshake and answers heartbeats; this thread, whose own time is not counted, writes the packets
/// between.
///
/// - Parameter rules: a folder of rules that look at them.
func measureFrames(
    recordings: String, database: String, kind: FrameKind, nodes: Int, count: Int, rules: String?
) throws {
    let frames = try Frames(of: kind, in: recordings, nodes: nodes)
    let store = try Store(path: database)
    defer { store.close() }
    let bench = try FrameBench(store: store, frames: frames)
    defer { bench.gateway.stop() }
    let running = rules.map { RunningRules(bench.gateway, folder: RulesFolder(path: $0), logger: .silent) }
    running?.reload()
    defer { running?.stop() }
    try bench.shakeHands()
    bench.hasRules = running != nil
    // A warm-up: the node rows, the statements and the pages that every later frame finds.
    _ = try bench.run(count: 2_000)
    print("frame_us", try bench.run(count: count))
    // A packet costs more where more lie before it; memory grows until no cache takes more.
    for _ in 0..<2 { _ = try bench.run(count: count) }
    let before = residentBytes()
    print("later_frame_us", try bench.run(count: count))
    print("growth_kb", (residentBytes() - before) / 1024)
    print("rss_kb", residentBytes() / 1024)
}

private func recordingPaths(in folder: String) throws -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob("\(folder)/*.jsonl", 0, nil, &found) == 0 else { return [] }
    return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
}

/// A gateway and a radio, with this thread between them.
final class FrameBench {
    let gateway: Gateway
    let store: Store
    private let radio: SimulatedRadio
    /// Our end of the link that the gateway has the other end of.
    private let line: Int32
    /// The simulated radio's.
    private let simulated: Int32
    let frames: Frames
    var next = 0
    /// They look at what has changed a little later, in a thread of their own.
    var hasRules = false

    init(store: Store, frames: Frames) throws {
        (self.store, self.frames) = (store, frames)
        var options = SimulatorOptions()
        options.chatter = 0
        radio = try SimulatedRadio(options)
        radio.start()
        simulated = try radio.connect()
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw Failure.noSocket }
        let theirs = ends[0]
        line = ends[1]
        gateway = try Gateway(store: store, logger: .silent) { delegate in
            RadioLink(address: .connection(name: "bench"), connect: { theirs }, delegate: delegate)
        }
    }

    func shakeHands() throws {
        gateway.start()
        let source = try store.read { try $0.sources() }[0].0
        for _ in 0..<2_000 {
            if gateway.status(of: source).link == .live { break }
            carry(milliseconds: 10)
        }
        guard gateway.status(of: source).link == .live else { throw Failure.noHandshake }
    }

    /// Carries what the gateway and the simulated radio say to each other.
    func carry(milliseconds: Int32) {
        var ends = [
            pollfd(fd: line, events: Int16(POLLIN), revents: 0),
            pollfd(fd: simulated, events: Int16(POLLIN), revents: 0),
        ]
        poll(&ends, 2, milliseconds)
        if ends[0].revents != 0 { carry(from: line, to: simulated) }
        if ends[1].revents != 0 { carry(from: simulated, to: line) }
    }

    private func carry(from: Int32, to: Int32) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(from, &bytes, bytes.count)
        if count > 0 { write(bytes[..<count], to: to) }
    }

    /// The gateway hears this.
    func hear(_ bytes: [UInt8]) { write(bytes[...], to: line) }

    private func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Microseconds of processor time a frame, of all threads but this one.
    func run(count: Int) throws -> Double {
        // Made beforehand, and in batches that fit into the store's queue: none may be dropped.
        let batch = 2_000
        let batches = stride(from: 0, to: count, by: batch).map { first in
            (next + first..<next + min(first + batch, count)).flatMap { frames[$0] }
        }
        next += count
        let dropped = store.health.droppedChanges
        let began = processorTime()
        for (index, bytes) in batches.enumerated() {
            let expected = framesRead + UInt64(min(batch, count - index * batch))
            hear(bytes)
            // Under a tool that counts instructions it takes minutes: a link without answers to its heartbeats would be ended. An
            // answer is counted for one of the packets, which is then read in the next batch.
            while framesRead < expected { carry(milliseconds: 1) }
            try store.commit { _ in }
            if hasRules { rest() }
        }
        let spent = processorTime() - began
        guard store.health.droppedChanges == dropped else { throw Failure.dropped }
        return Double(spent) / Double(count)
    }

    /// Until no thread does anything for half a second: longer than rules wait from one look to the next.
    private func rest() {
        var before: Int64
        repeat {
            before = processorTime()
            usleep(500_000)
        } while processorTime() - before > 5_000
    }

    var framesRead: UInt64 { gateway.linkStatistics[0].framesRead }

    enum Failure: Error { case noSocket, noHandshake, dropped, late(String) }
}

/// Microseconds that the process has spent on a processor, without this thread's.
private func processorTime() -> Int64 {
    /// RUSAGE_THREAD, which the Swift module map does not have.
    let thisThread: Int32 = 1
    func spent(_ who: Int32) -> Int64 {
        var usage = rusage()
        getrusage(who, &usage)
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Int64(seconds) * 1_000_000 + Int64(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
    }
    return spent(RUSAGE_SELF.rawValue) - spent(thisThread)
}

private func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "re") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self).split(
        separator: " ")
    return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
}

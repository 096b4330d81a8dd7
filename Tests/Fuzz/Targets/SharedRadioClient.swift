import Gateway
import Glibc
import MeshModel
import MeshProtocol
import RadioShare

/// All that a client of the shared radio writes; the first byte says what it may do.
///
/// Whatever it is: what comes back are whole frames, and each packet and each heartbeat that a radio would have found in it
/// has one queue status.
final class SharedRadioClient: FuzzTarget {
    private static let inputs = 2_000
    private static let name = "shared.db"

    private let folder: String
    private var used = 0
    private var gateway: FuzzedGateway

    init(folder: String) throws {
        self.folder = folder
        gateway = try FuzzedGateway(path: "\(folder)/\(Self.name)")
    }

    deinit { gateway.stop() }

    func run(_ input: [UInt8]) throws {
        guard let first = input.first else { return }
        try renew()
        let right = ClientRight.allCases[Int(first % 3)]
        guard let client = SocketlessClient(of: gateway.gateway, gateway.source, right: right) else { return }
        // A flood is cut, of which nothing is to be said here.
        let bytes = input[1...].prefix(4096)
        client.say(bytes)
        try gateway.settle()
        let states = try statuses(in: client.takeTold())
        try check(states == due(to: bytes), "\(states) queue states for \(due(to: bytes)) packets and heartbeats")
    }

    private func renew() throws {
        used += 1
        guard used > Self.inputs else { return }
        used = 0
        gateway.stop()
        for ending in ["", "-wal", "-shm", ".lock"] { unlink("\(folder)/\(Self.name)\(ending)") }
        gateway = try FuzzedGateway(path: "\(folder)/\(Self.name)")
    }

    private func due(to bytes: ArraySlice<UInt8>) -> Int {
        var decoder = StreamDecoder { ToRadio(decoding: $0) }
        var count = 0
        bytes.withUnsafeBytes {
            decoder.feed($0, now: 0) { output in
                switch output {
                case .frame(.packet, _), .frame(.heartbeat, _): count += 1
                default: break
                }
            }
        }
        return count
    }

    private func statuses(in told: [UInt8]) throws -> Int {
        var decoder = StreamDecoder { FromRadio(decoding: $0) }
        var (count, garbage) = (0, 0)
        let take = { (output: StreamDecoder<FromRadio>.Output) in
            switch output {
            case .frame(.queueStatus, _): count += 1
            case .frame: break
            case .text(_, let raw): garbage += raw.count
            case .garbage(let bytes): garbage += bytes
            }
        }
        told.withUnsafeBytes { decoder.feed($0, now: 0, emit: take) }
        decoder.reset(emit: take)
        try check(garbage == 0, "\(garbage) bytes outside of frames")
        return count
    }
}

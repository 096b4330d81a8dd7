import Glibc

/// The parts of `deploy/bench` that run inside a Swift process. Each prints `name value` lines for the script's table.
@main
enum Bench {
    static func main() throws {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "fill" where arguments.count == 5:
            guard let nodes = UInt32(arguments[3]), let messages = UInt32(arguments[4]) else { usage() }
            try fill(database: arguments[2], nodes: nodes, messages: messages)
        case "stream" where arguments.count == 6:
            guard let kind = FrameKind(rawValue: arguments[3]), let nodes = Int(arguments[4]), nodes > 0,
                let count = Int(arguments[5])
            else { usage() }
            try writeStream(recordings: arguments[2], kind: kind, nodes: nodes, count: count)
        case "frames" where arguments.count == 7 || arguments.count == 8:
            guard let kind = FrameKind(rawValue: arguments[4]), let nodes = Int(arguments[5]), nodes > 0,
                let count = Int(arguments[6])
            else { usage() }
            try measureFrames(
                recordings: arguments[2], database: arguments[3], kind: kind, nodes: nodes, count: count,
                rules: arguments.count == 8 ? arguments[7] : nil)
        case "packets" where arguments.count == 7 || arguments.count == 8:
            guard let kind = FrameKind(rawValue: arguments[4]), let nodes = Int(arguments[5]), nodes > 0,
                let count = Int(arguments[6])
            else { usage() }
            try playCountedPackets(
                recordings: arguments[2], database: arguments[3], kind: kind, nodes: nodes, count: count,
                rules: arguments.count == 8 ? arguments[7] : nil)
        case "tokens" where arguments.count == 3:
            try measureTokens(database: arguments[2])
        case "start" where arguments.count > 3:
            guard let port = UInt16(arguments[2]) else { usage() }
            try measureStart(command: Array(arguments[3...]), port: port)
        case "command" where arguments.count > 4:
            guard let runs = Int(arguments[3]), runs > 0 else { usage() }
            try measureCommand(name: arguments[2], runs: runs, Array(arguments[4...]))
        case "mesh" where arguments.count == 5:
            guard let days = Int(arguments[3]), let megabytes = Int64(arguments[4]) else { usage() }
            try playBusyMesh(database: arguments[2], days: days, megabytes: megabytes)
        case "share" where arguments.count == 4:
            guard let nodes = Int(arguments[3]), nodes > 0 else { usage() }
            try measureShare(database: arguments[2], nodes: nodes)
        default: usage()
        }
    }

    private static func usage() -> Never {
        let text = """
            usage: bench fill DATABASE NODES MESSAGES
                   bench stream RECORDINGS repeated|text|telemetry NODES COUNT
                   bench frames RECORDINGS DATABASE repeated|text|telemetry NODES COUNT [FOLDER OF RULES]
                   bench packets RECORDINGS DATABASE repeated|text|telemetry NODES COUNT [FOLDER OF RULES]
                   bench tokens DATABASE
                   bench start PORT COMMAND...
                   bench command NAME RUNS COMMAND...
                   bench mesh DATABASE DAYS MEGABYTES
                   bench share DATABASE NODES

            """
        _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        exit(64)
    }
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    mutating func number(below limit: Int) -> Int { Int(next() % UInt64(limit)) }
}

/// Nanoseconds.
func monotonicTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func hostMilliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

import CRecordingDisk
import MeshModel
import Testing

@testable import Store

/// The disk is recorded, as in the rest of the suite.
extension APowerCutLosesNothingAcknowledged {
    /// At each instant the outbox of the targets is that of one moment between two steps: what was told waits for its target, or
    /// has been sent, or is counted in a summary that waits or has been sent.
    @Test(.timeLimit(.minutes(20))) func amidWhatTargetsAreTold() throws { try cutPower(amid: send(in:)) }

    /// The steps of the targets' thread, with what they leave and when it was on disk.
    private func send(in folder: Folder) throws -> [(instant: Int, state: OutboxState)] {
        let store = try Store(path: folder.database, groupInterval: 5_000_000, logPages: 100)
        defer { store.close() }
        let source = try store.commit { try $0.insert(.example) }
        var random = Seeded(seed &+ 1)
        var moments: [(instant: Int, state: OutboxState)] = []
        var (told, sent) = ([String: Int](), [String: Int]())
        func note() throws {
            let state = try OutboxState(store)
            #expect(state.counts.merging(sent, uniquingKeysWith: +) == told, "seed \(seed)")
            moments.append((recordingdisk_count(), state))
        }
        func count(_ dispatch: Dispatch, in counts: inout [String: Int]) {
            for one in dispatch.told { counts[one.rule, default: 0] += one.count }
        }
        for round in 0..<400 {
            let waiting = try store.readCommitted { try $0.dispatches(of: "phone") }
            switch Int(random.next() % 8) {
            case 0...3:
                var dispatches: [Dispatch] = []
                for number in 0...Int(random.next() % 6) {
                    let rule = number % 2 == 0 ? "battery" : "silent"
                    let row = FeedRow(
                        at: noon + Int64(round), in: source, type: rule, title: "\(round).\(number)", body: "x",
                        needs: [.node(channel: 0)], rule: rule)
                    dispatches.append(Dispatch(to: "phone", at: noon, row))
                }
                try store.commit { [dispatches] writer in
                    for dispatch in dispatches {
                        try writer.insert(dispatch.row)
                        try writer.insert(dispatch)
                    }
                }
                for dispatch in dispatches { count(dispatch, in: &told) }
            case 4, 5:
                guard let first = waiting.first else { continue }
                var row = TargetRow("phone")
                row.succeededAt = noon + Int64(round)
                try store.commit { [row] writer in
                    try writer.removeDispatch(first.id)
                    try writer.store(row)
                }
                count(first, in: &sent)
            case 6:
                guard waiting.count > 20 else { continue }
                try store.commit { _ = try $0.foldDispatches(of: "phone", sparing: [waiting[0].id], at: noon) }
            default:
                guard let first = waiting.first else { continue }
                try store.commit { try $0.moveDispatch(first.id, to: "mail", at: noon) }
            }
            try note()
        }
        return moments
    }
}

extension Dispatch {
    fileprivate var told: [DispatchCount] {
        isSummary ? counts : [DispatchCount(rule: row.rule ?? "", count: 1)]
    }
}

/// What waits, for whom, under which id.
private struct OutboxState: MomentState {
    var rows: [Dispatch] = []
    var targets: [TargetRow] = []

    init() {}

    init(_ store: Store) throws {
        (rows, targets) = try store.readCommitted { reader in
            (try ["mail", "phone"].flatMap { try reader.dispatches(of: $0) }, try reader.targets())
        }
    }

    /// How many of each rule wait, alone or in a summary.
    var counts: [String: Int] {
        rows.flatMap(\.told).reduce(into: [:]) { $0[$1.rule, default: 0] += $1.count }
    }
}

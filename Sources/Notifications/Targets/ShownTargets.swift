import Folders
import JSON
import Store

// The targets as they are shown: one shape for the command line and for REST (deploy/schemas/targets.json). What stands behind
// an address's host is a secret, and in none of them.

/// A target as its file and the daemon know it.
public struct ShownTarget: Sendable {
    public let name: String
    fileprivate let kind: String?
    /// Without its secrets, such as `https://ntfy.sh/...`.
    fileprivate let url: String?
    fileprivate let fallback: String?
    fileprivate let isInForce: Bool
    fileprivate let mistakes: [Mistake]
    fileprivate let progress: RunningTargets.Progress?

    /// - Parameters:
    ///   - inForce: nil: no version of it is.
    ///   - progress: nil: nothing is known yet.
    init(_ file: TargetFile, inForce: Target?, _ progress: RunningTargets.Progress?) {
        let target = inForce ?? file.target
        (name, mistakes, isInForce) = (file.name, file.mistakes, inForce != nil)
        (kind, url, fallback) = (target?.kind.word ?? file.word, target?.address.shown, target?.fallback)
        self.progress = progress
    }

    /// Notifications that are to be sent to it; not those that are held.
    public var waiting: Int { progress?.waiting ?? 0 }
    public var isFailing: Bool { progress?.isFailing ?? false }
}

extension RunningTargets {
    public var shown: ShownTargets { ShownTargets(state, in: folder, obstacle: obstacle, progress: progress) }
}

public struct ShownTargets: Sendable {
    /// By name.
    public let targets: [ShownTarget]
    fileprivate let folder: String
    fileprivate let mistakes: [Mistake]
    /// Why nothing can be sent at all.
    fileprivate let obstacle: Obstacle?

    /// - Parameter progress: of a target by its name.
    public init(
        _ state: RunningTargets.State, in folder: TargetsFolder, obstacle: Obstacle? = nil,
        progress: (String) -> RunningTargets.Progress?
    ) {
        targets = state.files.map { file in
            let inForce = state.inForce.first { $0.name == file.name }
            return ShownTarget(file, inForce: inForce, progress(file.name))
        }
        (self.folder, mistakes, self.obstacle) = (folder.path, state.mistakesOfFolder, obstacle)
    }
}

extension JSONWriter {
    /// The members behind `schema` and `via`.
    ///
    /// - Parameter held: ``Reader/heldCounts()``.
    public mutating func targets(_ shown: ShownTargets, _ wanted: RowsWanted, held: [String: Int]) {
        member("folder", wanted.showsFiles ? shown.folder : nil)
        member("obstacle", shown.obstacle?.text)
        key("targets")
        array { json in
            for target in shown.targets where wanted.includes(target.name) {
                json.target(target, held: held[target.name] ?? 0, showsFiles: wanted.showsFiles)
            }
        }
        mistakes(shown.mistakes, showsFiles: wanted.showsFiles)
    }

    private mutating func target(_ target: ShownTarget, held: Int, showsFiles: Bool) {
        let (progress, row) = (target.progress, target.progress?.row)
        object { json in
            json.member("name", target.name)
            json.member("kind", target.kind)
            json.member("url", target.url)
            json.member("fallback", target.fallback)
            json.member("inForce", target.isInForce)
            json.member("waiting", target.waiting)
            json.member("held", held)
            json.member("summaryAt", progress?.summaryAt.map { ISO8601.text($0) })
            json.member("failing", target.isFailing)
            json.member("failingSince", row?.failingSince.map { ISO8601.text($0) })
            json.member("succeededAt", row?.succeededAt.map { ISO8601.text($0) })
            json.member("error", row?.error)
            json.test(progress?.test)
            json.mistakes(target.mistakes, showsFiles: showsFiles)
        }
    }

    private mutating func test(_ test: RunningTargets.Test?) {
        key("test")
        guard let test else { return null() }
        object { json in
            json.member("at", ISO8601.text(test.at))
            json.member("state", test.error.map { $0.isEmpty ? "arrived" : "failed" } ?? "underway")
            json.member("error", test.error.flatMap { $0.isEmpty ? nil : $0 })
        }
    }
}

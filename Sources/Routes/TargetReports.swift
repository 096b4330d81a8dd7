import Folders
import JSON
import MeshModel
import Store

// The targets as they are shown: one shape for the command line and for REST (deploy/schemas/targets.json). What stands behind
// an address's host is a secret, and in none of them.

/// A target as its file and the daemon know it.
public struct TargetReport: Sendable {
    public let name: String
    public let kind: String?
    /// Without its secrets, such as `https://ntfy.sh/...`.
    public let url: String?
    public let fallback: String?
    public let isInForce: Bool
    public let mistakes: [Mistake]
    /// Rows that are to be sent, each as one notification; not those that are held.
    public var waiting = 0
    /// Nil: nothing is known yet.
    public var row: TargetRow?
    public var isFailing = false
    /// It gets no notifications.
    public var isAlive = false
    /// When what is over its allowance goes as a summary, in host milliseconds; nil: nothing is over.
    public var summaryAt: Int64?
    /// Host milliseconds of the last test, and why it failed: nil: it is under way; empty: it did not.
    public var test: (at: Int64, error: String?)?

    public init(
        name: String, kind: String?, url: String?, fallback: String?, isInForce: Bool, mistakes: [Mistake]
    ) {
        (self.name, self.kind, self.url, self.fallback) = (name, kind, url, fallback)
        (self.isInForce, self.mistakes) = (isInForce, mistakes)
    }
}

/// What the daemon's targets tell of themselves, and what they can be asked to do.
public struct TargetsDoor: Sendable {
    public struct Report: Sendable {
        public let folder: String
        public let targets: [TargetReport]
        /// Of the folder itself.
        public let mistakes: [Mistake]
        /// Why nothing can be sent at all.
        public let obstacle: Obstacle?

        public init(folder: String, targets: [TargetReport], mistakes: [Mistake], obstacle: Obstacle?) {
            (self.folder, self.targets, self.mistakes, self.obstacle) = (folder, targets, mistakes, obstacle)
        }
    }

    public let report: @Sendable () -> Report
    /// Reads the folder again.
    public let reload: @Sendable () -> Void
    /// False: there is no such target in force.
    public let test: @Sendable (String) -> Bool
    /// Before a test that somebody in the network asks for: seconds until there may be another one; nil: there may be one now,
    /// which counts.
    public let pause: @Sendable (String) -> Int?

    public init(
        report: @escaping @Sendable () -> Report, reload: @escaping @Sendable () -> Void,
        test: @escaping @Sendable (String) -> Bool, pause: @escaping @Sendable (String) -> Int? = { _ in nil }
    ) {
        (self.report, self.reload, self.test, self.pause) = (report, reload, test, pause)
    }
}

extension JSONWriter {
    /// The members behind schema and via.
    ///
    /// - Parameter held: ``Reader/heldCounts()``.
    public mutating func targets(
        _ report: TargetsDoor.Report?, named name: String? = nil, held: [String: Int], showsFiles: Bool
    ) {
        member("folder", showsFiles ? report?.folder : nil)
        member("obstacle", report?.obstacle?.text)
        key("targets")
        array { json in
            for target in report?.targets ?? [] where name == nil || target.name == name {
                json.target(target, held: held[target.name] ?? 0, showsFiles: showsFiles)
            }
        }
        key("mistakes")
        array { json in for mistake in report?.mistakes ?? [] { json.mistake(mistake, showsFiles: showsFiles) } }
    }

    private mutating func target(_ target: TargetReport, held: Int, showsFiles: Bool) {
        object { json in
            json.member("name", target.name)
            json.member("kind", target.kind)
            json.member("url", target.url)
            json.member("fallback", target.fallback)
            json.member("inForce", target.isInForce)
            json.member("waiting", target.waiting)
            json.member("held", held)
            json.member("summaryAt", target.summaryAt.map { ISO8601.text($0) })
            json.member("failing", target.isFailing)
            json.member("failingSince", target.row?.failingSince.map { ISO8601.text($0) })
            json.member("succeededAt", target.row?.succeededAt.map { ISO8601.text($0) })
            json.member("error", target.row?.error)
            json.key("test")
            if let test = target.test {
                json.object { json in
                    json.member("at", ISO8601.text(test.at))
                    json.member("state", test.error.map { $0.isEmpty ? "arrived" : "failed" } ?? "underway")
                    json.member("error", test.error.flatMap { $0.isEmpty ? nil : $0 })
                }
            } else {
                json.null()
            }
            json.key("mistakes")
            json.array { json in for mistake in target.mistakes { json.mistake(mistake, showsFiles: showsFiles) } }
        }
    }
}

extension APIError {
    public static func noTarget(_ name: String) -> APIError {
        .notFound("There is no target \"\(name)\" in force; mesh-gateway target list shows them")
    }
}

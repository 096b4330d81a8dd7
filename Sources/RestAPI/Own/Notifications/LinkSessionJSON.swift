import JSON
import MeshModel
import Store

/// A link to a radio, as it is listed.
struct ShownSession {
    let session: LinkSession
    let found: FoundSource
    let status: LinkSession.Status
    /// Host milliseconds.
    let lastEvent: Int64

    init(_ session: LinkSession, _ found: FoundSource, _ status: LinkSession.Status, lastEvent: Int64) {
        (self.session, self.found, self.status, self.lastEvent) = (session, found, status, lastEvent)
    }
}

extension LinkSession {
    /// "USB /dev/ttyACM0, firmware 2.7.26"
    fileprivate var title: String? { way.map { $0.utf8.first == UInt8(ascii: "/") ? "USB \($0)" : $0 } }
}

extension JSONWriter {
    /// One row of `sessions`.
    mutating func session(_ shown: ShownSession) {
        let (session, source) = (shown.session, shown.found.source)
        object { json in
            json.member("session_id", sessionID(source.uuid, session.firstRow))
            json.member("device_id", source.uuid)
            json.member("started_at", ISO8601.text(session.startedAt))
            json.member("last_event", ISO8601.text(shown.lastEvent))
            json.member("status", shown.status.rawValue)
            json.null("cwd")
            if let title = session.title { json.member("title", title) }
            json.member("device_name", source.name)
            json.member("platform", "linux")
        }
    }

    /// One row of a session's `events`.
    mutating func sessionEvent(_ happening: Happening) {
        object { json in
            json.member("id", happening.id)
            json.member("hook_event_name", happening.hookEvent)
            json.member("timestamp", ISO8601.text(happening.at))
            json.null("tool_name")
            json.member("notification_type", happening.type)
            json.member("message", happening.message)
        }
    }
}

extension Happening {
    fileprivate var hookEvent: String {
        switch kind {
        case .link: name == LinkState.live.name ? "SessionStart" : "SessionEnd"
        default: "Notification"
        }
    }

    /// In kebab-case; nil if ``hookEvent`` says it.
    fileprivate var type: String? {
        switch kind {
        case .link: nil
        case .problem, .key, .renamed: name
        case .solved: "solved"
        case .clockSet: "clock-set"
        case .disk: Problem.Kind.diskFailing.rawValue
        case .restart, .notice, .started, .stopped: "\(kind)"
        }
    }

    private var words: String? {
        switch kind {
        case .solved: "\(name ?? "problem"): that is over"
        case .clockSet: "The host's clock was set from \(ISO8601.text(since ?? at)) to \(ISO8601.text(at))"
        // Without the kernel's words, which name files.
        case .disk: "Nothing could be stored from \(ISO8601.text(since ?? at)) to \(ISO8601.text(at))"
        case .started: "The gateway has started"
        case .stopped: "The gateway was stopped"
        case .link, .problem, .restart, .notice, .key, .renamed: text
        }
    }

    /// For people.
    fileprivate var message: String? {
        guard let count, count > 1 else { return words }
        return (words.map { "\($0) " } ?? "") + "(\(count) times since \(ISO8601.text(since ?? at)))"
    }
}

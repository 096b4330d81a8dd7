import Folders
import JSON

/// An Apprise API server: it tells services whose addresses we have, or those that it keeps under a key.
struct AppriseServer: FileReceiver {
    static let word = "apprise"
    static let example = "http://HOST:8000/notify/KEY"
    static let keys = ["urls-file", "tag"]
    static let allowance = Allowance.ofPhones

    let urls: [String]
    let tag: String?

    init(urls: [String], tag: String?) { (self.urls, self.tag) = (urls, tag) }

    static func check(_ address: WebAddress) throws(BadValue) {
        let parts = address.path.split(separator: "/", omittingEmptySubsequences: true)
        guard let place = parts.lastIndex(of: "notify"), place >= parts.count - 2, address.query.isEmpty else {
            throw BadValue(
                "url: it ends with /notify or /notify/KEY; write for example: http://HOST:8000/notify/KEY")
        }
    }

    init(_ file: inout TargetFile.Reading) throws(BadValue) {
        let path = file.address.path
        let isKept = !path.hasSuffix("/notify") && !path.hasSuffix("/notify/")
        let (services, tag) = (file["urls-file"], file["tag"])
        urls = services.flatMap { file.secret($0) }.map(Self.lines) ?? []
        self.tag = tag?.value
        if isKept, let services {
            file.refuse(
                "the server keeps the services of this key itself; take urls-file out, or end the url with /notify",
                services)
        }
        if !isKept, services == nil {
            throw BadValue(
                "without a key behind /notify it needs urls-file, a file with the address of a service a line")
        }
        if !isKept, let tag {
            file.refuse("tag chooses among the services that the server keeps under a key; take the line out", tag)
        }
    }

    private static func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { String($0.drop { $0 == " " }) }.filter {
            !$0.isEmpty && $0.first != "#"
        }
    }

    func tell(_ told: Outgoing, by request: inout HTTPRequest, at now: Int64) {
        request.headers += [("Content-Type", "application/json"), ("Accept", "application/json")]
        var json = JSONWriter(capacity: 1024)
        json.object { json in
            if !told.body.isEmpty { json.member("title", told.title) }
            let body = told.body.isEmpty ? told.title : told.body
            json.member("body", told.link.map { "\(body)\n\($0)" } ?? body)
            json.member("type", told.appriseType)
            json.member("format", "text")
            if !urls.isEmpty {
                json.key("urls")
                json.array { json in for url in urls { json.value(url) } }
            }
            if let tag { json.member("tag", tag) }
        }
        request.body = json.bytes
    }

    func meaning(of answer: HTTPAnswer) -> AnswerMeaning? {
        switch answer.status {
        case 204: .refused("the Apprise server has no service for it: its key is not known there")
        case 424: .partly("a service behind it has failed, or there is none with this tag")
        default: nil
        }
    }
}

extension Outgoing {
    /// A state that has begun is to be looked at, whatever its priority.
    var appriseType: String {
        switch state {
        case .ends: "success"
        case .begins, .lasts: "warning"
        case nil: priority == .high ? "warning" : "info"
        }
    }
}

extension Target.Kind {
    static func apprise(urls: [String], tag: String?) -> Self { Self(AppriseServer(urls: urls, tag: tag)) }
}

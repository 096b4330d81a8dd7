import Foundation

@testable import StrictJSON

/// What MeshMonitor 4.15.1 answered to one request, after it had been attached to a radio that played a recording.
///
/// `answers.jsonl.gz` has an answer a line. `SOURCE` stands for the source's id, `TOKEN` for the token, `ETAG` for the tag
/// of the answer to the same path, `FIRST` and `LAST` for the oldest and the newest packet. Left out were the values of
/// `ETag`, headers other than `Content-Type`, bodies in HTML and YAML, and a body that is that of another answer.
struct RecordedAnswer {
    let recording: String
    let method: String
    let path: String
    let hasToken: Bool
    let headers: [(name: String, value: String)]
    let body: String?
    let status: Int
    let type: String?
    let isTagged: Bool
    /// Nil: none was kept.
    let answer: StrictJSON?

    fileprivate init(_ line: StrictJSON, sameAs others: [RecordedAnswer]) throws {
        guard let recording = line["recording"]?.string, let request = line["request"],
            let method = request["method"]?.string, let path = request["path"]?.string,
            let hasToken = request["token"]?.bool, let status = line["status"]?.integer,
            let isTagged = line["tagged"]?.bool
        else { throw Failure.malformed }
        (self.recording, self.method, self.path, self.hasToken) = (recording, method, path, hasToken)
        (self.status, self.isTagged, type) = (status, isTagged, line["type"]?.string)
        headers = (request["headers"]?.keys ?? []).map { ($0, request["headers"]?[$0]?.string ?? "") }
        body = request["body"].map { _ in "{}" }
        if let place = line["sameAs"]?.integer {
            answer = others.filter { $0.recording == recording }[place].answer
        } else {
            answer = type?.hasPrefix("text/html") == true ? nil : line["body"]
        }
    }

    enum Failure: Error { case malformed, notUnpacked }

    /// By the recording.
    static let all = Result { Dictionary(grouping: try read(), by: \.recording) }
    static let recordings = ((try? all.get()) ?? [:]).keys.sorted()

    static func read() throws -> [RecordedAnswer] {
        let gzip = Process()
        gzip.executableURL = URL(filePath: "/usr/bin/env")
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "answers.jsonl.gz")
        gzip.arguments = ["gzip", "-dc", file.path]
        let output = Pipe()
        gzip.standardOutput = output
        try gzip.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        gzip.waitUntilExit()
        guard gzip.terminationStatus == 0 else { throw Failure.notUnpacked }
        var answers: [RecordedAnswer] = []
        // In the file, an answer that another one is the same as may come later.
        var waiting: [(Int, StrictJSON)] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let line = try StrictJSON(line)
            if line["sameAs"] != nil { waiting.append((answers.count, line)) }
            answers.append(try RecordedAnswer(line.without("sameAs"), sameAs: []))
        }
        for (place, line) in waiting { answers[place] = try RecordedAnswer(line, sameAs: answers) }
        return answers
    }
}

extension StrictJSON {
    func without(_ key: String) -> StrictJSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.key != key })
    }
}

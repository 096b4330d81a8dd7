import Glibc
import Platform

// Requests go out through the program curl, one process each:
//
//     name --getaddrinfo, in a thread--> addresses --checked--> resolve = "*:443:192.0.2.7"
//     configuration --standard input--> curl -q --config -  <--descriptor 3-- body
//                                         | standard output: head, blank line, body
//                                         '--> at most 64 kB are read, for at most 30 s
//
// 1. Secrets are in no argument and in no environment, where other users could read them.
// 2. curl connects to the address that was checked: it looks up no name itself.
// 3. Redirects are not followed: they could lead anywhere.

struct Curl: Sendable {
    /// Nanoseconds for the whole request, including the lookup.
    static let patience: UInt64 = 30_000_000_000
    private static let longestAnswer = 65_536

    /// The program's path.
    var path = "/usr/bin/curl"
    var patience = Curl.patience
    /// The addresses of a host, until a time, unless a descriptor is readable before.
    var lookup: @Sendable (String, UInt64, Int32?) -> [NetworkAddress]? = {
        NameLookup.addresses(of: $0, until: $1, cancelled: $2)
    }

    /// - Parameter cancelled: a descriptor; when it is readable, the request is given up.
    func send(_ request: HTTPRequest, cancelled: Int32? = nil) -> HTTPOutcome {
        // Before a lookup that would be for nothing.
        guard isThere else { return .failed(.noCurl) }
        let deadline = MonotonicClock.nanoseconds() + patience
        let reached = request.proxy ?? request.address
        guard let found = lookup(reached.host, deadline, cancelled) else {
            return .failed(Self.isCancelled(cancelled) ? .stopped : .lookupTooSlow(reached.host))
        }
        guard !found.isEmpty else { return .failed(.unknownHost(reached.host)) }
        let refusals = found.map { request.refusal(of: $0) }
        let addresses = zip(found, refusals).filter { $1 == nil }.map(\.0)
        guard !addresses.isEmpty else { return .failed(refusals[0]!) }
        let left = Double(deadline - min(deadline, MonotonicClock.nanoseconds())) / 1_000_000_000
        let configuration = Self.configuration(request, addresses, seconds: max(1, left))
        return run(configuration, request, until: deadline, cancelled: cancelled)
    }

    // MARK: curl's configuration

    static func configuration(_ request: HTTPRequest, _ addresses: [NetworkAddress], seconds: Double) -> String {
        let reached = request.proxy ?? request.address
        var lines = [
            option("url", request.address.text), "silent", "include", "globoff", request.isHTTP2 ? "http2" : "http1.1",
            "suppress-connect-headers",
            option("proto", "=http,https"), option("user-agent", "mesh-gateway"), option("connect-timeout", "10"),
            option("max-time", "\(seconds)"), option("write-out", "\n\(Self.mark)%{ssl_verify_result}\n"),
            option("resolve", "*:\(reached.port):\(addresses.map(\.text).joined(separator: ","))"),
        ]
        if let proxy = request.proxy {
            lines.append(option("proxy", proxy.textWithPort))
            lines.append(option("noproxy", ""))
        } else {
            lines.append(option("noproxy", "*"))
        }
        if let authority = request.authority { lines.append(option("cacert", authority)) }
        for header in request.headers { lines.append(option("header", "\(header.name): \(header.value)")) }
        if request.body != nil { lines.append(option("data-binary", "@/dev/fd/3")) }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Comes before the number of a certificate's error, after all other output.
    private static let mark = "certificate="

    private static func option(_ name: String, _ value: String) -> String {
        let quoted = value.map { character in
            switch character {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\n": "\\n"
            default: String(character)
            }
        }
        return "\(name) = \"\(quoted.joined())\""
    }

    // MARK: the process

    private func run(
        _ configuration: String, _ request: HTTPRequest, until deadline: UInt64, cancelled: Int32?
    ) -> HTTPOutcome {
        var open: Set<Int32> = []
        defer { for descriptor in open { close(descriptor) } }
        func pipe() -> (out: Int32, into: Int32)? {
            var ends: [Int32] = [0, 0]
            guard Subprocess.pipe(&ends) else { return nil }
            open.formUnion(ends)
            return (ends[0], ends[1])
        }
        func done(_ descriptor: Int32) { if open.remove(descriptor) != nil { close(descriptor) } }
        guard let input = pipe(), let output = pipe(), let body = pipe() else {
            return .failed(.system(errorText(errno)))
        }
        // A pipe takes 64 kB at once; the configuration and the body are shorter.
        guard Self.fill(input.into, Array(configuration.utf8)), Self.fill(body.into, request.body ?? []) else {
            return .failed(.system("the request is too long"))
        }
        done(input.into)
        done(body.into)
        var descriptors = [STDIN_FILENO: input.out, STDOUT_FILENO: output.into]
        if request.body != nil { descriptors[3] = body.out }
        guard let process = Subprocess.start([path, "-q", "--config", "-"], descriptors: descriptors, environment: [])
        else { return .failed(errno == ENOENT ? .noCurl : .system(errorText(errno))) }
        for descriptor in [input.out, output.into, body.out] { done(descriptor) }
        let said = Subprocess.read(output.out, atMost: Self.longestAnswer, until: deadline, cancelled: cancelled)
        if said.end != .closed { kill(process, SIGKILL) }
        let end = Subprocess.wait(for: process)
        if said.end == .cancelled { return .failed(.stopped) }
        return Self.outcome(
            said, end, host: (request.proxy ?? request.address).host, keepsBody: request.keepsBody)
    }

    private static func isCancelled(_ descriptor: Int32?) -> Bool {
        var entry = pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    private static func fill(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        setNonBlocking(descriptor)
        return writeAll(bytes, to: descriptor) == 0
    }

    /// An answer counts once its head has come, whatever becomes of its body.
    static func outcome(
        _ said: Subprocess.Output, _ end: Subprocess.End, host: String, keepsBody: Bool = false
    ) -> HTTPOutcome {
        if let head = HTTPHead(said.bytes) {
            let body = keepsBody ? body(of: said.bytes, after: head) : []
            return .answered(status: head.status, retryAfter: head.retryAfter, body: body)
        }
        if said.end == .late { return .failed(.tooSlow(host: host)) }
        switch end {
        case .signal where said.end == .full: return .failed(.curl(code: 1, certificate: 0, host: host))
        case .signal(let signal): return .failed(.ended(signal: signal))
        case .exit(2): return .failed(.oldCurl)
        case .exit(let code):
            let text = String(decoding: said.bytes.suffix(64), as: UTF8.self)
            let number = text.split(separator: "\n").last.map { $0.dropFirst(mark.count) }.flatMap { Int($0) }
            return .failed(.curl(code: code == 0 ? 1 : code, certificate: number ?? 0, host: host))
        }
    }

    private static let longestBody = 4_096

    /// Without what curl itself writes at the end; empty if there is more than anybody reads.
    private static func body(of bytes: [UInt8], after head: HTTPHead) -> [UInt8] {
        let ours = Array("\n\(mark)".utf8)
        let body = bytes[head.count...]
        guard body.count <= longestBody + 64 else { return [] }
        let end = body.indices.last { body[$0...].starts(with: ours) } ?? body.endIndex
        return Array(body[..<end].prefix(longestBody))
    }
}

/// The head of an answer.
struct HTTPHead: Hashable, Sendable {
    let status: Int
    /// The header's value; nil if there is none, or it is longer than 100 bytes.
    let retryAfter: String?
    /// Its bytes, with provisional ones before it.
    let count: Int

    /// nil if the head is incomplete, or is not one. Provisional ones (100, 103) before it are skipped.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while true {
            var (lines, isWhole) = ([Substring](), false)
            while !isWhole, let end = rest.firstIndex(of: 0x0A) {
                let line = rest[..<end].last == 0x0D ? rest[..<end].dropLast() : rest[..<end]
                rest = rest[(end + 1)...]
                isWhole = line.isEmpty
                lines.append(Substring(decoding: line, as: UTF8.self))
            }
            let words = lines.first?.split(separator: " ") ?? []
            guard isWhole, let version = words.first, version.hasPrefix("HTTP/"), words.count >= 2,
                words[1].utf8.count == 3,
                let status = Int(words[1]), status >= 100
            else { return nil }
            if status < 200 { continue }
            self.status = status
            count = bytes.count - rest.count
            let header = lines.dropFirst().first { $0.lowercased().hasPrefix("retry-after:") }
            let value = header.map { $0.dropFirst("retry-after:".count).drop { $0 == " " || $0 == "\t" } }
            retryAfter = value.flatMap { $0.utf8.count <= 100 ? String($0) : nil }
            return
        }
    }
}

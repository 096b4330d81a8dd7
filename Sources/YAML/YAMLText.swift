import CYAML

/// One value of a YAML text, and where it stands.
public struct YAMLValue: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        case key(String)
        /// From 0.
        case element(Int)
    }

    public enum Content: Hashable, Sendable {
        case text(String)
        /// `null`, `~`, or nothing behind the colon.
        case nothing
        case emptyList, emptyMapping
    }

    /// From the outermost mapping in.
    public var path: [Step]
    public var content: Content
    /// From 1.
    public var line: Int

    /// The path's keys; an element of a list is `[0]`.
    public var words: [String] {
        path.map { step in
            switch step {
            case .key(let key): key
            case .element(let place): "[\(place)]"
            }
        }
    }

    /// Nil: there is none. An empty list is an empty text.
    public var text: String? {
        switch content {
        case .text(let text): text
        case .emptyList: ""
        case .nothing, .emptyMapping: nil
        }
    }
}

/// Why a text is not read.
public enum YAMLError: Error, Equatable {
    /// libyaml cannot be loaded; the text says why.
    case noLibrary(String)
    case tooLong
    case notUTF8(line: Int)
    /// In the library's words.
    case malformed(String, line: Int)
    /// An alias, an anchor or a tag.
    case refused(String, line: Int)
    case tooDeep(line: Int)
    /// A key that is no text.
    case strangeKey(line: Int)
    case twice(key: String, line: Int)
    /// A second document.
    case second(line: Int)
    /// It is a list, or one value.
    case noMapping(line: Int)

    /// Nil: it is about the text as a whole.
    public var line: Int? {
        switch self {
        case .noLibrary, .tooLong: nil
        case .notUTF8(let line), .malformed(_, let line), .refused(_, let line), .tooDeep(let line),
            .strangeKey(let line), .twice(_, let line), .second(let line), .noMapping(let line):
            line
        }
    }
}

/// YAML as files of settings need it: mappings, lists and plain values, read from libyaml's events as they come.
///
/// What makes a small text large, or a value into something else, is refused: aliases, anchors, tags and depth. So the work is
/// bounded by the length of the text.
public enum YAML {
    /// Bytes.
    public static let longest = 256 << 10
    /// Mappings and lists within each other.
    public static let deepest = 8

    public static func values(of bytes: [UInt8]) throws(YAMLError) -> [YAMLValue] {
        guard bytes.count <= longest else { throw .tooLong }
        if let place = firstBadByte(bytes) {
            throw .notUTF8(line: 1 + bytes[..<place].count { $0 == UInt8(ascii: "\n") })
        }
        if let reason = mg_yaml_load() { throw .noLibrary(String(cString: reason)) }
        var reading = Reading()
        var failure: YAMLError?
        bytes.withUnsafeBytes { bytes in
            // An empty text has no address.
            guard let reader = mg_yaml_new(bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1), bytes.count) else {
                failure = .malformed("there is no memory for it", line: 1)
                return
            }
            defer { mg_yaml_free(reader) }
            do throws(YAMLError) { try reading.read(reader) } catch { failure = error }
        }
        // What is missing at the end is missing behind the last line, where nobody can look.
        if case .malformed(let reason, let line) = failure {
            let lines = bytes.count { $0 == UInt8(ascii: "\n") } + (bytes.last == UInt8(ascii: "\n") ? 0 : 1)
            throw .malformed(reason, line: max(1, min(line, lines)))
        }
        if let failure { throw failure }
        return reading.values
    }

    private static func firstBadByte(_ bytes: [UInt8]) -> Int? {
        guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
        // The longest beginning that is a text, found by halves; what it cuts through is up to three bytes.
        var (good, bad) = (0, bytes.count)
        while bad - good > 1 {
            let middle = (good + bad) / 2
            let isText = (0...3).contains { cut in
                middle >= cut && String(validating: bytes[..<(middle - cut)], as: UTF8.self) != nil
            }
            if isText { good = middle } else { bad = middle }
        }
        return good
    }
}

/// What of a text has been read.
private struct Reading {
    /// A mapping or a list that is open.
    private struct Level {
        var isMapping: Bool
        /// Keys that it has had.
        var keys: Set<String> = []
        /// Of a mapping: the one whose value comes next.
        var key: String?
        /// So many values have begun.
        var count = 0
        let line: Int
    }

    private(set) var values: [YAMLValue] = []
    private var levels: [Level] = []
    private var hasDocument = false

    mutating func read(_ reader: OpaquePointer) throws(YAMLError) {
        var (event, problem) = (mg_yaml_event(), mg_yaml_problem())
        repeat {
            guard mg_yaml_next(reader, &event, &problem) else {
                throw .malformed(String(cString: problem.text), line: Int(problem.line))
            }
            try take(event)
        } while event.kind != MG_YAML_STREAM_END
    }

    private mutating func take(_ event: mg_yaml_event) throws(YAMLError) {
        let line = Int(event.line)
        if event.has_anchor { throw .refused("an anchor (&)", line: line) }
        if event.has_tag { throw .refused("a tag (!)", line: line) }
        switch event.kind {
        case MG_YAML_ALIAS: throw .refused("an alias (*)", line: line)
        case MG_YAML_DOCUMENT:
            if hasDocument { throw .second(line: line) }
            hasDocument = true
        case MG_YAML_SCALAR: try takeScalar(event, line)
        case MG_YAML_MAPPING, MG_YAML_SEQUENCE:
            let isMapping = event.kind == MG_YAML_MAPPING
            if levels.isEmpty, !isMapping { throw .noMapping(line: line) }
            guard levels.count < YAML.deepest else { throw .tooDeep(line: line) }
            try beginValue(line)
            levels.append(Level(isMapping: isMapping, line: line))
        case MG_YAML_MAPPING_END, MG_YAML_SEQUENCE_END:
            let ended = levels.removeLast()
            if ended.count == 0, !levels.isEmpty {
                add(ended.isMapping ? .emptyMapping : .emptyList, ended.line)
            }
            endValue()
        default: break
        }
    }

    private mutating func takeScalar(_ event: mg_yaml_event, _ line: Int) throws(YAMLError) {
        let text = String(decoding: UnsafeRawBufferPointer(start: event.value, count: event.length), as: UTF8.self)
        guard let last = levels.indices.last else {
            // A text of comments alone has an empty value.
            if text.isEmpty, event.is_plain { return }
            throw .noMapping(line: line)
        }
        if levels[last].isMapping, levels[last].key == nil {
            guard levels[last].keys.insert(text).inserted else { throw .twice(key: text, line: line) }
            levels[last].key = text
            levels[last].count += 1
            return
        }
        try beginValue(line)
        let isNothing = event.is_plain && ["", "~", "null", "Null", "NULL"].contains(text)
        add(isNothing ? .nothing : .text(text), line)
        endValue()
    }

    private mutating func add(_ content: YAMLValue.Content, _ line: Int) {
        let path = levels.map { $0.isMapping ? YAMLValue.Step.key($0.key ?? "") : .element($0.count - 1) }
        values.append(YAMLValue(path: path, content: content, line: line))
    }

    /// A value of the innermost level begins.
    private mutating func beginValue(_ line: Int) throws(YAMLError) {
        guard let last = levels.indices.last else { return }
        if !levels[last].isMapping {
            levels[last].count += 1
        } else if levels[last].key == nil {
            throw .strangeKey(line: line)
        }
    }

    /// It is over.
    private mutating func endValue() {
        if let last = levels.indices.last { levels[last].key = nil }
    }
}

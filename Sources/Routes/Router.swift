/// Finds the endpoint of a path. Letter case of fixed words and a slash at the end do not matter (Contract 2.1).
public struct Router: Sendable {
    /// What can follow a part of a path. An object, so that neither making the router nor a request copies what is below.
    ///
    /// `@unchecked Sendable`: nobody changes one once the router is made.
    private final class Place: @unchecked Sendable {
        var words: [String: Place] = [:]
        var parameter: Place?
        var target: Target?

        /// - Parameter segment: of an endpoint's path.
        func place(behind segment: Slice<UnsafeBufferPointer<UInt8>>) -> Place {
            if segment.first == UInt8(ascii: "{") {
                let next = parameter ?? Place()
                parameter = next
                return next
            }
            let word = Router.lowercased(String(decoding: segment, as: UTF8.self))
            if let next = words[word] { return next }
            let next = Place()
            words[word] = next
            return next
        }
    }

    public struct Target: Sendable {
        /// One for each method, and there are few: a dictionary for each of three hundred paths takes longer to make than to
        /// ask.
        public fileprivate(set) var endpoints: [Endpoint]
        /// The first parameter names the source.
        public fileprivate(set) var namesSource: Bool

        public subscript(method: Endpoint.Method) -> Endpoint? { endpoints.first { $0.method == method } }
    }

    public struct Match {
        public let target: Target
        /// As the path names it; nil: it names none.
        public let source: String?
        public let parameters: [String]
    }

    private let root = Place()

    public init(_ endpoints: [Endpoint]) {
        for endpoint in endpoints {
            add(endpoint, endpoint.path, namesSource: endpoint.isPerSource)
            guard endpoint.isPerSource else { continue }
            let rest = Substring(endpoint.path.utf8.dropFirst(Endpoint.sourcePrefix.utf8.count))
            add(endpoint, "/api/v1" + rest, namesSource: false)
        }
    }

    private func add(_ endpoint: Endpoint, _ path: String, namesSource: Bool) {
        var path = path
        // By the bytes themselves: to find where a character ends takes as long as all the rest.
        let place = path.withUTF8 { bytes in
            bytes.split(separator: UInt8(ascii: "/")).reduce(root) { $0.place(behind: $1) }
        }
        guard place.target != nil else {
            place.target = Target(endpoints: [endpoint], namesSource: namesSource)
            return
        }
        precondition(place.target?[endpoint.method] == nil, "two endpoints answer \(path)")
        place.target?.endpoints.append(endpoint)
        place.target?.namesSource = namesSource
    }

    /// - Parameter segments: The path cut at its slashes and percent-decoded, without an empty one at the end.
    public func match(_ segments: [String]) -> Match? {
        var parameters: [String] = []
        guard let target = Self.target(from: root, segments[...], &parameters) else { return nil }
        guard target.namesSource else { return Match(target: target, source: nil, parameters: parameters) }
        let source = parameters.removeFirst()
        return Match(target: target, source: source, parameters: parameters)
    }

    /// A fixed word wins over a parameter, unless the path ends nowhere behind it.
    private static func target(
        from place: Place, _ path: ArraySlice<String>, _ parameters: inout [String]
    ) -> Target? {
        guard let segment = path.first else { return place.target }
        let rest = path.dropFirst()
        if let next = place.words[lowercased(segment)], let found = target(from: next, rest, &parameters) {
            return found
        }
        guard let next = place.parameter else { return nil }
        parameters.append(segment)
        if let found = target(from: next, rest, &parameters) { return found }
        parameters.removeLast()
        return nil
    }

    /// ASCII only: fixed words have no other letters.
    public static func lowercased(_ segment: String) -> String {
        guard segment.utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return segment }
        return String(decoding: segment.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

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
        func place(behind segment: Substring.UTF8View) -> Place {
            if segment.first == UInt8(ascii: "{") {
                let next = parameter ?? Place()
                parameter = next
                return next
            }
            let word = Router.lowercased(String(Substring(segment)))
            if let next = words[word] { return next }
            let next = Place()
            words[word] = next
            return next
        }
    }

    public struct Target: Sendable {
        public var endpoints: [Endpoint.Method: Endpoint] = [:]
        /// The first parameter names the source.
        public var namesSource = false
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
            add(endpoint, "/api/v1" + endpoint.path.dropFirst(Endpoint.sourcePrefix.count), namesSource: false)
        }
    }

    private func add(_ endpoint: Endpoint, _ path: String, namesSource: Bool) {
        // By bytes: to find where a character ends takes as long as all the rest.
        let place = path.utf8.split(separator: UInt8(ascii: "/")).reduce(root) { $0.place(behind: $1) }
        precondition(place.target?.endpoints[endpoint.method] == nil, "two endpoints answer \(path)")
        if place.target == nil { place.target = Target() }
        place.target?.endpoints[endpoint.method] = endpoint
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

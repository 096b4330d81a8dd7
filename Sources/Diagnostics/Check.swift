/// One question that `mesh-gateway doctor` asks, and the function that answers it.
public struct Check: Sendable {
    public enum Status: String, Sendable { case ok, warning, fault, skipped }

    /// What a check has found.
    public struct Finding: Hashable, Sendable {
        public var status: Status
        /// One sentence: what is so, and for what is wrong, why that matters.
        public var message: String
        /// A command to type; nil where nothing has to be mended, or no command mends it.
        public var fix: String?

        public static func ok(_ message: String) -> Finding { Finding(status: .ok, message: message) }

        public static func warning(_ message: String, fix: String?) -> Finding {
            Finding(status: .warning, message: message, fix: fix)
        }

        public static func fault(_ message: String, fix: String?) -> Finding {
            Finding(status: .fault, message: message, fix: fix)
        }

        /// - Parameter fix: what would let the check see more.
        public static func skipped(_ message: String, fix: String? = nil) -> Finding {
            Finding(status: .skipped, message: message, fix: fix)
        }
    }

    /// Kebab-case and stable: programs look for it.
    public let name: String
    let find: @Sendable (Facts) -> Finding

    public init(_ name: String, _ find: @escaping @Sendable (Facts) -> Finding) {
        self.name = name
        self.find = find
    }

    public func finding(_ facts: Facts) -> Finding { find(facts) }

    /// All of them, in the order in which a person reads them: the gateway, the way to the radio, the radio, its mesh, the
    /// database, the computer.
    public static let all: [Check] =
        gatewayChecks + ruleChecks + targetChecks + pushChecks + brokerChecks + certificateChecks + shareChecks
        + portChecks
        + radioChecks + trafficChecks
        + keyChecks
        + nodeChecks + databaseChecks
        + hostChecks
}

extension Check.Finding {
    /// What of several findings counts: the worst status, and what all that have it say.
    ///
    /// - Parameter names: whose each one is; put in front where there are several.
    static func worst(_ findings: [Check.Finding], names: [String]) -> Check.Finding {
        guard findings.count > 1 else { return findings.first ?? .skipped("There is no radio to ask about.") }
        let order: [Check.Status] = [.skipped, .ok, .warning, .fault]
        let worst = order.last { status in findings.contains { $0.status == status } } ?? .skipped
        let those = zip(names, findings).filter { $0.1.status == worst }
        return Check.Finding(
            status: worst, message: those.map { "\($0.0): \($0.1.message)" }.joined(separator: " "),
            fix: those.lazy.compactMap(\.1.fix).first)
    }
}

/// Names that Apple gives.
enum AppleNames {
    static let allowedIDs = "the 10 capital letters and digits that Apple shows"
    static let allowedTopics = "the app's bundle id, such as org.example.mesh"

    /// Of a key or of a team.
    static func id(_ text: String) -> String? {
        let isOne = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        return isOne && text.utf8.count == 10 ? text : nil
    }

    /// Of an app.
    static func topic(_ text: String) -> String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let areNames = parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || $0 == 0x2D
                }
        }
        return areNames && parts.count > 1 && text.utf8.count <= 155 ? text : nil
    }
}

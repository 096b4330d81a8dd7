/// Numbers with dots in between, such as 2.7.26; what follows the third is a name, such as a commit.
struct Version: Comparable, CustomStringConvertible {
    var major: Int
    var minor: Int
    var patch: Int
    /// Empty when there is none.
    var build: String

    init(_ major: Int, _ minor: Int, _ patch: Int) {
        (self.major, self.minor, self.patch, build) = (major, minor, patch, "")
    }

    init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        let numbers = parts.prefix(3).compactMap { Int($0) }
        guard parts.count >= 3, numbers.count == 3, numbers.allSatisfy({ (0...100_000).contains($0) }) else {
            return nil
        }
        (major, minor, patch) = (numbers[0], numbers[1], numbers[2])
        build = parts.count > 3 ? String(parts[3]) : ""
    }

    var description: String { "\(major).\(minor).\(patch)" + (build.isEmpty ? "" : ".\(build)") }

    static func < (a: Version, b: Version) -> Bool { (a.major, a.minor, a.patch) < (b.major, b.minor, b.patch) }
    static func == (a: Version, b: Version) -> Bool { (a.major, a.minor, a.patch) == (b.major, b.minor, b.patch) }
}

/// What is known to be wrong with a version of the radio's firmware (its project's issues and release history).
struct FirmwareFault {
    var text: String
    /// Else this gateway lives with it.
    var isWorthAnUpdate: Bool
    private var applies: @Sendable (Version) -> Bool

    private init(
        _ text: String, isWorthAnUpdate: Bool = false, _ applies: @escaping @Sendable (Version) -> Bool
    ) {
        self.text = text
        self.isWorthAnUpdate = isWorthAnUpdate
        self.applies = applies
    }

    static func of(_ version: Version) -> [FirmwareFault] { all.filter { $0.applies(version) } }

    private static let all = [
        FirmwareFault("It is older than 2.7, and nothing here was tried with it.", isWorthAnUpdate: true) {
            $0 < Version(2, 7, 0)
        },
        FirmwareFault(
            "Texts that come too soon after one another are dropped silently, and a radio that hangs cannot be told "
                + "from a quiet one.", isWorthAnUpdate: true
        ) { (Version(2, 7, 0)..<Version(2, 7, 4)).contains($0) },
        FirmwareFault(
            "It takes direct messages for genuine that were only encrypted with the channel's key.",
            isWorthAnUpdate: true
        ) { (Version(2, 7, 0)..<Version(2, 7, 14)).contains($0) },
        FirmwareFault(
            "A direct message to a node without a known key is sent readable for the whole channel.",
            isWorthAnUpdate: true
        ) { (Version(2, 7, 0)..<Version(2, 7, 19)).contains($0) },
        FirmwareFault("This development build stalls on serial consoles (issue 11164).", isWorthAnUpdate: true) {
            $0 == Version(2, 8, 0) && $0.build.hasPrefix("512154f")
        },
        FirmwareFault(
            "This development build loses answers to changes of its settings.", isWorthAnUpdate: true
        ) { $0 == Version(2, 8, 0) && $0.build.hasPrefix("d6b12ea") },
        FirmwareFault("Its log gets between and into frames (issue 10975).") {
            (Version(2, 7, 0)...Version(2, 7, 26)).contains($0)
        },
        FirmwareFault(
            "An ESP32-S3 restarts about 97 s after the last program has left its USB port (issue 10955)."
        ) { (Version(2, 7, 0)...Version(2, 7, 26)).contains($0) },
    ]
}

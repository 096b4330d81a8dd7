import Folders

/// An address that is called while all is well, such as a check of healthchecks.io: it tells somebody when the calls stop.
struct AliveCall: FileReceiver {
    static let word = "alive"
    static let example = "https://hc-ping.com/UUID"
    static let keys = ["every"]
    static let isTold = false

    private let milliseconds: Int64

    var every: Int64? { milliseconds }

    init(every: Int64) { milliseconds = every }

    init(_ file: inout TargetFile.Reading) throws(BadValue) {
        guard let setting = file["every"] else {
            milliseconds = 300_000
            return
        }
        do throws(BadValue) {
            milliseconds = try TargetFile.time(setting, 30_000...86_400_000, "30s to 1d")
        } catch {
            file.refuse(error.text, setting)
            milliseconds = 86_400_000
        }
    }

    /// The call says it.
    func tell(_ told: Outgoing, by request: inout HTTPRequest, at now: Int64) {}
}

extension Target.Kind {
    static func alive(every: Int64) -> Self { Self(AliveCall(every: every)) }
}

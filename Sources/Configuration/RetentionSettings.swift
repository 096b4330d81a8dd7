import Platform

/// How long something is kept.
public struct KeepingTime: Sendable, Equatable {
    /// Hours, 1...876000; nil: for ever.
    public let hours: Int?

    public static let forever = KeepingTime(hours: nil)

    public init(hours: Int?) { self.hours = hours }

    public static func days(_ count: Int) -> KeepingTime { KeepingTime(hours: count * 24) }

    static let allowed = "a number of hours, days or weeks, such as 12h, 30d or 8w, or forever"

    /// "30d" or "forever"; nil for anything else.
    public init?(_ text: String) {
        let text = text.lowercased()
        if text == "forever" {
            self = .forever
            return
        }
        let hour: Int64 = 3_600_000
        guard let time = TimeSpan.milliseconds(text, units: "hdw", in: hour...876_000 * hour) else { return nil }
        self.init(hours: Int(time / hour))
    }
}

/// How large the database may become.
public struct DatabaseSize: Sendable, Equatable {
    /// 1000000...1000000000000; nil: as large as it likes.
    public let bytes: Int64?

    public static let unlimited = DatabaseSize(bytes: nil)

    public init(bytes: Int64?) { self.bytes = bytes }

    static let allowed = "a size of at least 1 MB, such as 200 MB or 2 GB, or unlimited"

    /// "200 MB", with or without the blank, or "unlimited"; nil for anything else.
    public init?(_ text: String) {
        let text = text.lowercased()
        if text == "unlimited" {
            self = .unlimited
            return
        }
        let bytesOfUnits = ["mb": 1_000_000 as Int64, "gb": 1_000_000_000]
        var number = text.dropLast(2)
        if number.last == " " { number.removeLast() }
        guard let unit = bytesOfUnits[String(text.suffix(2))], let count = Int(digits: number),
            (1...1_000_000_000_000 / unit).contains(Int64(count))
        else { return nil }
        self.init(bytes: Int64(count) * unit)
    }
}

extension Int {
    /// Without a sign.
    fileprivate init?(digits: Substring) {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.init(digits)
    }
}

import Glibc

/// How far a time zone is ahead of UTC, at each moment.
struct LocalZone: Sendable {
    /// Seconds ahead, at seconds since 1970.
    let offset: @Sendable (Int64) -> Int64
    /// Reads the zone again, as somebody may have changed it.
    var refresh: @Sendable () -> Void = {}

    init(offset: @escaping @Sendable (Int64) -> Int64) { self.offset = offset }

    /// The host's zone. The C library keeps the one that it read first until ``refresh``.
    static let host: LocalZone = {
        var zone = LocalZone { time in
            var (seconds, parts) = (time_t(time), tm())
            guard localtime_r(&seconds, &parts) != nil else { return 0 }
            return Int64(parts.tm_gmtoff)
        }
        zone.refresh = { tzset() }
        return zone
    }()

    private static let day: Int64 = 86_400

    /// When the clocks show a local time: the first time if they show it twice, the moment of the jump if they skip it.
    ///
    /// - Parameter local: the local time as seconds since 1970, as if it were UTC.
    func moment(of local: Int64) -> Int64 {
        // No zone is a day away, and none changes twice in two days.
        let (before, after) = (offset(local - Self.day), offset(local + Self.day))
        for ahead in [max(before, after), min(before, after)] where offset(local - ahead) == ahead {
            return local - ahead
        }
        var (early, late) = (local - Self.day, local + Self.day)
        while late - early > 1 {
            let middle = (early + late) / 2
            if offset(middle) == before { early = middle } else { late = middle }
        }
        return late
    }
}

import MeshModel

/// A time by both clocks.
public struct Moment: Hashable, Sendable {
    /// Host milliseconds since 1970. The host's clock may be set at any time.
    public var at: Int64
    /// Milliseconds of a clock that is never set.
    public var uptime: Int64

    public init(at: Int64, uptime: Int64) { (self.at, self.uptime) = (at, uptime) }

    /// Whether the host's clock has been set at all.
    var isSure: Bool { at >= PlausibleTime.earliestMilliseconds }

    /// Whether the host's clock was set between the two.
    func isSet(since last: Moment) -> Bool { abs(at - last.at - (uptime - last.uptime)) > 10_000 }
}

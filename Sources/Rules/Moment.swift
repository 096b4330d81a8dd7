import MeshModel

/// What the clocks say.
public struct Moment: Hashable, Sendable {
    /// Host milliseconds since 1970. Somebody may have set them.
    public var at: Int64
    /// Milliseconds that nobody sets.
    public var uptime: Int64

    public init(at: Int64, uptime: Int64) { (self.at, self.uptime) = (at, uptime) }

    /// The host's clock has been set at all.
    var isSure: Bool { at >= PlausibleTime.earliestMilliseconds }

    /// Somebody has set the host's clock between the two.
    func isSet(since last: Moment) -> Bool { abs(at - last.at - (uptime - last.uptime)) > 10_000 }
}

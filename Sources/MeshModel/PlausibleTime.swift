/// What a clock says that has never been set: 1970, or somewhat later.
public enum PlausibleTime {
    /// 2020-01-01 in seconds since 1970. A radio or a host without a clock reports less.
    public static let earliest: Int64 = 1_577_836_800

    /// The same in milliseconds.
    public static let earliestMilliseconds = earliest * 1000
}

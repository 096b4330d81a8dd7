extension Float {
    /// The double with the same shortest decimal digits: 4.05 stays 4.05 on its way through the database, instead of
    /// becoming 4.050000190734863.
    public var decimalDouble: Double { Double(description) ?? Double(self) }
}

/// A type that a word of the command line can be.
public protocol ExpressibleByArgument {
    /// Nil: the word is none.
    init?(argument: String)
    /// As it is typed.
    var argumentText: String { get }
    /// The only values that there are; empty: there are others.
    static var allValues: [String] { get }
}

extension ExpressibleByArgument {
    public static var allValues: [String] { [] }
    static var completion: CompletionKind? { allValues.isEmpty ? nil : .list(allValues) }
}

extension String: ExpressibleByArgument {
    public init?(argument: String) { self = argument }
    public var argumentText: String { self }
}

extension ExpressibleByArgument where Self: LosslessStringConvertible {
    public init?(argument: String) { self.init(argument) }
    public var argumentText: String { description }
}

extension Int: ExpressibleByArgument {}
extension UInt16: ExpressibleByArgument {}
extension UInt64: ExpressibleByArgument {}
extension Double: ExpressibleByArgument {}

extension ExpressibleByArgument where Self: RawRepresentable & CaseIterable, RawValue == String {
    public init?(argument: String) { self.init(rawValue: argument) }
    public var argumentText: String { rawValue }
    public static var allValues: [String] { allCases.map(\.rawValue) }
}

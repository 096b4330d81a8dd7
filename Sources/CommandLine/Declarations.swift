/// A property that parameters are read into.
protocol Declaration {
    /// - Parameter property: its name.
    func parameters(declaredBy property: String) -> [CommandParameter]
    /// Its own check of the values.
    func validate() throws
}

extension Declaration {
    func validate() throws {}
}

/// A declaration with the name of its property.
struct DeclaredProperty {
    let name: String
    let declaration: any Declaration
}

extension ParsableArguments {
    /// In the order in which they are declared.
    var declaredProperties: [DeclaredProperty] {
        Mirror(reflecting: self).children.compactMap { child in
            guard let label = child.label, let declaration = child.value as? any Declaration else { return nil }
            // The wrapper of a property `limit` is stored as `_limit`.
            return DeclaredProperty(name: String(label.dropFirst()), declaration: declaration)
        }
    }

    var parameters: [CommandParameter] { declaredProperties.parameters }
}

extension [DeclaredProperty] {
    var parameters: [CommandParameter] { flatMap { $0.declaration.parameters(declaredBy: $0.name) } }

    /// What each of them says of its values.
    func validate() throws {
        for property in self { try property.declaration.validate() }
    }
}

/// A value that the property and what reads the command line share.
final class Slot<Value> {
    /// Nil: a required one that has not been read yet.
    var value: Value?
    init(_ value: Value?) { self.value = value }
}

/// The parameter that a property declares, in an object: a command is a structure of such properties, and what copies and
/// destroys one is code for each field of each of them. That was 0.4 MB.
final class DeclaredParameter {
    private let parameter: CommandParameter

    init(_ parameter: CommandParameter) { self.parameter = parameter }

    func parameters(declaredBy property: String) -> [CommandParameter] { [parameter.declared(by: property)] }
}

/// `--name value`. A value that begins with a dash is written `--name=-5`.
@propertyWrapper public struct Option<Value>: Declaration {
    private let slot: Slot<Value>
    private let declared: DeclaredParameter

    public var wrappedValue: Value { slot.value! }

    func parameters(declaredBy property: String) -> [CommandParameter] { declared.parameters(declaredBy: property) }
}

extension Option {
    /// With a default.
    public init(
        wrappedValue: Value, name: NameSpecification = .long, help: ArgumentHelp = "", completion: CompletionKind? = nil
    ) where Value: ExpressibleByArgument {
        slot = Slot(wrappedValue)
        var parameter = CommandParameter(.option, name, help, completion ?? Value.completion, store: slot.store)
        parameter.defaultText = wrappedValue.argumentText
        parameter.allValues = Value.allValues
        declared = DeclaredParameter(parameter)
    }

    /// Nil without it.
    public init<Wrapped: ExpressibleByArgument>(
        name: NameSpecification = .long, help: ArgumentHelp = "", completion: CompletionKind? = nil
    ) where Value == Wrapped? {
        slot = Slot(.some(nil))
        var parameter = CommandParameter(.option, name, help, completion ?? Wrapped.completion, store: slot.store)
        parameter.allValues = Wrapped.allValues
        declared = DeclaredParameter(parameter)
    }

    /// May be repeated.
    public init<Element: ExpressibleByArgument>(
        wrappedValue: [Element], name: NameSpecification = .long, help: ArgumentHelp = "",
        completion: CompletionKind? = nil
    ) where Value == [Element] {
        slot = Slot(wrappedValue)
        var parameter = CommandParameter(.option, name, help, completion ?? Element.completion, store: slot.appender())
        parameter.isRepeating = true
        parameter.allValues = Element.allValues
        declared = DeclaredParameter(parameter)
    }
}

/// `--name`, which is there or not.
@propertyWrapper public struct Flag: Declaration {
    private let slot = Slot(false)
    private let declared: DeclaredParameter

    public var wrappedValue: Bool { slot.value! }

    /// - Parameter wrappedValue: false. What is on without being named is no flag.
    public init(wrappedValue: Bool, name: NameSpecification = .long, help: ArgumentHelp = "") {
        precondition(!wrappedValue, "a flag is off until it is named")
        declared = DeclaredParameter(
            CommandParameter(.flag, name, help) { [slot] _ in
                slot.value = true
                return true
            })
    }

    func parameters(declaredBy property: String) -> [CommandParameter] { declared.parameters(declaredBy: property) }
}

/// A word that is known by its place.
@propertyWrapper public struct Argument<Value>: Declaration {
    private let slot: Slot<Value>
    private let declared: DeclaredParameter

    /// What is required is there when a command runs.
    public var wrappedValue: Value { slot.value! }

    func parameters(declaredBy property: String) -> [CommandParameter] { declared.parameters(declaredBy: property) }
}

extension Argument {
    /// Required.
    public init(help: ArgumentHelp = "", completion: CompletionKind? = nil) where Value: ExpressibleByArgument {
        slot = Slot(nil)
        var parameter = CommandParameter(.positional, .long, help, completion ?? Value.completion, store: slot.store)
        parameter.isOptional = false
        parameter.allValues = Value.allValues
        declared = DeclaredParameter(parameter)
    }

    /// Nil without it.
    public init<Wrapped: ExpressibleByArgument>(help: ArgumentHelp = "", completion: CompletionKind? = nil)
    where Value == Wrapped? {
        slot = Slot(.some(nil))
        var parameter = CommandParameter(.positional, .long, help, completion ?? Wrapped.completion, store: slot.store)
        parameter.allValues = Wrapped.allValues
        declared = DeclaredParameter(parameter)
    }

    /// All that remain, none of them needed.
    public init<Element: ExpressibleByArgument>(
        wrappedValue: [Element], help: ArgumentHelp = "", completion: CompletionKind? = nil
    ) where Value == [Element] {
        self.init(wrappedValue, help, completion, isOptional: true)
    }

    /// All that remain, one at least.
    public init<Element: ExpressibleByArgument>(help: ArgumentHelp = "", completion: CompletionKind? = nil)
    where Value == [Element] {
        self.init([], help, completion, isOptional: false)
    }

    private init<Element: ExpressibleByArgument>(
        _ initial: [Element], _ help: ArgumentHelp, _ completion: CompletionKind?, isOptional: Bool
    ) where Value == [Element] {
        slot = Slot(initial)
        var parameter = CommandParameter(
            .positional, .long, help, completion ?? Element.completion, store: slot.appender())
        parameter.isOptional = isOptional
        parameter.isRepeating = true
        parameter.allValues = Element.allValues
        declared = DeclaredParameter(parameter)
    }
}

/// Parameters that several commands share.
@propertyWrapper public struct OptionGroup<Group: ParsableArguments>: Declaration {
    public let wrappedValue: Group
    private let members: [DeclaredProperty]

    public init() {
        wrappedValue = Group()
        members = wrappedValue.declaredProperties
    }

    func parameters(declaredBy property: String) -> [CommandParameter] { members.parameters }

    func validate() throws {
        try members.validate()
        try wrappedValue.validate()
    }
}

extension Slot where Value: ExpressibleByArgument {
    func store(_ word: String) -> Bool {
        guard let read = Value(argument: word) else { return false }
        value = read
        return true
    }
}

extension Slot {
    func store<Wrapped: ExpressibleByArgument>(_ word: String) -> Bool where Value == Wrapped? {
        guard let read = Wrapped(argument: word) else { return false }
        value = .some(read)
        return true
    }

    /// The first word takes the place of the default.
    func appender<Element: ExpressibleByArgument>() -> (String) -> Bool where Value == [Element] {
        var isDefault = true
        return { [self] word in
            guard let read = Element(argument: word) else { return false }
            if isDefault { value = [] }
            isDefault = false
            value!.append(read)
            return true
        }
    }
}

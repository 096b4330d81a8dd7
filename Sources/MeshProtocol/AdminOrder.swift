import MeshModel

/// What a client asks or orders with an AdminMessage. It can hold every secret of a radio; no description shows it.
public struct AdminOrder: Sendable, CustomStringConvertible, CustomReflectable {
    /// What has to be known of an order before it is obeyed.
    public enum Kind: Sendable {
        /// Changes nothing.
        case getter
        /// The radio's clock.
        case clock
        case begin, commit
        /// What users do with nodes every day: favourites, ignored and muted ones.
        case everyday
        /// The radio's settings and memory of nodes, and its restart.
        case setting
        /// What takes the radio away from its owner, or is unknown here.
        case forbidden
    }

    /// The field number in AdminMessage.
    public let variant: UInt32
    private let field: WireField

    /// - Parameter payload: of an ADMIN packet. Nil: it is no AdminMessage, or several at once: the radio would obey the
    ///   last one.
    public init?(_ payload: [UInt8]) {
        guard let fields = WireField.all(in: payload[...]) else { return nil }
        let orders = fields.filter { $0.number != Self.passkey }
        guard orders.count == 1, fields.count <= 2 else { return nil }
        (variant, field) = (orders[0].number, orders[0])
    }

    static let passkey: UInt32 = 101

    public var description: String { "order \(variant)" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The numbers are those of AdminMessage (SerialReference 4.14); what clients may do of it: SerialReference 12.3.
    public var kind: Kind {
        switch variant {
        case 1, 3, 5, 7, 10, 12, 14, 16, 19, 44: .getter
        case 43: .clock
        case 64: .begin
        case 65: .commit
        case 39, 40, 47, 48, 49: .everyday
        case 32...38, 41, 42, 46, 66, 97, 100: .setting
        default: .forbidden
        }
    }

    /// The radio restarts; in so many seconds.
    public var reboot: Int? { variant == 97 ? Int(Int32(truncatingIfNeeded: Int64(bitPattern: field.varint))) : nil }

    /// The section that is to be written.
    public var section: SettingsSection? {
        switch variant {
        case 32: return SettingsSection(.owner, Array(field.content))
        case 34: return section(.config)
        case 35: return section(.module)
        case 46: return SettingsSection(.userInterface, Array(field.content))
        default: return nil
        }
    }

    private func section(_ kind: SettingsName.Kind) -> SettingsSection? {
        guard let inner = WireField.all(in: field.content), inner.count == 1, inner[0].isLengthDelimited,
            let name = SettingsName.section(kind, inner[0].number)
        else { return nil }
        return SettingsSection(name, Array(inner[0].content))
    }

    /// The channel that is to be written.
    public var channel: RadioChannel? { variant == 33 ? RadioChannel(Array(field.content)) : nil }

    /// What a getter asks for; nil for orders and for getters that ask for nothing with a number.
    var asked: ShownSettings.Part? {
        switch variant {
        case 1: field.varint > 0 ? .init(.channel, UInt32(truncatingIfNeeded: field.varint - 1)) : nil
        case 3: .init(.owner)
        // The types count from 0, the sections' fields from 1.
        case 5: .init(.config, UInt32(truncatingIfNeeded: field.varint &+ 1))
        case 7: .init(.module, UInt32(truncatingIfNeeded: field.varint &+ 1))
        case 10: .init(.cannedMessages)
        case 12: .init(.metadata)
        case 14: .init(.ringtone)
        case 44: .init(.userInterface)
        default: nil
        }
    }

    /// Names what a getter asks for, however it is spelled.
    public struct Subject: Hashable, Sendable {
        fileprivate let variant: UInt32
        /// Of a channel or a section.
        fileprivate let number: UInt32
    }

    public var subject: Subject {
        let isNumbered = [1, 5, 7].contains(variant)
        return Subject(variant: variant, number: isNumbered ? UInt32(truncatingIfNeeded: field.varint) : 0)
    }

    /// The node that it is about.
    public var node: NodeNumber? {
        guard [38, 39, 40, 47, 48, 49].contains(variant), field.isVarint else { return nil }
        return NodeNumber(UInt32(truncatingIfNeeded: field.varint))
    }

    /// How the radio is connected, which changes by itself.
    public var asksForConnections: Bool { variant == 16 }

    /// Canned messages and ringtone: clients wait for the text for ever, whatever else they are answered.
    public var asksForText: Bool { variant == 10 || variant == 14 }

    /// The order for the attached radio, which needs no passkey.
    var payload: [UInt8] { Array(field.whole) }
}

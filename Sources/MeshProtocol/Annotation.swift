import JSON

/// What each byte of a message means, field by field, for a person who looks into a packet.
///
/// The fields stand in the order of their bytes; those of a nested message follow the field that holds it, one deeper.
/// Together they cover every byte once, whatever the bytes are: what is no field, or none that this version of the
/// protocol knows, is an entry of its own.
public struct Annotation: Hashable, Sendable {
    /// The messages whose bytes a person may have at hand.
    public enum Kind: String, CaseIterable, Sendable {
        case fromRadio = "FromRadio"
        case meshPacket = "MeshPacket"
        case toRadio = "ToRadio"
        case data = "Data"
    }

    public struct Field: Hashable, Sendable {
        /// Of its first byte.
        public var offset: Int
        /// Bytes; of a field with others inside, its key and length only.
        public var length: Int
        /// 0 for the fields of the outermost message.
        public var depth: Int
        /// Nil for bytes that are no field.
        public var number: UInt32?
        /// As in the protocol's definition; `?` when it has none.
        public var name: String
        /// `fixed32`, `bytes`, or the name of a message or enumeration.
        public var type: String
        /// For a person. Not yet neutralised for a terminal.
        public var value: String
        /// It holds a secret, or may: neither its bytes nor its value are shown.
        public var isHidden: Bool
    }

    public let kind: Kind
    public let bytes: [UInt8]
    public let fields: [Field]
    /// Bytes that this version of the protocol cannot explain.
    public let unexplained: Int

    public init(_ bytes: [UInt8], as kind: Kind) {
        var walk = AnnotationWalk(bytes)
        walk.run(kind)
        self.kind = kind
        self.bytes = bytes
        fields = walk.fields
        unexplained = walk.unexplained
    }

    /// Takes the bytes for the message that explains most of them.
    public init(guessing bytes: [UInt8]) {
        var best = Annotation(bytes, as: .fromRadio)
        for kind in Kind.allCases.dropFirst() where best.unexplained > 0 {
            let other = Annotation(bytes, as: kind)
            if other.unexplained < best.unexplained { best = other }
        }
        self = best
    }

    /// The bytes of a field in hexadecimal digits; `**` for each hidden one.
    public func hexadecimal(of field: Field) -> String {
        guard !field.isHidden else { return String(repeating: "**", count: field.length) }
        return JSON.hexadecimal(bytes[field.offset..<field.offset + field.length])
    }
}

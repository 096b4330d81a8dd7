import CMeshtastic
import Foundation
import MeshModel
import Testing

@Suite struct TheSchemaIsTheInventory {
    @Test func everyNameNumberTypeAndValue() throws {
        let wanted = Set(
            try Schema.inventory().map { $0.replacing(/\toneof=.*$/, with: "\toneof") })
        let compiled = Schema.compiled()
        #expect(wanted.count > 1700)
        #expect(compiled.subtracting(wanted).sorted() == [])
        #expect(wanted.subtracting(compiled).sorted() == [])
    }

    /// Two fields share a discriminator exactly when the inventory has them in one oneof.
    @Test func theSameFieldsExcludeEachOther() throws {
        let messages = Schema.messages()
        var oneofs: [String: Set<UInt32>] = [:]
        for fact in try Schema.inventory() where fact.contains("\toneof=") {
            let parts = fact.split(separator: "\t")
            oneofs["\(parts[1]) \(parts[5])", default: []].insert(try #require(UInt32(parts[2])))
        }
        var compiled: [String: Set<UInt32>] = [:]
        for (name, message) in messages {
            for field in Schema.fields(message) where Schema.has(PROTOBUF_C_FIELD_FLAG_ONEOF, field) {
                compiled["\(name) \(field.quantifier_offset)", default: []].insert(field.id)
            }
        }
        #expect(oneofs.count == 12)
        #expect(
            Set(compiled.map { "\($0.key.split(separator: " ")[0]) \($0.value.sorted())" })
                == Set(oneofs.map { "\($0.key.split(separator: " ")[0]) \($0.value.sorted())" }))
    }

    /// As proto3 does without saying so: unpacked numbers would be understood, but are not what a radio writes.
    @Test func repeatedNumbersArePacked() {
        var count = 0
        for message in Schema.messages().values {
            for field in Schema.fields(message) where field.label == PROTOBUF_C_LABEL_REPEATED {
                let isNumber = ![PROTOBUF_C_TYPE_STRING, PROTOBUF_C_TYPE_BYTES, PROTOBUF_C_TYPE_MESSAGE].contains(
                    field.type)
                #expect(Schema.has(PROTOBUF_C_FIELD_FLAG_PACKED, field) == isNumber)
                count += isNumber ? 1 : 0
            }
        }
        #expect(count == 8)
    }

    /// protobuf-c has no recursion limit: a message that could contain itself would let 512 bytes nest 250 deep, and a
    /// longer one overflow the stack.
    @Test func noMessageContainsItself() {
        let messages = Schema.messages()
        func depth(_ name: String, _ above: [String]) -> Int {
            guard !above.contains(name), let message = messages[name] else {
                Issue.record("\((above + [name]).joined(separator: " > "))")
                return 0
            }
            let inner = Schema.fields(message).compactMap { Schema.message(of: $0) }
            return 1 + (inner.map { depth(Schema.name($0.name), above + [name]) }.max() ?? 0)
        }
        for name in messages.keys { #expect(depth(name, []) <= 5) }
    }

    /// Every number of every telemetry message has a name of the API, and only the old one-wire list has none.
    @Test func everyMetricHasAName() throws {
        let messages = Schema.messages()
        let telemetry = try #require(messages["Telemetry"])
        for field in Schema.fields(telemetry) where field.id > 1 {
            let kind = try #require(Telemetry.Kind(rawValue: field.id))
            let metrics = Schema.fields(try #require(Schema.message(of: field))).filter {
                $0.type != PROTOBUF_C_TYPE_STRING && $0.label != PROTOBUF_C_LABEL_REPEATED
            }
            #expect(metrics.map(\.id) == kind.metrics.map(\.field))
            #expect(metrics.map { String(cString: $0.name) } == kind.metrics.map(\.fieldName))
            #expect(Set(kind.metrics.map(\.name)).count == metrics.count)
        }
    }
}

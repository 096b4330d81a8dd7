import CMeshtastic
import MeshModel

// About a hundred numbers in eight messages: instead of a line of code for each, the metrics messages are read and
// written by way of protobuf-c's descriptors and the table in MeshModel.

extension Telemetry {
    /// Nil when the message holds no kind that we know, as a bare request does.
    init?(_ m: Meshtastic__Telemetry) {
        guard let kind = Kind(rawValue: m.variant_case.rawValue), let metrics = m.device_metrics else { return nil }
        // The members of the oneof are all pointers, so any of them names the same address.
        self.init(kind: kind, metrics: metrics)
        time = m.time == 0 ? nil : m.time
        if kind == .host, let user = m.host_metrics.pointee.user_string { text = textField(user) }
    }

    /// Reads the metrics message at `metrics`, which is of `kind`'s type. Only what was sent, and only finite numbers.
    init(kind: Kind, metrics: UnsafeRawPointer) {
        var values: [Value] = []
        for slot in MetricSlot.slots(of: kind) {
            if let value = slot.read(metrics) { values.append(Value(slot.name, value)) }
        }
        if kind == .environment {
            values += Self.oldOneWireValues(
                metrics.assumingMemoryBound(to: Meshtastic__EnvironmentMetrics.self).pointee)
        }
        self.init(kind: kind, values: values)
    }

    /// The repeated field of 2.7, under the names of the single fields that came after it.
    private static func oldOneWireValues(_ m: Meshtastic__EnvironmentMetrics) -> [Value] {
        if m.has_one_wire_temperature_ch0 != 0 { return [] }
        return copy(m.one_wire_temperature, m.n_one_wire_temperature).prefix(8).enumerated()
            .filter { $0.element.isFinite }
            .map { Value("oneWireTemperatureCh\($0.offset)", $0.element.decimalDouble) }
    }

    /// Writes the values into a metrics message of this kind's type; names of another kind are left out.
    func fill<M>(_ message: inout M) {
        withUnsafeMutableBytes(of: &message) { fill($0.baseAddress!) }
    }

    private func fill(_ message: UnsafeMutableRawPointer) {
        for slot in MetricSlot.slots(of: kind) {
            if let value = self[slot.name] { slot.write(value, message) }
        }
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__Telemetry> {
        arena.make(meshtastic__telemetry__init) { m in
            (m.has_time, m.time) = implicit(time ?? 0)
            m.variant_case = .init(rawValue: kind.rawValue)
            switch kind {
            case .device: m.device_metrics = arena.make(meshtastic__device_metrics__init, fill)
            case .environment: m.environment_metrics = arena.make(meshtastic__environment_metrics__init, fill)
            case .airQuality: m.air_quality_metrics = arena.make(meshtastic__air_quality_metrics__init, fill)
            case .power: m.power_metrics = arena.make(meshtastic__power_metrics__init, fill)
            case .localStats: m.local_stats = arena.make(meshtastic__local_stats__init, fill)
            case .health: m.health_metrics = arena.make(meshtastic__health_metrics__init, fill)
            case .host:
                m.host_metrics = arena.make(meshtastic__host_metrics__init) { host in
                    fill(&host)
                    host.user_string = text.flatMap(arena.string)
                }
            case .trafficManagement:
                m.traffic_management_stats = arena.make(meshtastic__traffic_management_stats__init, fill)
            case .soilWater: m.soil_water_metrics = arena.make(meshtastic__soil_water_metrics__init, fill)
            }
        }
    }

    /// The payload of a TELEMETRY packet.
    public func encoded() -> [UInt8] { packed(wire) }
}

/// Where one metric lies in its message's struct.
private struct MetricSlot: Sendable {
    enum Number { case uint32, int32, uint64, float }

    var name: String
    var number: Number
    var has: Int
    var value: Int

    func read(_ message: UnsafeRawPointer) -> Double? {
        guard message.load(fromByteOffset: has, as: protobuf_c_boolean.self) != 0 else { return nil }
        switch number {
        case .uint32: return Double(message.load(fromByteOffset: value, as: UInt32.self))
        case .int32: return Double(message.load(fromByteOffset: value, as: Int32.self))
        case .uint64: return Double(message.load(fromByteOffset: value, as: UInt64.self))
        case .float:
            let float = message.load(fromByteOffset: value, as: Float.self)
            return float.isFinite ? float.decimalDouble : nil
        }
    }

    func write(_ number: Double, _ message: UnsafeMutableRawPointer) {
        message.storeBytes(of: 1, toByteOffset: has, as: protobuf_c_boolean.self)
        switch self.number {
        case .uint32: message.storeBytes(of: UInt32(clamping: number), toByteOffset: value, as: UInt32.self)
        case .int32: message.storeBytes(of: Int32(clamping: number), toByteOffset: value, as: Int32.self)
        case .uint64: message.storeBytes(of: UInt64(clamping: number), toByteOffset: value, as: UInt64.self)
        case .float: message.storeBytes(of: Float(number), toByteOffset: value, as: Float.self)
        }
    }

    static func slots(of kind: Telemetry.Kind) -> [MetricSlot] { all[Int(kind.rawValue)] }

    private static let all: [[MetricSlot]] = (0...Telemetry.Kind.soilWater.rawValue).map { number in
        Telemetry.Kind(rawValue: number).map(describe) ?? []
    }

    private static func describe(_ kind: Telemetry.Kind) -> [MetricSlot] {
        let descriptor = descriptor(of: kind)
        let fields = UnsafeBufferPointer(start: descriptor.pointee.fields, count: Int(descriptor.pointee.n_fields))
        return kind.metrics.compactMap { metric in
            guard let field = fields.first(where: { $0.id == metric.field }), let number = number(field.type) else {
                return nil
            }
            return MetricSlot(
                name: metric.name, number: number, has: Int(field.quantifier_offset), value: Int(field.offset))
        }
    }

    private static func number(_ type: ProtobufCType) -> Number? {
        switch type {
        case PROTOBUF_C_TYPE_UINT32: .uint32
        case PROTOBUF_C_TYPE_INT32: .int32
        case PROTOBUF_C_TYPE_UINT64: .uint64
        case PROTOBUF_C_TYPE_FLOAT: .float
        default: nil
        }
    }

    private static func descriptor(of kind: Telemetry.Kind) -> UnsafePointer<ProtobufCMessageDescriptor> {
        func of<M>(_ initialize: (UnsafeMutablePointer<M>?) -> Void) -> UnsafePointer<ProtobufCMessageDescriptor> {
            let message = UnsafeMutablePointer<M>.allocate(capacity: 1)
            defer { message.deallocate() }
            initialize(message)
            return UnsafeRawPointer(message).load(as: ProtobufCMessage.self).descriptor
        }
        switch kind {
        case .device: return of(meshtastic__device_metrics__init)
        case .environment: return of(meshtastic__environment_metrics__init)
        case .airQuality: return of(meshtastic__air_quality_metrics__init)
        case .power: return of(meshtastic__power_metrics__init)
        case .localStats: return of(meshtastic__local_stats__init)
        case .health: return of(meshtastic__health_metrics__init)
        case .host: return of(meshtastic__host_metrics__init)
        case .trafficManagement: return of(meshtastic__traffic_management_stats__init)
        case .soilWater: return of(meshtastic__soil_water_metrics__init)
        }
    }
}

extension FixedWidthInteger {
    /// The nearest number that fits; 0 for NaN.
    fileprivate init(clamping number: Double) {
        self = Self(exactly: number.rounded()) ?? (number > 0 ? .max : number < 0 ? .min : 0)
    }
}

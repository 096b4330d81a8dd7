import CMeshtastic
import Foundation
import MeshProtocol
import Testing

/// Every recorded frame, read with the compiled schema, holds what an independent decoder found in it.
@Suite struct NoFieldOfTheOraclesIsLost {
    /// The oracle's sections and the path of the field in FromRadio that they show: the last frame of that kind.
    @Test(arguments: Recording.all) func handshakes(_ recording: Recording) throws {
        let oracle = try recording.oracle()
        let frames = try recording.listen().frames
        var problems = try compareLast(frames, "my_info", oracle["my_info"])
        problems += try compareLast(frames, "metadata", oracle["metadata"])
        problems += try compareLast(frames, "deviceuiConfig", oracle["deviceui"])
        problems += try compareLast(frames, "region_presets", oracle["region_presets"])
        let (config, configProblems) = try compareSections(frames, "config", oracle["config"])
        let (modules, moduleProblems) = try compareSections(frames, "moduleConfig", oracle["module_config"])
        problems += configProblems + moduleProblems
        let channels = try #require(oracle["channels"] as? [[String: Any]])
        for channel in channels {
            let index = channel["index"] as? Int ?? 0
            problems += try compare(channel, frames.last { variant($0) == "channel" && channelIndex($0) == index })
        }
        #expect(problems == [])
        #expect(config == 10)
        #expect(modules >= 13)
        #expect(channels.count == 8)
    }

    /// The 2.7 oracles list all frames of a kind.
    @Test(arguments: Recording.all.filter { $0.name.hasPrefix("27-") }) func otherFrames(_ recording: Recording) throws
    {
        let others = try #require(try recording.oracle()["other"] as? [[String: Any]])
        for other in others {
            let raw = bytes(try #require(other["hex"] as? String))
            let json = try #require(other["msg"] as? [String: Any])
            #expect(
                withMessage(meshtastic__from_radio__descriptor, raw) { OracleComparison(json, $0, "other").problems }
                    == [])
        }
    }

    @Test(arguments: Recording.all.filter { $0.name.hasPrefix("27-") }) func nodes(_ recording: Recording) throws {
        let nodes = try #require(try recording.oracle()["nodes"] as? [[String: Any]])
        let frames = try recording.listen().frames.filter { variant($0) == "node_info" }
        for node in nodes {
            let found = frames.contains { frame in
                withMessage(meshtastic__from_radio__descriptor, frame) {
                    OracleComparison(["node_info": node], $0, "").problems.isEmpty
                } ?? false
            }
            #expect(found, "\(node)")
        }
    }

    private func compareLast(_ frames: [[UInt8]], _ kind: String, _ json: Any?) throws -> [String] {
        guard let json = json as? [String: Any] else { return [] }
        return try compare(json, frames.last { variant($0) == kind })
    }

    /// `json`: sections by name, or a list of them. Returns how many sections there were.
    private func compareSections(_ frames: [[UInt8]], _ kind: String, _ json: Any?) throws -> (Int, [String]) {
        let list = (json as? [[String: Any]]) ?? (json as? [String: Any])?.map { [$0.key: $0.value] } ?? []
        var problems: [String] = []
        var count = 0
        for section in list {
            guard let name = section.keys.first else { continue }
            count += 1
            let frame = frames.last { frame in
                variant(frame) == kind && (self.section(frame, name) ?? false)
            }
            problems += try compare(section, frame)
        }
        return (count, problems)
    }

    /// Holds what is inside the frame's variant against `json`.
    private func compare(_ json: [String: Any], _ frame: [UInt8]?) throws -> [String] {
        let frame = try #require(frame)
        return withMessage(meshtastic__from_radio__descriptor, frame) { message in
            OracleComparison([variant(frame) ?? "": json], message, "FromRadio").problems
        } ?? ["undecodable"]
    }

    private func section(_ frame: [UInt8], _ name: String) -> Bool? {
        withFromRadio(frame) { m in
            let inner = UnsafeRawPointer(m.config!).assumingMemoryBound(to: ProtobufCMessage.self)
            let fields = Schema.fields(inner.pointee.descriptor.pointee)
            guard let field = fields.first(where: { String(cString: $0.name) == name }) else { return false }
            return UnsafeRawPointer(inner).load(fromByteOffset: Int(field.quantifier_offset), as: UInt32.self)
                == field.id
        }
    }

    private func channelIndex(_ frame: [UInt8]) -> Int? { withFromRadio(frame) { Int($0.channel.pointee.index) } }
}

/// The schema's name of a frame's variant; nil without one.
func variant(_ frame: [UInt8]) -> String? {
    withFromRadio(frame) { m in
        protobuf_c_message_descriptor_get_field(m.base.descriptor, m.payload_variant_case.rawValue)
            .map { String(cString: $0.pointee.name) }
    } ?? nil
}

func withFromRadio<Result>(_ frame: [UInt8], _ body: (Meshtastic__FromRadio) -> Result) -> Result? {
    guard let message = meshtastic__from_radio__unpack(nil, frame.count, frame) else { return nil }
    defer { meshtastic__from_radio__free_unpacked(message, nil) }
    return body(message.pointee)
}

extension Listener {
    /// The payloads of all frames.
    var frames: [[UInt8]] {
        heard.compactMap { if case .frame(let payload) = $0 { payload } else { nil } }
    }
}

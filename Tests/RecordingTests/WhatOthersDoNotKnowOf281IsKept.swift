import ControlAPI
import Foundation
import HTTPServer
import MeshModel
import MeshProtocol
import Testing

/// Frames with everything that firmware 2.8.1 has added, by hand and as the simulated radio sends them. `explain` names each
/// field; the official package, whose definitions are older, loses nothing of what it does not know.
@Suite struct WhatOthersDoNotKnowOf281IsKept {
    private struct Read: Decodable {
        let frame: String
        let again: String
        let unknown: [String]
    }

    private static func path(_ name: String) -> String {
        RecordingFiles.folder.appendingPathComponent("\(name).capture").path
    }

    /// Payloads of the frames that came.
    private func frames(_ name: String) throws -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var decoder = StreamDecoder<FromRadio>(decode: { FromRadio(decoding: $0) })
        for entry in try RecordedStream(contentsOfFile: Self.path(name)).entries {
            guard case .received(let bytes) = entry.kind else { continue }
            bytes.withUnsafeBytes {
                decoder.feed($0, now: 0) { if case .frame(_, let raw) = $0 { frames.append(raw) } }
            }
        }
        return frames
    }

    /// What `mesh-gateway explain --hex` prints of a frame for programs: values by the fields' names.
    private func explained(_ frame: [UInt8]) throws -> [(name: String, value: String)] {
        guard case .bytes(let bytes) = ControlAPI.explanation(of: frame, preset: nil).body else {
            Issue.record("explain has no answer")
            return []
        }
        let page = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        #expect(page["unexplained"] as? Int == 0, "\(page)")
        return try #require(page["fields"] as? [[String: Any]]).map {
            ($0["name"] as? String ?? "?", $0["value"] as? String ?? "")
        }
    }

    /// Where it has a name there, and what it says. The order is that of the frames.
    @Test func explainNamesEachField() throws {
        let all = try frames("281-by-hand").map(explained)
        #expect(all.count == 16)
        func values(_ name: String) -> [String] { all.flatMap { $0 }.filter { $0.name == name }.map(\.value) }
        #expect(values("use_aead") == ["true"])
        #expect(values("heard_on_current_lora") == ["true", "false", "true", "false"])
        #expect(
            values("hw_model") == [
                "T_CONNECT_PRO (147)", "AXIOMETA_GENESIS_MINI (148)", "MAKERFABS_NOMAD_TERMINAL (149)",
                "THINKNODE_MX (150)",
            ])
        #expect(values("ack_proof") == ["8 bytes", "8 bytes", "8 bytes"])
        #expect(
            values("ack_proof_status") == [
                "ACK_PROOF_VALID (1)", "ACK_PROOF_INVALID (2)", "ACK_PROOF_NO_KEY (3)",
            ])
        #expect(values("original_id") == ["12288", "12288", "12287"])
        #expect(values("portnum").contains("PAGING_APP (38)"))
        let chemistry = [
            "soil_ph": "5.5", "ph": "7.25", "electrical_conductivity": "1.75", "salinity": "320.0", "nitrogen": "12.5",
            "phosphorus": "8.25", "potassium": "140.0", "dissolved_oxygen": "9.5", "orp": "210.0",
            "chemical_oxygen_demand": "18.0", "turbidity": "3.5", "nitrate": "11.25",
            "biochemical_oxygen_demand": "4.75",
            "solar_irradiance": "640.0",
        ]
        for (name, value) in chemistry { #expect(values(name) == [value], "\(name)") }
        #expect(values("ammonium") == ["0.5", "0.0"])
    }

    @Test func theSimulatedRadioSendsThem() throws {
        let all = try frames("281-simulated").flatMap(explained)
        func values(_ name: String) -> Set<String> { Set(all.filter { $0.name == name }.map(\.value)) }
        #expect(values("heard_on_current_lora") == ["true"])
        #expect(values("ack_proof_status") == ["ACK_PROOF_VALID (1)"] && values("ack_proof") == ["8 bytes"])
        #expect(!values("original_id").isEmpty && values("rr").contains("ROUTER_TEXT_BROADCAST (9)"))
        #expect(values("firmware_version") == ["\"2.8.1.5eed001\""])
    }

    /// MESSAGE.NUMBER or ENUM=NUMBER, all that the package 2.7.11 does not define.
    @Test(
        arguments: [
            (
                "281-by-hand",
                [
                    "ChannelSettings.8", "HardwareModel=147", "HardwareModel=148", "HardwareModel=149",
                    "HardwareModel=150",
                    "MeshPacket.23", "NodeInfo.15", "PortNum=38", "Routing.4", "StoreAndForward.6", "Telemetry.11",
                ]
            ), ("281-simulated", ["MeshPacket.23", "NodeInfo.15", "Routing.4", "StoreAndForward.6"]),
        ] as [(String, Set<String>)])
    func thePackageLosesNothing(_ name: String, _ unknown: Set<String>) throws {
        let known = try read(name)
        let ours = try frames(name)
        #expect(known.map(\.frame) == ours.map(hexadecimal), "it finds the same frames")
        // What firmware 2.8.0 had already, and the package has not, is in Differences.tsv.
        #expect(Set(known.flatMap(\.unknown)).isSuperset(of: unknown), "\(Set(known.flatMap(\.unknown)))")
        if name == "281-by-hand" { #expect(Set(known.flatMap(\.unknown)) == unknown) }
        for (one, frame) in zip(known, ours) {
            let again = try #require(bytes(one.again))
            // It writes fields in another order.
            let fields = { (bytes: [UInt8]) in try explained(bytes).map { "\($0.name)=\($0.value)" }.sorted() }
            #expect(try fields(again) == fields(frame))
            #expect(
                again.withUnsafeBytes { FromRadio(decoding: $0) } == frame.withUnsafeBytes { FromRadio(decoding: $0) })
        }
    }

    private func read(_ name: String) throws -> [Read] {
        let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"
        let script = RecordingFiles.folder.deletingLastPathComponent().appending(path: "OfficialCLI/read-by-package.py")
            .path
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [python, script, Self.path(name)]
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(
            process.terminationStatus == 0,
            """
            \(output)
            (status 3: set MESH_GATEWAY_TEST_PYTHON to a Python that has the package meshtastic, as deploy/test does)
            """)
        return try output.split(separator: "\n").map { try JSONDecoder().decode(Read.self, from: Data($0.utf8)) }
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private func bytes(_ digits: String) -> [UInt8]? {
        let digits = Array(digits.utf8)
        return stride(from: 0, to: digits.count, by: 2).reduce(into: [UInt8]?([])) { bytes, place in
            let pair = String(decoding: digits[place..<min(place + 2, digits.count)], as: UTF8.self)
            bytes = UInt8(pair, radix: 16).flatMap { byte in bytes.map { $0 + [byte] } }
        }
    }
}

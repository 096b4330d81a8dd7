import MeshModel
import MeshProtocol
import Testing

/// The settings that one client has seen: of a handshake, and of what it was answered since.
@Suite struct WhatAClientWasShownIsKnown {
    /// my_info { my_node_num 7, reboot_count 3, nodedb_count 9 }, two sections and the own node.
    private static let frames = [
        "1a 06 08 07 40 03 78 09", "2a 04 32 02 40 03", "4a 05 52 03 08 01 10", "22 09 08 07 12 05 12 03 48 75 74",
        "52 06 08 02 12 02 12 00",
    ].map { bytes($0) }

    private func handshake(_ change: (inout [[UInt8]]) -> Void = { _ in }) throws -> RadioHandshake {
        var frames = Self.frames
        frames[2] = bytes("4a 04 52 02 08 01")
        change(&frames)
        return try #require(RadioHandshake(generation: 1, frames: frames, missing: []))
    }

    private func answer(_ shown: ShownSettings, _ order: String) throws -> [UInt8]? {
        shown.answer(to: try #require(AdminOrder(bytes(order))))
    }

    @Test func gettersAreAnsweredFromTheHandshake() throws {
        let shown = try handshake().shown()
        #expect(shown.own == NodeNumber(7))
        #expect(try answer(shown, "28 05") == bytes("32 04 32 02 40 03"))  // get_config LORA
        #expect(try answer(shown, "38 09") == bytes("42 04 52 02 08 01"))  // get_module_config NEIGHBORINFO
        #expect(try answer(shown, "18 01") == bytes("22 05 12 03 48 75 74"))  // get_owner
        #expect(try answer(shown, "08 03") == bytes("12 06 08 02 12 02 12 00"))  // get_channel 2
        #expect(try answer(shown, "28 08") == bytes("32 02 4a 00"))  // get_config SESSIONKEY
        for unknown in ["28 00", "38 00", "08 01", "50 01", "70 01", "60 01"] {
            #expect(try answer(shown, unknown) == nil, "\(unknown)")
        }
    }

    @Test func anAnswerCountsAsShown() throws {
        let shown = try handshake().shown()
        // Canned messages: another client may set them, and nobody here would know.
        shown.note(bytes("5a 02 68 69"))
        #expect(try answer(shown, "50 01") == nil)
        #expect(ShownSettings.emptyAnswer(to: try #require(AdminOrder(bytes("50 01")))) == bytes("5a 00"))
        shown.note(bytes("32 04 0a 02 08 02"))  // config { device }
        #expect(shown.section(.device) != nil)
        // A slot that no radio has, and bytes that are nothing.
        shown.note(bytes("12 0b 08 ff ff ff ff ff ff ff ff ff 01"))
        shown.note(bytes("ff ff"))
    }

    @Test func theDigestIsOfSettings() throws {
        let digest = try handshake().digest
        #expect(try handshake { $0[0] = bytes("1a 06 08 07 40 04 78 0a") }.digest == digest, "restarts and nodes")
        #expect(try handshake { $0[1] = bytes("2a 04 32 02 40 04") }.digest != digest, "hop_limit")
        #expect(try handshake { $0[3] = bytes("22 09 08 07 12 05 12 03 48 75 75") }.digest != digest, "its name")
        #expect(
            try handshake { $0[3] = bytes("22 0e 08 07 12 05 12 03 48 75 74 2d 01 00 00 00") }.digest == digest,
            "when it was heard")
    }

    /// Several orders at once, or none: the radio would obey the last one.
    @Test(arguments: ["", "18 01 98 06 00", "18 01 18 01", "aa 06 01 00", "aa 06 01 00 aa 06 01 00", "0b", "18"])
    func isNoOrder(_ payload: String) { #expect(AdminOrder(bytes(payload)) == nil) }
}

import MeshModel
import MeshProtocol
import RadioLink
import Testing

private func holdsPrivateKey(_ bytes: [UInt8]) -> Bool {
    bytes.indices.contains { Array(bytes[$0...].prefix(32)) == RadioAnswers.privateKey }
}

@Test func secretsStopAtTheLink() throws {
    #expect(holdsPrivateKey(RadioAnswers.securityFrameWithPrivateKey))
    let security = try #require(
        RadioAnswers.securityFrameWithPrivateKey.withUnsafeBytes { FromRadio(decoding: $0) })
    var radio = SessionInVirtualTime()
    radio.receive(radio.answers.myInfo.asFrame)
    radio.session.receive(security, raw: RadioAnswers.securityFrameWithPrivateKey, at: radio.now)
    radio.answer()
    radio.goLive()
    // Once more out of turn, and in an answer to get_config.
    radio.session.receive(security, raw: RadioAnswers.securityFrameWithPrivateKey, at: radio.now)
    let config = Array(RadioAnswers.securityFrameWithPrivateKey.dropFirst(2))
    let admin = FromRadio.packet(
        MeshPacket(
            from: radio.answers.number, to: radio.answers.number, id: 3,
            payload: .decoded(MeshData(port: .admin, payload: [0x32, UInt8(config.count)] + config))))
    let frame = admin.encoded()
    #expect(holdsPrivateKey(frame))
    radio.session.receive(try #require(frame.withUnsafeBytes { FromRadio(decoding: $0) }), raw: frame, at: radio.now)

    #expect(radio.session.handshakeFrames.count > 30)
    for frame in radio.session.handshakeFrames { #expect(!holdsPrivateKey(frame)) }
    for event in radio.events {
        guard case .received(let message, let raw) = event else { continue }
        #expect(!holdsPrivateKey(raw))
        if case .packet(let packet) = message { #expect(!holdsPrivateKey(packet.decoded?.payload ?? [])) }
    }
}

extension MyNodeInfo {
    fileprivate var asFrame: FromRadio { .myInfo(self) }
}

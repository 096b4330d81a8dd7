import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

/// Order, content and secrets of a client's handshake (SerialReference 12.1, 12.2 and 12.3).
@Suite struct AClientIsGivenTheRadiosHandshake {
    private func handshake(_ nonce: UInt32, _ house: SharedHouse, _ place: Int = 0) throws -> [App.Frame] {
        let app = try house.connected(place, nonce: nonce)
        let frames = app.frames
        let end = try #require(frames.firstIndex { $0.message == .configComplete(nonce) })
        return Array(frames[...end])
    }

    /// SerialReference 2.3.
    @Test func everythingComesInTheRadiosOrder() throws {
        let house = try SharedHouse()
        let frames = try handshake(4711, house)
        let variants = frames.map { FromRadio.variant(of: $0.raw) }
        let expected: [UInt32] =
            [3, 17, 4, 13, 19] + Array(repeating: 10, count: 8) + Array(repeating: 5, count: 10)
            + Array(repeating: 9, count: 17) + Array(repeating: 4, count: 24) + [15, 15]
        #expect(variants == expected + [7] || variants.filter { $0 != 15 } == expected.filter { $0 != 15 } + [7])
        #expect(frames[2].node?.number == house.number)
        house.expectNoSecrets()
    }

    @Test func onlySettingsWhenOnlyTheyAreWanted() throws {
        let house = try SharedHouse()
        let frames = try handshake(ToRadio.configOnlyNonce, house)
        #expect(frames.compactMap(\.node).map(\.number) == [house.number])
        guard case .myInfo(let info) = frames[0].message else { return #expect(Bool(false)) }
        // Of a whole handshake: it is what a progress bar goes by.
        #expect(info.nodeDBCount == 25)
        #expect(frames.contains { $0.message.variant == 15 })
    }

    @Test func onlyNodesWhenOnlyTheyAreWanted() throws {
        let house = try SharedHouse()
        let frames = try handshake(ToRadio.nodesOnlyNonce, house)
        #expect(frames.dropLast().allSatisfy { $0.node != nil } && frames.count == 26)
        #expect(frames[0].node?.number == house.number)
    }

    /// Byte for byte, but for what is listed here.
    @Test func whatIsRedactedIsExactlyThis() throws {
        let house = try SharedHouse([.read, .send, .admin])
        let recorded = house.tap.handshake.withLock { $0 }
        let sekrit = Array("sekrit".utf8)
        let redacted: [UInt32] = [5, 5, 5, 9, 17]
        for (place, changed) in [(0, [5] + redacted), (1, [5] + redacted), (2, redacted)] as [(Int, [UInt32])] {
            let frames = try handshake(4711, house, place).filter { $0.node == nil }.dropLast()
            let others = frames.filter { !recorded.contains($0.raw) }
            // Device and security (managed), network (password), Bluetooth (PIN), security (key); broker (password, proxy);
            // screen (PIN).
            #expect(others.map { FromRadio.variant(of: $0.raw) }.sorted() == changed, "\(place)")
            // The WiFi password is left out: the word is shorter than one may be.
            #expect(others.filter { $0.raw.contains(sekrit) }.map { FromRadio.variant(of: $0.raw) } == [9])
            let security = try #require(others.compactMap { $0.security }.first)
            #expect(security.isManaged == (place < 2))
            #expect(security.publicKey == house.simulated.publicKey)
        }
        house.expectNoSecrets()
    }

    /// Repeated, at once, 0 and the greatest number: each is answered.
    @Test func everyNonceIsAnswered() throws {
        let house = try SharedHouse()
        let app = try house.connect()
        let nonces: [UInt32] = [0xFFFF_FFFF, 0, 5, 5, ToRadio.configOnlyNonce, ToRadio.nodesOnlyNonce]
        for nonce in nonces { app.send(.wantConfig(nonce)) }
        _ = try #require(app.wait { $0.count { $0.message.variant == 7 } == nonces.count })
        let ends = app.frames.compactMap { if case .configComplete(let nonce) = $0.message { nonce } else { nil } }
        #expect(ends == nonces)
        // 0 is said, not left out.
        #expect(app.frames.contains { $0.raw == [0x38, 0] })
    }
}

extension App.Frame {
    var security: SecuritySettings? {
        if case .config(.security(let security)) = message { security } else { nil }
    }
}

import MeshModel
import MeshProtocol
import Store

// What the radio keeps for its user besides its settings: canned messages, a ringtone, and the place of a radio without GPS.

extension AttachedRadio {
    /// Nil: its build leaves that module out.
    func text(_ text: RadioText, of source: SourceID) throws(RadioRefusal) -> String? {
        guard case .text(text, let value) = try ask(.text(text), of: source).answer else { return nil }
        return value
    }

    /// Where it was told to be; nil while it goes by its GPS, or is nowhere. As exact as in its handshake: what it tells the
    /// mesh is blurred.
    func fixedPlace(_ position: SettingsSection) -> FixedPlace? {
        guard position["position.fixed_position"] == .flag(true) else { return nil }
        return snapshot?.ownNode?.position.flatMap { FixedPlace($0) }
    }
}

extension Gateway {
    /// Tells the radio where it is from now on, or that it is to go by its GPS again. The radio tells the mesh at once, as
    /// exactly as its channels are set to.
    ///
    /// - Parameter place: nil takes the fixed position away.
    public func fixPosition(_ place: FixedPlace?, of source: SourceID) throws(RadioRefusal) {
        let radio = try connected(source)
        try radio.settingsChange.withLock { _ throws(RadioRefusal) in
            try radio.refuseWhileEditIsOpen()
            // It can have been obeyed although nothing says so.
            defer { radio.administration.forgetAnswers() }
            try radio.tell(.fixPosition(place), of: source)
        }
        // It is a setting, and the own node's place.
        radio.readAgain()
    }
}

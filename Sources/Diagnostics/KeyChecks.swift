// Whose key is whose, and whether it is worth the name.

let keyChecks = [
    Check("weak-keys", ofEachRadio(weakKeys)), Check("shared-keys", ofEachRadio(sharedKeys)),
    Check("key-changes", ofEachRadio(keyChanges)),
]

private func weakKeys(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    if radio.isOwnKeyWeak {
        return .fault(
            "This radio's own key can be guessed: everybody can read its direct messages. A new one is made when its "
                + "settings are erased.", fix: "mesh-gateway radio info")
    }
    if radio.weakKeys.count > 0 {
        return .warning(
            "Keys that can be guessed: \(radio.weakKeys.text). Direct messages to them are no secret.",
            fix: "mesh-gateway keys list --full")
    }
    return .ok("No key is so regular that it can be guessed.")
}

private func sharedKeys(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    if radio.isOwnKeyShared {
        return .fault(
            "Another node has this radio's own key and can read its direct messages: \(radio.sharedKeys.text).",
            fix: "mesh-gateway keys list --full")
    }
    if radio.sharedKeys.count > 0 {
        return .warning(
            "Nodes with one key that are both heard: \(radio.sharedKeys.text). Each can read the other's messages.",
            fix: "mesh-gateway keys list --full")
    }
    return .ok("No two nodes share a key.")
}

private func keyChanges(_ radio: RadioFacts, _ facts: Facts) -> Check.Finding {
    guard let first = radio.doubtedKeys.ids.first else { return .ok("No key waits for a person's decision.") }
    return .warning(
        "Another key was seen for \(radio.doubtedKeys.text), and nobody has decided yet which is right. Until then no "
            + "direct message goes there. If its owner has the other one: mesh-gateway keys accept \(shellWord(first))",
        fix: "mesh-gateway keys verify \(shellWord(first))")
}

import MeshModel

extension Node {
    /// What there is to say about its key, in words; nil when there is nothing.
    public var keyDetails: String? {
        var sentences: [String] = []
        if announcedKey != nil, isKeyManuallyVerified {
            sentences.append("Another key was announced since somebody decided to keep the known one, which stays")
        } else if announcedKey != nil {
            sentences.append(
                "Another key than the known one was seen: it was set up again, or somebody else claims to be it")
        } else if keyMismatch {
            sentences.append("A message failed by its key: it may have a new key")
        }
        if publicKey?.isLowEntropy == true { sentences.append("The key is so regular that it can be guessed") }
        if isKeyDuplicate, let twin {
            sentences.append("\(twin.id) has the same key and is heard as well: each can read what is for the other")
        } else if let successor {
            sentences.append("Same key as \(successor.id), under which it is probably heard now")
        } else if let predecessor {
            sentences.append("Same key as \(predecessor.id), which it probably was before")
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: ". ")
    }

    /// In one word, the worst first: for the command line.
    public var keyState: String {
        switch true {
        case isKeyInDoubt: "changed"
        case isKeyDuplicate: "duplicate"
        case publicKey?.isLowEntropy == true: "weak"
        case keyMismatch && announcedKey == nil: "failed"
        case successor != nil: "moved"
        case isKeyManuallyVerified: "verified"
        case publicKey == nil: "none"
        default: "known"
        }
    }

    /// What a person can do about its key; nil when there is nothing to do.
    public var keyAdvice: String? {
        switch keyState {
        case "changed":
            "compare the keys with its owner: mesh-gateway keys verify '\(number.id)' shows both, "
                + "mesh-gateway keys accept '\(number.id)' takes the other one"
        case "failed":
            "make sure that both sides know each other: mesh-gateway request nodeinfo '\(number.id)'"
        case "duplicate", "weak":
            "its owner should have the node make a new key, in the app's security settings"
        case "verified" where announcedKey != nil:
            "to decide again: mesh-gateway keys verify '\(number.id)' shows both, mesh-gateway keys accept "
                + "'\(number.id)' takes the other one"
        case "none":
            "direct messages to it are not possible yet; ask for its key: mesh-gateway request nodeinfo '\(number.id)'"
        case "moved": "write to its new number\(successor.map { ", \($0.id)" } ?? "")"
        default: nil
        }
    }
}

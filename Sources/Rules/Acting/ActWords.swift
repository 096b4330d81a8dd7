import Folders
import Gateway
import MeshModel

// The values of the keys by which a rule acts. Every mistake says what to write.

extension Acting.Reaction {
    init(words text: String) throws(BadValue) {
        if text == "hops" {
            self = .hops
            return
        }
        guard text.isOneEmoji, text.utf8.count <= MessageSplitter.maximumBytes else {
            throw BadValue("react cannot be \"\(text.cut(toBytes: 40))\"; write one emoji, such as 👍, or hops")
        }
        self = .emoji(text)
    }

    /// nil if it would be the number of hops, and that is not known.
    func emoji(hops: UInt32?) -> String? {
        switch self {
        case .emoji(let emoji): emoji
        case .hops:
            switch hops {
            case 0?: "*\u{FE0F}\u{20E3}"
            case let hops? where hops <= 7: "\(hops)\u{FE0F}\u{20E3}"
            default: nil
            }
        }
    }
}

extension Acting.Addressee {
    var isChannel: Bool { if case .channel = self { true } else { false } }

    init(words text: String) throws(BadValue) {
        let example = "write for example: to = 0, to = Hikers, to = !a1b2c3d4 or to = sender"
        if text == "sender" {
            self = .sender
        } else if text.hasPrefix("!") {
            guard let number = NodeNumber(id: text), number.mayBeNode else {
                throw BadValue("to \"\(text)\" is no id of a node; \(example)")
            }
            self = .node(number)
        } else if text.contains(",") {
            throw BadValue("to has one value; for \"\(text)\" make a rule for each")
        } else if text.hasPrefix(BrokerConversation.idPrefix) {
            throw BadValue("to \(text): rules send over radios only, and not over a broker; \(example)")
        } else if let number = Int(text) {
            guard (0...7).contains(number) else {
                throw BadValue("to \(text): a radio's channels have the numbers 0 to 7; \(example)")
            }
            self = .channel("\(number)")
        } else {
            guard text.utf8.count <= longestChannelName else {
                throw BadValue(
                    "to \"\(text)\" has more than the \(longestChannelName) bytes of a channel's name; \(example)")
            }
            self = .channel(text)
        }
    }
}

/// How an act's `delay` is written.
func delay(_ text: String) throws(BadValue) -> Int64 {
    let time = try milliseconds(text)
    guard time <= Acting.mostDelay else { throw BadValue("delay is at most 2m; write a shorter one") }
    return time
}

/// A limit of how well a packet was received, as `snr = above -10`.
struct SNRLimit: Hashable, Sendable {
    let isAbove: Bool
    /// dB.
    let limit: Double

    init(words text: String) throws(BadValue) {
        var words = text.split(whereSeparator: \.isBlank).map(String.init)
        if words.last == "dB" { words.removeLast() }
        guard words.count == 2, words[0] == "above" || words[0] == "below", let limit = decimal(words[1]) else {
            throw BadValue("snr cannot be \"\(text)\"; write for example: snr = above -10 or snr = below -10")
        }
        (isAbove, self.limit) = (words[0] == "above", limit)
    }

    func holds(_ snr: Double) -> Bool { isAbove ? snr > limit : snr < limit }

    var shown: String { "\(isAbove ? "above" : "below") \(limit.shown)" }
}

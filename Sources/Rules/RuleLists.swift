import Folders
import MeshModel

// Lists in a rule's file: names with commas between, because a name may have blanks; words with commas or blanks between.

/// How many names or words a list may have.
private let mostNames = 500

/// Names with commas between. Empty ones do not count, so there may be none.
///
/// - Parameter key: what a mistake is about.
func nameList(_ key: String, _ text: String) throws(BadValue) -> [String] {
    try checked(key, text.split(separator: ",").map { String(withoutEdges($0)) }.filter { !$0.isEmpty })
}

/// Words with commas or blanks between.
func wordList(_ key: String, _ text: String) throws(BadValue) -> [String] {
    let words = try checked(key, text.split { $0.isBlank || $0 == "," }.map(String.init))
    guard !words.isEmpty else { throw BadValue("\(key) has no word; write one, or take the line out") }
    return words
}

/// Channels by number or name, with commas between if there is one, else with blanks.
func channelList(_ key: String, _ text: String) throws(BadValue) -> [String] {
    let names = try placeList(key, text)
    guard !names.isEmpty else { throw BadValue("\(key) names no channel; write for example: \(key) 0, Hikers") }
    for name in names {
        guard !name.hasPrefix(BrokerConversation.idPrefix) else {
            throw BadValue(
                "\(key) \(name): a conversation over a broker is no channel; write: when = message on \(name)")
        }
        if let number = Int(name) {
            guard (0...7).contains(number) || number > 100 else {
                throw BadValue(
                    "\(key) \(name): no channel has this number; a radio's are 0 to 7, those of the channel database begin "
                        + "at 101")
            }
        } else if name.utf8.count > longestChannelName {
            let advice = name.contains(where: \.isBlank) ? "; between two names write a comma" : ""
            throw BadValue(
                "\(key) \"\(name)\" has more than the \(longestChannelName) bytes of a channel's name\(advice)")
        }
    }
    return names
}

/// The names of conversations over brokers; nil if the list begins with a channel.
func conversationList(_ key: String, _ text: String) throws(BadValue) -> [String]? {
    let (names, prefix) = (try placeList(key, text), BrokerConversation.idPrefix)
    guard names.first?.hasPrefix(prefix) == true else { return nil }
    var found: [String] = []
    for name in names {
        guard name.hasPrefix(prefix) else {
            throw BadValue(
                "\(key) \(name): a channel cannot be beside conversations over brokers; make two rules of it")
        }
        found.append(String(name.dropFirst(prefix.count)))
        do throws(BrokerConversation.Mistake) {
            try BrokerConversation.checkName(found.last!)
        } catch {
            throw BadValue("\(key) \(name): the name behind \(prefix) \(error.text)")
        }
    }
    return found
}

private func placeList(_ key: String, _ text: String) throws(BadValue) -> [String] {
    text.contains(",") ? try nameList(key, text) : try wordList(key, text)
}

/// In bytes. The longest one of a channel without a name is as long (`ModemPreset.channelName`).
let longestChannelName = 11

private func checked(_ key: String, _ names: [String]) throws(BadValue) -> [String] {
    guard names.count <= mostNames else {
        throw BadValue("\(key) has \(names.count) names; at most \(mostNames) can be, so make two rules of it")
    }
    return names
}

private func withoutEdges(_ text: Substring) -> Substring {
    let start = text.drop(while: \.isBlank)
    return start.lastIndex { !$0.isBlank }.map { start[...$0] } ?? ""
}

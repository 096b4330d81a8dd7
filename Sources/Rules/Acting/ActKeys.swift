import Folders
import Gateway

// The keys by which a rule acts, and which of them go together.

extension RuleFile.Key {
    /// Each of them makes a rule one that acts.
    static let acts: Set<RuleFile.Key> = [.reply, .react, .send, .ask, .announce]
}

extension RuleFile {
    /// Keys that people may look for who know them from elsewhere, and what there is in their place.
    static let absent: [String: String] = {
        let advice: [(keys: String, text: String)] = [
            ("http url get fetch webhook", "no rule fetches an answer over HTTP; take the line out"),
            ("mailbox inbox mail", "no rule keeps texts for others; take the line out"),
            ("ping pings", "no rule sends a series of texts; to answer one, write: reply = pong"),
            ("set var variable variables", "a rule has no variables; take the line out"),
            ("flow steps then else", "a rule has no steps; make several rules of it"),
            ("delete forget", "no rule deletes anything; take the line out"),
            ("reboot restart shutdown", "no rule restarts a radio; mesh-gateway radio reboot does"),
            (
                "favourite favorite unfavourite unfavorite unignore",
                "no rule marks nodes; mesh-gateway node NODE --favourite does"
            ),
            (
                "verify tries attempts retry retries until",
                "no rule sends a text again until it is acknowledged; the radio itself tries a direct message three times"
            ),
        ]
        var found: [String: String] = [:]
        for (keys, text) in advice { for key in keys.split(separator: " ") { found[String(key)] = text } }
        return found
    }()
}

extension Rule {
    /// - Parameter key: one of those of acts.
    mutating func setAct(_ key: RuleFile.Key, _ value: String) throws(BadValue) {
        // Without an act, ``mistakes(of:)`` says so.
        var acting = acting ?? Acting()
        switch key {
        case .reply: acting.reply = try template(key, value)
        case .replyBy: acting.repliesDirectly = try word(key, value, among: [("direct", true)])
        case .react: acting.reaction = try Acting.Reaction(words: value)
        case .send: acting.text = try template(key, value)
        case .to:
            acting.addressee = try Acting.Addressee(words: value)
            if acting.addressee == .sender, !when.isOfNode {
                throw BadValue(
                    "to cannot be sender with \"\(shownTrigger)\": it is about no node; write for example: to = 0")
            }
        case .ask: acting.request = try word(key, value, among: NodeRequest.allCases.map { ($0.rawValue, $0) })
        case .of: acting.asksDue = try word(key, value, among: [("due", true)])
        case .announce:
            acting.announcement = try word(key, value, among: Acting.Announcement.allCases.map { ($0.rawValue, $0) })
        case .delay: acting.delay = try Rules.delay(value)
        case .once: acting.isOnce = try word(key, value, among: [("node", true)])
        default: return
        }
        if self.acting != nil { self.acting = acting }
    }

    private func template(_ key: RuleFile.Key, _ value: String) throws(BadValue) -> Template {
        let template = try Template(value, key.rawValue, names: conditions.phrases.names)
        if !when.isOfNode, let name = template.names.first(where: \.isOfNode) {
            throw BadValue(
                "\(key.rawValue) has \"{\(name.rawValue)}\", and \"\(shownTrigger)\" is about no node; take it out")
        }
        if when.circle != nil, template.names.contains(.value) {
            throw BadValue("\(key.rawValue) has \"{value}\", and no text says how far away a node is; take it out")
        }
        return template
    }

    /// What is wrong with keys that are there together, or alone.
    func mistakes(of keys: Set<RuleFile.Key>) -> [(key: RuleFile.Key, text: String)] {
        var found: [(key: RuleFile.Key, text: String)] = []
        if keys.isSuperset(of: [.phrase, .matches]) {
            found.append((.phrase, "phrase cannot be beside matches; leave one of them"))
        }
        if let acting {
            found += mistakes(of: keys, acting)
        } else {
            for key in [RuleFile.Key.replyBy, .to, .of, .delay, .once] where keys.contains(key) {
                found.append((key, "\(key.rawValue) is for a rule that acts, by reply, react, send, ask or announce"))
            }
            if keys.contains(.feed) {
                found.append(
                    (.feed, "feed is for a rule that acts; the feed gets what others notice; take the line out"))
            }
        }
        return found
    }

    private func mistakes(of keys: Set<RuleFile.Key>, _ acting: Acting) -> [(key: RuleFile.Key, text: String)] {
        var found: [(key: RuleFile.Key, text: String)] = []
        func refuse(_ key: RuleFile.Key, _ text: String) { found.append((key, text)) }
        let sends = keys.contains(.send), announces = keys.contains(.announce)
        if keys.contains(.replyBy), !keys.contains(.reply) {
            refuse(.replyBy, "reply-by is for a rule that has reply; take the line out")
        }
        if sends, !keys.contains(.to) {
            refuse(.send, "send does not say where; write for example: to = 0, to = !a1b2c3d4 or to = sender")
        }
        if keys.contains(.to), !sends, !announces {
            refuse(.to, "to is for send and announce; take the line out")
        }
        if announces, keys.contains(.to), !acting.addressee.isChannel {
            refuse(.to, "announce goes to a channel; write for example: to = 0, and make another rule for send")
        }
        if keys.contains(.of), acting.request != .traceroute {
            refuse(.of, "of is for ask = traceroute; take the line out")
        }
        if case .at = when, keys.contains(.ask), !keys.contains(.of) {
            refuse(.ask, "ask does not say which node at that time; write: ask = traceroute and of = due")
        }
        // Without nodes it is our radio that measures, and nobody is there to be asked or answered.
        if case .value(let threshold) = when, threshold.isOwnByItself, conditions.nodes == nil {
            let what = "\"\(shownTrigger)\" is about the own radio; name nodes by node = …, or take it out"
            if keys.contains(.ask) { refuse(.ask, "ask needs another node, and \(what)") }
            if keys.contains(.once) { refuse(.once, "once = node needs another node, and \(what)") }
            if acting.addressee == .sender { refuse(.to, "to cannot be sender: \(what)") }
        }
        found += mistakesOfTexts(of: keys)
        return found
    }

    /// Nobody wants an answer to all that is said, least of all who says it.
    private func mistakesOfTexts(of keys: Set<RuleFile.Key>) -> [(key: RuleFile.Key, text: String)] {
        switch when {
        case .message, .conversations: break
        default: return []
        }
        guard keys.isDisjoint(with: [.phrase, .words, .matches]),
            let key = [RuleFile.Key.reply, .react, .send, .announce].first(where: keys.contains)
        else { return [] }
        return [
            (
                key,
                "\(key.rawValue) would follow every message; say which, with phrase, words or matches, such as: "
                    + "matches = ^(test|ping)"
            )
        ]
    }
}

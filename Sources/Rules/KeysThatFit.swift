import Folders
import MeshModel

// Which keys have a meaning with which trigger.

extension Rule {
    func checkFits(_ key: RuleFile.Key) throws(BadValue) {
        func refuse(_ why: String) -> BadValue {
            BadValue("\(key.rawValue) cannot be with \"\(shownTrigger)\": \(why); take the line out")
        }
        switch key {
        case .again:
            if case .value = when { return }
            throw refuse(when.isState ? "only a measured value ends by another limit" : "an event has no end")
        case .repeat, .resolved: if !when.isState { throw refuse("an event has no end") }
        case .pace:
            if case .at = when { throw refuse("it comes at the times that it names") }
        case .coolDown:
            // Of an act each trigger may have one.
            if acting != nil { return }
            if when.isState { throw refuse("a state is told once while it lasts; with repeat, again after that time") }
            if case .at = when { throw refuse("it comes at the times that it names") }
        case .known where when == .newNode: throw refuse("a new node is not known yet")
        case .node, .known, .hops, .role, .via, .snr, .named: if !choosesNodes { throw refuse("it is about no node") }
        case .channel:
            if when == .directMessage { throw refuse("a direct message is on no channel") }
            if !choosesNodes { throw refuse("it is about no channel") }
        // Whatever acts needs a radio.
        case .radio: if !when.isOfRadio && acting == nil { throw refuse("it is about no radio") }
        case .words, .ignore, .matches, .phrase: if !when.hasText { throw refuse("it has no text") }
        case .tapbacks:
            if !when.isText { throw refuse("it is about no message") }
            if !when.isOfNode { throw refuse("a broker brings no reactions") }
        case .say:
            if case .at = when { return }
            throw refuse("it has words of its own")
        case .text: if !when.hasText { throw refuse("it has no text") }
        case .reply, .replyBy, .react:
            if !when.isText { throw refuse("it is about no message") }
            if !when.isOfNode { throw refuse("what came over a broker came over no radio") }
            if key == .replyBy, when == .directMessage { throw refuse("it is answered to its sender as it is") }
        case .ask:
            if when.isText { throw refuse("what somebody writes must make no other node answer across the mesh") }
            if case .at = when { return }
            if !when.isOfNode { throw refuse("it is about no node") }
        case .of:
            if case .at = when { return }
            throw refuse("it asks the node that it is about")
        case .once: if !when.isOfNode { throw refuse("it is about no node") }
        case .when, .title, .priority, .enabled, .tell, .feed, .quiet, .send, .to, .announce, .delay: break
        }
    }

    /// Conditions can choose among nodes.
    private var choosesNodes: Bool { when.isOfNode || acting?.asksDue == true }

    /// The trigger as mistakes name it.
    var shownTrigger: String {
        var name = when.type.split(separator: "-").joined(separator: " ")
        if case .conversations(let names) = when { name += " on \(BrokerConversation.idPrefix)\(names[0])" }
        return name
    }
}

import MeshModel
import Routes
import Store

/// The conversations of a source, and beside them those over brokers, newest first. Valid while its reader is.
struct ConversationList {
    struct Place {
        fileprivate enum Kind {
            case ofRadio(ConversationPlace)
            case overBroker(FoundConversation)
        }

        let id: String
        fileprivate let newest: MessagePosition?
        fileprivate let kind: Kind
    }

    /// Those without a message come last.
    let places: [Place]
    private let radio: ConversationContext
    private let brokers: BrokerConversationContext

    init(_ call: Call, _ api: API, _ reader: Reader) throws {
        radio = try ConversationContext(call, api, reader)
        brokers = try BrokerConversationContext(call, api, reader)
        var all = try radio.places().map { place in
            Place(id: place.conversation.id, newest: place.newest, kind: .ofRadio(place))
        }
        if !call.namesSource {
            for (found, newest) in try brokers.places() {
                // The radio's are sorted: this one goes before the first one whose newest message is older.
                let index = newest.flatMap { newest in all.firstIndex { $0.newest.map { $0 < newest } ?? true } }
                all.insert(
                    Place(id: found.conversation.id, newest: newest, kind: .overBroker(found)), at: index ?? all.count)
            }
        }
        places = all
    }

    func row(_ place: Place) throws -> ConversationRow {
        switch place.kind {
        case .ofRadio(let place): try radio.row(place)
        case .overBroker(let found): try brokers.row(found, place.newest)
        }
    }
}

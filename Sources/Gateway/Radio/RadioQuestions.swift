import MeshModel
import MeshProtocol
import Platform
import RadioLink
import Store
import Synchronization

// Asking the attached radio about itself, and telling it what to do. A person waits for the answer, so it is neither kept
// for a radio that is away nor repeated; nothing of it is stored.

/// Why the radio was not asked, or did not do what it was told.
public enum RadioRefusal: Error, Equatable {
    case notConnected
    /// It has not answered in time. It may have obeyed all the same.
    case silent
    case refused(RoutingError)
    /// It has no such section: its build leaves the module out, or its firmware is older.
    case noSuchSection(SettingsName)
    case setting(SettingRefusal)
    /// This many channels are to be added, and so many slots are free.
    case noFreeSlot(wanted: Int, free: Int)
    /// This computer has no time that could be given to the radio.
    case hostClockUnset
    /// A program at a shared port is changing settings, and has not committed yet.
    case editIsOpen(by: Sender)
    /// It could not be written to disk; the text says why.
    case storage(String)
}

extension RadioRefusal {
    /// For a person, who wanted to change something while another one's edit is open.
    public static func sentence(ofEditBy owner: Sender) -> String {
        "a program at a shared port (\(owner.name)) is changing settings and has not committed them yet, so nothing was "
            + "written; try again when it has done, or in a minute: then its edit ends by itself"
    }
}

extension AttachedRadio {
    /// Waits for the answer: some seconds, a minute more while the session is being configured.
    func ask(
        _ request: AdminRequest, of source: SourceID
    ) throws(RadioRefusal) -> (answer: AdminAnswer, radioTime: UInt32?) {
        guard takesPackets(of: source) else { throw .notConnected }
        let outcome = PromisedValue<AdminOutcome>()
        guard administration.awaited.begin(outcome) else { throw .notConnected }
        defer { administration.awaited.end(outcome) }
        ask(request) { outcome.bring($0) }
        // A link that is stopped meanwhile says nothing.
        switch outcome.wait(seconds: 70) {
        case .answered(.refused(let error), _): throw .refused(error)
        case .answered(let answer, let time): return (answer, time)
        case .silent: throw .silent
        case .notConnected, nil: throw .notConnected
        }
    }

    /// Tells the radio something.
    func tell(_ request: AdminRequest, of source: SourceID) throws(RadioRefusal) { _ = try ask(request, of: source) }

    func settings(_ name: SettingsName, of source: SourceID) throws(RadioRefusal) -> SettingsSection {
        do throws(RadioRefusal) {
            guard case .section(let section) = try ask(.section(name), of: source).answer, section.name == name else {
                throw .noSuchSection(name)
            }
            return section
        } catch {
            // Older firmware does not know the question.
            if case .refused(.noResponse) = error { throw .noSuchSection(name) }
            if case .refused(.badRequest) = error { throw .noSuchSection(name) }
            throw error
        }
    }

    /// All eight slots.
    func channels(of source: SourceID) throws(RadioRefusal) -> [RadioChannel] {
        var channels: [RadioChannel] = []
        for index in 0..<8 {
            guard case .channel(let channel) = try ask(.channel(index), of: source).answer,
                channel.channel.index == index
            else { throw .silent }
            channels.append(channel)
        }
        return channels
    }
}

/// Who waits for the radio's answers.
final class AwaitedAnswers: Sendable {
    private let state = Mutex<(waiting: [PromisedValue<AdminOutcome>], isOver: Bool)>(([], false))

    /// - Returns: false: nobody asks any more.
    func begin(_ outcome: PromisedValue<AdminOutcome>) -> Bool {
        state.withLock { state in
            if !state.isOver { state.waiting.append(outcome) }
            return !state.isOver
        }
    }

    /// The gateway stops.
    var areOver: Bool { state.withLock { $0.isOver } }

    func end(_ outcome: PromisedValue<AdminOutcome>) { state.withLock { $0.waiting.removeAll { $0 === outcome } } }

    /// The gateway stops: nobody waits any longer.
    func giveUp() {
        let waiting = state.withLock { state in
            state.isOver = true
            return state.waiting
        }
        for outcome in waiting { outcome.bring(.notConnected) }
    }
}

extension Gateway {
    /// Who can be asked.
    func connected(_ source: SourceID) throws(RadioRefusal) -> AttachedRadio {
        guard let radio = radioFeeding(source) else { throw .notConnected }
        return radio
    }

    /// Before the servers stop, which would wait for those who wait for a radio.
    public func endQuestions() { for radio in radios.all { radio.administration.awaited.giveUp() } }

    /// One section of the settings, read from the radio now. Blocks for some seconds at most, as everything that asks
    /// the radio does.
    public func settings(_ name: SettingsName, of source: SourceID) throws(RadioRefusal) -> SettingsSection {
        try connected(source).settings(name, of: source)
    }

    /// The radio's eight channel slots, read from it now.
    public func channels(of source: SourceID) throws(RadioRefusal) -> [Channel] {
        try connected(source).channels(of: source).map(\.channel)
    }

    /// What the radio is made of, read from it now, and its clock in seconds since 1970; nil while it has none.
    public func metadata(of source: SourceID) throws(RadioRefusal) -> (DeviceMetadata, radioTime: UInt32?) {
        let (answer, time) = try connected(source).ask(.metadata, of: source)
        guard case .metadata(let metadata) = answer else { throw .silent }
        return (metadata, time)
    }

    /// Restarts the radio.
    ///
    /// - Parameter seconds: from now, 1 to 86400.
    public func reboot(in seconds: Int32, of source: SourceID) throws(RadioRefusal) {
        guard let radio = radioFeeding(source) else { throw .notConnected }
        try radio.tell(.reboot(seconds), of: source)
        radio.restartWasOrdered(in: Int(seconds))
    }

    /// Tells the radio to restart, and waits for nothing: not for its answer either.
    ///
    /// - Parameter seconds: from now, 0 to 86400.
    public func orderReboot(in seconds: Int32, of source: SourceID) throws(RadioRefusal) {
        guard let radio = radioFeeding(source) else { throw .notConnected }
        guard radio.takesPackets(of: source) else { throw .notConnected }
        radio.restartWasOrdered(in: Int(seconds))
        radio.ask(.reboot(seconds)) { _ in }
    }

    /// Sets the radio's clock to the host's. A radio that has a better time, such as GPS, keeps it.
    ///
    /// - Returns: the radio's clock as it is then, in seconds since 1970; nil while it has none.
    public func setClock(of source: SourceID) throws(RadioRefusal) -> UInt32? {
        let seconds = WallClock.milliseconds() / 1000
        guard seconds >= PlausibleTime.earliest, let time = UInt32(exactly: seconds) else { throw .hostClockUnset }
        try connected(source).tell(.order(.setTimeOnly(time)), of: source)
        return try metadata(of: source).radioTime
    }

    /// Makes a node a favourite or an ignored one, or no longer, here and at the radio.
    ///
    /// - Returns: false when the radio was told nothing yet, because it is away: it will be as soon as it is back. Nil:
    ///   there is no such node.
    public func mark(
        _ mark: NodeMark, _ isSet: Bool, of node: NodeNumber, in source: SourceID
    ) throws(RadioRefusal) -> Bool? {
        do {
            guard try store.read({ try $0.node(node, in: source) }) != nil else { return nil }
            var isTold = true
            do throws(RadioRefusal) {
                try connected(source).tell(.order(mark.message(isSet, for: node)), of: source)
            } catch {
                guard error == .notConnected || error == .silent else { throw error }
                isTold = false
            }
            _ = try set(mark, isSet, of: node, in: source, onRadio: !isTold)
            return isTold
        } catch let refusal as RadioRefusal {
            throw refusal
        } catch {
            throw .storage("\(error)")
        }
    }

    /// The radio forgets a node, its key included, until it is heard again. The gateway does not.
    public func removeFromRadio(_ node: NodeNumber, of source: SourceID) throws(RadioRefusal) {
        guard let radio = radioFeeding(source) else { throw .notConnected }
        try radio.tell(.order(.removeNode(node)), of: source)
        radio.forget(node, in: source)
    }
}

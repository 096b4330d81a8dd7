import MeshModel
import RadioLink
import Store

// The radio has identified itself. Which source it belongs to is decided on the writer thread, in the order of events:
// what it sends from now on is queued behind that decision, and lands in the right source however slow the disk is.
// No packet of ours goes out before the decision is on disk: it could be meant for another radio.
//
// One radio can be at two links, by USB and in the network. The link that had it first keeps it, as the radio has one
// queue of packets for both; the other one leaves, and comes back when the first has lost the radio.

extension AttachedRadio {
    func configured(_ snapshot: RadioSnapshot) {
        settingsVersion.grow()
        let now = clock()
        let identities = Source.identities(
            deviceID: snapshot.myInfo.deviceID, usbSerial: snapshot.usbSerial, number: snapshot.myInfo.number)
        administration.forgetAnswers()
        let session = LinkSession()
        memory.begin(session, isRenumbered: state.withLock { $0.own } != snapshot.number)
        let isOther = state.withLock { $0.snapshot.map { !$0.isSameRadio(as: snapshot) } ?? false }
        readings.connected(isOther: isOther, at: now)
        state.withLock { state in
            if isOther { state.snapshot = nil }
            state.identities = identities
            state.own = snapshot.myInfo.number
            state.lora = snapshot.lora
            state.isResponsive = true
            state.isAdopted = false
            state.session.end()
            state.session = session
        }
        // When the disk fails, the change runs again: all that it goes by is in the database.
        store.enqueue(
            .immediate, { [self] writer in try adopt(snapshot, identities, at: now, writer) },
            done: { [self] result in
                if case .failure(let error) = result {
                    return logger.error("the radio's settings were not stored: \(error)")
                }
                adopted(in: session)
            })
    }

    /// It is on disk whose the radio is.
    private func adopted(in session: LinkSession) {
        let holder = state.withLock { state in
            guard state.session === session, !session.isOver else { return nil as String? }
            state.isAdopted = state.holder == nil
            return state.holder
        }
        if let holder { leave(because: .sameRadio(at: device, holder: holder)) }
        wake()
    }

    /// Another link has lost its radio, which may be the one that was here.
    func comeBack(afterLossAt holder: String) {
        if state.withLock({ $0.holder == holder }) { comeBack() }
    }

    private func adopt(
        _ snapshot: RadioSnapshot, _ identities: [String], at now: Int64, _ writer: Writer
    ) throws {
        let adoption = try adoptSource(
            identities: identities, on: device, isAlsoAt: { isPresent(identities, at: $0) }, at: now, writer
        ) { source in
            source.nodeNumber = snapshot.myInfo.number
            source.firmwareVersion = snapshot.metadata?.firmwareVersion ?? source.firmwareVersion
            source.lora = snapshot.lora ?? source.lora
        }
        switch adoption {
        case .refused(let holder):
            state.withLock { $0.holder = holder }
        case .adopted(let source, let exchanged):
            if let exchanged { try radios?.at(exchanged.device)?.feed(exchanged.source, writer) }
            try writer.change(as: .listed) { try store(snapshot, in: source, at: now, writer) }
        }
    }

    /// Whether the radio with these identities is also at another link.
    private func isPresent(_ identities: [String], at device: String) -> Bool {
        guard let there = radios?.at(device)?.state.withLock({ $0.identities }) else { return false }
        return Source.isOneRadio(identities, there)
    }

    /// A link that has just identified the radio of this source took it over, and left this one in return.
    private func feed(_ source: SourceID, _ writer: Writer) throws {
        let entries = try recoverOutbox(of: source, own: nil, lora: nil, writer)
        state.withLock { state in
            state.source = source
            state.snapshot = nil
            state.outbox.reload(entries, own: NodeNumber(0))
        }
    }

    private func store(_ snapshot: RadioSnapshot, in adopted: SourceID, at now: Int64, _ writer: Writer) throws {
        try writer.updateChannels(snapshot.channels, in: adopted, at: now)
        try writer.updateNode(snapshot.myInfo.number, in: adopted, at: now) { node in
            node.lastHeard = now / 1000
            node.rebootCount = snapshot.myInfo.rebootCount
            node.firmwareVersion = snapshot.metadata?.firmwareVersion ?? node.firmwareVersion
        }
        let entries = try recoverOutbox(
            of: adopted, own: snapshot.number, lora: snapshot.lora, writer)
        let forgotten = try writer.forgottenNodes(in: adopted)
        memory.read(ForgottenNodes(forgotten), of: adopted)
        state.withLock { state in
            state.source = adopted
            state.snapshot = snapshot
            state.holder = nil
            state.outbox.reload(entries, own: snapshot.number)
        }
        tellAdoptedHandshake()
    }
}

extension RadioSnapshot {
    fileprivate func isSameRadio(as other: RadioSnapshot) -> Bool {
        myInfo.deviceID == other.myInfo.deviceID && usbSerial == other.usbSerial
            && (!myInfo.deviceID.isEmpty || usbSerial != nil || number == other.number)
    }
}

extension LinkState.Problem {
    /// - Parameters:
    ///   - device: where the radio is a second time, by the link's setting.
    ///   - holder: the link that had it first.
    static func sameRadio(at device: String, holder: String) -> Self {
        Self(
            name: "same-radio",
            advice: "The radio at \(device) is the one that is served at \(holder) already. Take one of the two out of "
                + "the settings (device), or connect the other radio and restart.")
    }
}

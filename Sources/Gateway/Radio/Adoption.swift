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
        let session = AttachedSession()
        let before = attachment
        before.session.end()
        noteUnwritten(before.outbox.end(before.session), of: before.source)
        memory.begin(session, isRenumbered: before.own != snapshot.number)
        let (isOther, here) = attached.withLock { ($0.introduced(snapshot, identities, in: session), $0) }
        readings.connected(isOther: isOther, at: now)
        if let known = here.snapshot { here.outbox.expect(known, in: session) }
        // When the disk fails, the change runs again: all that it goes by is in the database.
        store.enqueue(
            .immediate, { [self] writer in try adopt(snapshot, identities, in: session, at: now, writer) },
            done: { [self] result in
                if case .failure(let error) = result {
                    return logger.error("the radio's settings were not stored: \(error)")
                }
                adopted(in: session)
            })
    }

    /// It is on disk whose the radio is.
    private func adopted(in session: AttachedSession) {
        let (isHere, here) = attached.withLock { ($0.decided(in: session), $0) }
        if isHere {
            if let holder = here.holder { leave(because: .sameRadio(at: device, holder: holder)) }
            if here.isAdopted, let snapshot = here.snapshot { here.outbox.open(for: snapshot, in: session) }
        }
        wake()
    }

    /// Another link has lost its radio, which may be the one that was here.
    func comeBack(afterLossAt holder: String) {
        if attachment.holder == holder { comeBack() }
    }

    private func adopt(
        _ snapshot: RadioSnapshot, _ identities: [String], in session: AttachedSession, at now: Int64, _ writer: Writer
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
            attached.withLock { $0.refused(for: holder) }
        case .adopted(let source, let exchanged):
            if let exchanged { radios?.at(exchanged.device)?.feed(exchanged.source) }
            try writer.change(as: .listed) { try store(snapshot, of: session, in: source, at: now, writer) }
        }
    }

    /// Whether the radio with these identities is also at another link.
    private func isPresent(_ identities: [String], at device: String) -> Bool {
        guard let there = radios?.at(device)?.attachment.identities else { return false }
        return Source.isOneRadio(identities, there)
    }

    /// A link that has just identified the radio of this source took it over, and left this one in return.
    private func feed(_ source: SourceID) {
        let outbox = outboxes.of(source)
        attached.withLock { $0.exchanged(for: outbox) }
    }

    private func store(
        _ snapshot: RadioSnapshot, of session: AttachedSession, in adopted: SourceID, at now: Int64, _ writer: Writer
    ) throws {
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
        let outbox = outboxes.of(adopted)
        outbox.load(entries, for: snapshot, in: session, at: monotonic())
        attached.withLock { $0.adopted(snapshot, into: outbox) }
        tellAdoptedHandshake()
    }
}

extension Problem {
    /// - Parameters:
    ///   - device: where the radio is a second time, by the link's setting.
    ///   - holder: the link that had it first.
    static func sameRadio(at device: String, holder: String) -> Self {
        Self(
            .sameRadio,
            "The radio at \(device) is the one that is served at \(holder) already. Take one of the two out of "
                + "the settings (device), or connect the other radio and restart.")
    }
}

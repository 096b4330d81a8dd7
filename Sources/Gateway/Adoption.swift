import MeshModel
import RadioLink
import Store
import Synchronization

// The radio has identified itself. Which source it belongs to is decided on the writer thread, in the order of events:
// what it sends from now on is queued behind that decision, and lands in the right source however slow the disk is.
// No packet of ours goes out before the decision is on disk: it could be meant for another radio.

extension AttachedRadio {
    func configured(_ snapshot: RadioSnapshot) {
        let now = clock()
        let identities = Source.identities(
            deviceID: snapshot.myInfo.deviceID, usbSerial: snapshot.usbSerial, number: snapshot.myInfo.number)
        let uuid = randomUUID()
        let session = state.withLock { state in
            if let old = state.snapshot, !old.isSameRadio(as: snapshot) {
                state.snapshot = nil
                state.replays = KnownReplays()
            }
            state.own = snapshot.myInfo.number
            state.lora = snapshot.lora
            state.isResponsive = true
            state.isAdopted = false
            state.radioKeys = [:]
            state.session += 1
            return state.session
        }
        // When the disk fails, the change runs again: as if it had not run before.
        let current = Mutex<SourceID?>(nil)
        store.enqueue(
            .immediate,
            { [self] writer in
                let before = current.withLock { current in
                    let before = current ?? state.withLock { $0.source }
                    current = before
                    return before
                }
                try adopt(snapshot, identities, after: before, newUUID: uuid, at: now, writer)
            },
            done: { [self] result in
                if case .failure(let error) = result {
                    return logger.error("the radio's settings were not stored: \(error)")
                }
                state.withLock { if $0.session == session { $0.isAdopted = true } }
                wake()
            })
    }

    private func adopt(
        _ snapshot: RadioSnapshot, _ identities: [String], after current: SourceID, newUUID: String, at now: Int64,
        _ writer: Writer
    ) throws {
        let adopted = try adoptSource(
            identities: identities, current: current, newUUID: newUUID, at: now, writer
        ) { source in
            source.nodeNumber = snapshot.myInfo.number
            source.firmwareVersion = snapshot.metadata?.firmwareVersion ?? source.firmwareVersion
            source.lora = snapshot.lora ?? source.lora
        }
        try writer.updateChannels(snapshot.channels, in: adopted, at: now)
        try writer.updateNode(snapshot.myInfo.number, in: adopted, at: now) { node in
            node.lastHeard = now / 1000
            node.rebootCount = snapshot.myInfo.rebootCount
            node.firmwareVersion = snapshot.metadata?.firmwareVersion ?? node.firmwareVersion
        }
        let entries = try recoverOutbox(
            of: adopted, own: snapshot.number, lora: snapshot.lora, writer)
        state.withLock { state in
            state.source = adopted
            state.snapshot = snapshot
            state.outbox.reload(entries)
        }
    }
}

extension RadioSnapshot {
    fileprivate func isSameRadio(as other: RadioSnapshot) -> Bool {
        myInfo.deviceID == other.myInfo.deviceID && usbSerial == other.usbSerial
            && (!myInfo.deviceID.isEmpty || usbSerial != nil || number == other.number)
    }
}

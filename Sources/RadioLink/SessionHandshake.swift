import MeshModel
import MeshProtocol

/// The handshake: from an open port, or a radio that has restarted, to a live session.
extension RadioSession {
    private static let maximumStalls = 3
    private static let maximumRepeats = 3

    mutating func startHandshake(at now: MonotonicTime, wakeUp: WakeUp) {
        endAdminCalls()
        handshake = ReceivedHandshake()
        stalls = 0
        repeats = 0
        sawFrame = false
        sawLogLine = false
        live.answersHeartbeats = false
        emit(.state(.configuring))
        request(.settings, at: now, wakeUp: wakeUp)
    }

    private mutating func request(_ scope: Request.Scope, at now: MonotonicTime, wakeUp: WakeUp? = nil) {
        let nonce =
            switch scope {
            case .settings: ToRadio.configOnlyNonce
            case .nodes: ToRadio.nodesOnlyNonce
            case .everything: ordinaryNonce()
            }
        toWrite = wakeUp.map { [.wakeUp(count: $0.rawValue)] } ?? []
        toWrite += [.message(.heartbeat(nonce: 0)), .message(.wantConfig(nonce))]
        phase = .configuring(
            Request(
                scope: scope, nonce: nonce, stallsAt: now + Self.patience,
                endsAt: now + (scope == .settings ? 60 : 300) * Self.second, repeatAt: now + 8 * Self.second))
    }

    /// Any nonce but the special ones; 0 reads as an absent field.
    private func ordinaryNonce() -> UInt32 {
        while true {
            let nonce = random()
            if nonce != 0, nonce != ToRadio.configOnlyNonce, nonce != ToRadio.nodesOnlyNonce { return nonce }
        }
    }

    mutating func receive(_ message: FromRadio, raw: [UInt8], during current: Request, at now: MonotonicTime) {
        var request = current
        if case .configComplete(let nonce) = message {
            if nonce == request.nonce { complete(request, at: now) }
            return
        }
        if case .myInfo(let info) = message, request.scope == .nodes, info.number != snapshot?.number {
            // Firmware before 2.6.8 sends everything in the second stage too; here it has become another node.
            countRestart(at: now)
            return startHandshake(at: now, wakeUp: .usual)
        }
        let isPart = handshake.add(message, raw: told(message, raw: raw))
        if isPart {
            request.sawAnyPart = true
            request.stallsAt = now + Self.patience
            if case .myInfo = message { request.sawMyInfo = true }
            if case .nodeInfo(let node) = message, node.number == handshake.myInfo?.number { request.sawOwnNode = true }
            phase = .configuring(request)
        }
        if case .queueStatus(let status) = message { noteQueue(status, at: now) }
        // What is not known but lies inside the handshake is a part of it.
        if !isSetting(message), !(isPart && message == .empty) { handOn(message, raw: raw) }
    }

    private mutating func complete(_ request: Request, at now: MonotonicTime) {
        if request.scope != .nodes, !request.sawMyInfo {
            // Either left over from an earlier request, or ours with my_info lost inside debug text.
            guard request.sawAnyPart else { return }
            return askAgain(request, at: now)
        }
        if handshake.isBlank { return findLocked(at: now) }
        let isMissingParts = request.scope == .nodes ? !request.sawOwnNode : !handshake.missing.isEmpty
        if isMissingParts, repeats < Self.maximumRepeats { return askAgain(request, at: now) }
        guard handshake.myInfo != nil else { return stall(at: now) }

        if request.scope != .nodes { finishSettings(at: now) }
        if request.scope == .settings {
            repeats = 0
            self.request(.nodes, at: now)
        } else {
            goLive(at: now)
        }
    }

    private mutating func askAgain(_ request: Request, at now: MonotonicTime) {
        repeats += 1
        if repeats > Self.maximumRepeats { return stall(at: now) }
        self.request(request.scope, at: now)
    }

    private mutating func finishSettings(at now: MonotonicTime) {
        guard var new = handshake.snapshot else { return }
        new.usbSerial = usbSerial
        judge(new, after: snapshot, at: now)
        watch.heardRestart = false
        snapshot = new
        emit(.configured(new))
        isIdentified = true
        for event in held { emit(event) }
        held = []
    }

    private mutating func goLive(at now: MonotonicTime) {
        handshakeFrames = handshake.frames
        handshake = ReceivedHandshake()
        phase = .live
        live.begin(at: now)
        outbox.begin()
        emit(.state(.live))
        expireLive(at: now)
        askWhatWaits(at: now)
    }

    mutating func expire(_ request: Request, at now: MonotonicTime) {
        if now >= request.stallsAt || now >= request.endsAt { return stall(at: now) }
        guard now >= request.repeatAt else { return }
        var request = request
        request.repeatAt = request.sawAnyPart ? .max : now + 8 * Self.second
        phase = .configuring(request)
        if !request.sawAnyPart, toWrite.isEmpty {
            toWrite = [.message(.heartbeat(nonce: 0)), .message(.wantConfig(request.nonce))]
        }
    }

    private mutating func stall(at now: MonotonicTime) {
        if handshake.isBlank { return findLocked(at: now) }
        stalls += 1
        guard stalls < Self.maximumStalls else {
            phase = .idle
            end()
            keep(failure)
            return outputs.append(.reopen(failure))
        }
        repeats = 0
        request(.everything, at: now, wakeUp: .wholeFrame)
    }

    /// What it is called when nothing that we asked was answered. A radio that has been heard on this link, by the same
    /// USB device, is no other device only because it is silent now.
    private var failure: Problem {
        if sawFrame { return .notResponding }
        if sawLogLine { return .serialAPIDisabled }
        if let snapshot, snapshot.usbSerial == usbSerial { return .notResponding }
        return sawFirmware ? .serialAPIDisabled : .wrongDevice
    }
}

// MARK: Locked radios

extension RadioSession {
    private mutating func findLocked(at now: MonotonicTime) {
        note(.radioLocked)
        phase = .locked(askAt: now + 60 * Self.second)
    }

    mutating func receiveWhileLocked(_ message: FromRadio, raw: [UInt8], at now: MonotonicTime) {
        if case .lockdownStatus(let status) = message, !status.isLocked {
            startHandshake(at: now, wakeUp: .usual)
        }
        if case .lockdownStatus = message { handOn(message, raw: raw) }
    }
}

// MARK: Reboots

extension RadioSession {
    /// A radio prints for a second or more while it starts, and reads nothing meanwhile.
    private static let quietTime = 1500 * second / 1000
    private static let longestBootText = 6 * second

    mutating func hearReboot(_ reason: String, at now: MonotonicTime) {
        if !isStarting { emit(.rebooted(reason)) }
        isStarting = true
        countRestart(at: now)
        if case .rebooting(let since, _) = phase {
            phase = .rebooting(since: since, requestAt: settledTime(since: since, at: now))
        } else {
            if phase == .live { emit(.state(.configuring)) }
            endAdminCalls()
            toWrite = []
            phase = .rebooting(since: now, requestAt: now + Self.quietTime)
        }
    }

    func settledTime(since: MonotonicTime, at now: MonotonicTime) -> MonotonicTime {
        min(now + Self.quietTime, since + Self.longestBootText)
    }
}

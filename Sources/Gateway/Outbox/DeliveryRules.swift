import MeshModel

// What a signal about an own packet means (SerialReference 6.1). States never go back, but a late
// acknowledgement lifts a message out of `failed`, and a refusal by the recipient itself beats a relay's echo.

extension Delivery {
    /// The radio's queue answered. 0 is no promise: the packet can still be dropped by a rate limit.
    mutating func queued(result: Int32, lora: LoRaSettings?) {
        switch result {
        // 35 (ERRNO_SHOULD_RELEASE): for the local node, not an error.
        case 0, 35: raise(to: .accepted)
        // 33 NO_INTERFACES; 34 is DISABLED when nothing can be sent at all, else PKI_FAILED.
        case 33: fail(.noInterface)
        case 34: fail(lora?.canTransmit == false ? .noInterface : .pkiFailed)
        default: fail(RoutingError(rawValue: UInt32(truncatingIfNeeded: result)))
        }
    }

    /// A ROUTING packet named this one as its request.
    ///
    /// - Parameters:
    ///   - reason: ``RoutingError/none`` for an acknowledgement.
    ///   - sender: who reports.
    ///   - own: our own node number.
    ///   - destination: where the message went.
    /// - Returns: false when the report is nobody's business here (an acknowledgement by a third node).
    mutating func routed(
        _ reason: RoutingError, by sender: NodeNumber, own: NodeNumber, destination: NodeNumber
    ) -> Bool {
        guard sender == destination || sender == own else { return false }
        if reason == .none, sender == destination {
            raise(to: .confirmed)
            ackFrom = sender
            error = nil
            cause = nil
        } else if reason == .none {
            // What was refused stays so: an echo only disproves that nobody has heard it.
            if state != .failed || error == .maxRetransmit || cause != nil { raise(to: .relayed) }
        } else if sender == destination, sender != own {
            guard state < .confirmed else { return true }
            state = .failed
            error = reason
            cause = nil
        } else {
            fail(reason)
        }
        return true
    }

    mutating func raise(to new: State) {
        guard state < new else { return }
        state = new
        guard new > .failed else { return }
        error = nil
        cause = nil
    }

    /// Nothing more is done for the message. What somebody has already repeated stays so, and what the radio took is no
    /// failure when nobody asked for more.
    mutating func giveUp(_ cause: Cause) {
        guard state < .failed, !(cause == .noAnswer && isSentUnasked) else { return }
        state = .failed
        self.cause = cause
        error = cause == .noAnswer ? .timeout : nil
    }

    /// Whether no word is to be expected any more that changes it for the better or the worse.
    public func isSettled(isDirect: Bool) -> Bool {
        state == .confirmed || state == .failed || (state == .relayed && !isDirect)
    }

    /// The first reason is the one that explains: an unset region for example is told at once, and later looks like
    /// MAX_RETRANSMIT.
    private mutating func fail(_ reason: RoutingError) {
        guard state < .failed else { return }
        state = .failed
        error = reason
    }
}

extension LoRaSettings {
    /// False: the region is unset or the transmitter is off, so that the radio takes packets and sends none.
    var canTransmit: Bool { region != 0 && txEnabled }
}

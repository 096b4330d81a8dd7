import Gateway
import JSON
import MeshModel
import Store

/// How much a rule may send at most in an hour.
struct ActCost: Hashable, Sendable {
    let packets: Int
    /// Milliseconds on the air.
    let airtime: Int64
    /// Of the radio, as the protocol names it.
    let preset: String

    /// - Returns: nil: it sends nothing.
    init?(_ rule: Rule, _ lora: LoRaSettings?, _ limits: ActLimits) {
        guard let acting = rule.acting else { return nil }
        let sizes = acting.mostBytes
        let each = sizes.reduce(0) { $0 + ActAirtime.milliseconds(bytes: $1, lora) }
        let share = Int64(limits.airtime / 100 * Double(ActQueue.window)) / max(1, each)
        let acts = min(share, rule.mostActsAnHour ?? .max)
        (packets, airtime) = (Int(acts) * sizes.count, acts * each)
        preset = (try? Airtime(lora, preset: nil))?.preset ?? ""
    }

    /// Of the radio that it would leave over, if it were there.
    init?(_ rule: Rule, _ reader: Reader, _ limits: ActLimits) throws {
        let radios = try reader.sources().map(\.source).filter(\.isEnabled)
        let radio = radios.first { rule.conditions.failed(in: $0) == nil }
        self.init(rule, radio?.lora, limits)
    }
}

extension Acting {
    /// Of each packet, on the air.
    fileprivate var mostBytes: [Int] {
        func bytes(_ text: Template, isReply: Bool) -> Int {
            ActAirtime.bytes(of: String(repeating: "a", count: text.mostBytes), isReply: isReply)
        }
        var found: [Int] = []
        if let reply { found.append(bytes(reply, isReply: true)) }
        if let emoji = reaction?.emoji(hops: 1) {
            found.append(ActAirtime.bytes(of: emoji, isReply: true, isTapback: true))
        }
        if let text { found.append(bytes(text, isReply: true)) }
        if let request { found.append(ActAirtime.bytes(of: request)) }
        switch announcement {
        case .nodeInfo: found.append(ActAirtime.bytes(of: .nodeInfo))
        case .position: found.append(ActAirtime.bytes(of: .position))
        case nil: break
        }
        return found
    }
}

extension Rule {
    /// nil: only the air's limits count, as nobody knows how many nodes and channels there are.
    fileprivate var mostActsAnHour: Int64? {
        if case .at(let cron) = when { return Int64(cron.mostTimesAnHour) }
        guard let acting else { return nil }
        let hour = ActQueue.window
        if !when.isOfNode, !when.isText { return hour / actCoolDown }
        switch when {
        // No channel is its own conversation.
        case .directMessage where acting.addressee.isChannel && acting.reply == nil && acting.reaction == nil,
            .conversations:
            if acting.text != nil { return hour / ActQueue.elsewherePause }
        default: break
        }
        let isOnOneChannel = acting.addressee.isChannel && (acting.text != nil || acting.announcement != nil)
        return isOnOneChannel ? hour / ActQueue.channelPause : nil
    }
}

extension JSONWriter {
    /// The member `cost`.
    mutating func cost(_ cost: ActCost?) {
        key("cost")
        guard let cost else { return null() }
        object { json in
            json.member("packets", cost.packets)
            json.member("milliseconds", cost.airtime)
            json.member("preset", cost.preset)
        }
    }
}

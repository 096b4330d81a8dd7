import JSON
import MeshModel
import MeshProtocol
import Store

// The explanation of a packet as JSON, as commands and clients of the API read it.

extension JSONWriter {
    public mutating func annotated(_ annotation: Annotation) {
        member("message", annotation.kind.rawValue)
        member("length", annotation.bytes.count)
        member("unexplained", annotation.unexplained)
        key("fields")
        array { json in
            for field in annotation.fields {
                json.object { json in
                    json.member("offset", field.offset)
                    json.member("length", field.length)
                    json.member("depth", field.depth)
                    json.member("number", field.number)
                    json.member("name", field.name)
                    json.member("type", field.type)
                    json.member("hex", annotation.hexadecimal(of: field))
                    json.member("value", field.value)
                    json.member("isHidden", field.isHidden)
                }
            }
        }
    }

    /// - Parameter relay: writes a node that may have relayed it.
    public mutating func way(
        of packet: MeshPacket, _ relays: [Node], relay: (inout JSONWriter, Node) -> Void
    ) {
        key("hops")
        object { json in
            json.member("start", packet.hopStart)
            json.member("limit", packet.hopLimit)
            json.member("away", packet.hopsAway)
            json.member("relayByte", packet.relayNode == 0 ? nil : packet.relayNode)
            json.member("nextHopByte", packet.nextHop == 0 ? nil : packet.nextHop)
            json.key("relayCandidates")
            json.array { json in for node in relays { relay(&json, node) } }
        }
    }

    public mutating func airtime(of packet: MeshPacket, _ airtime: Airtime) {
        let bytes = Airtime.bytes(of: packet)
        let seconds = airtime.modem.airtime(bytes: bytes)
        key("airtime")
        object { json in
            json.member("preset", airtime.preset)
            json.member("isAssumed", airtime.isAssumed)
            json.member("spreadingFactor", airtime.modem.spreadingFactor)
            json.member("bandwidth", airtime.modem.bandwidth)
            json.member("codingRate", airtime.modem.codingRate)
            json.member("bytes", bytes)
            json.member("milliseconds", (seconds * 10_000).rounded() / 10)
            json.member("region", airtime.region)
            json.member("dutyCyclePercent", airtime.dutyCycle)
            // Of the seconds in an hour that are allowed.
            json.member("sharePercent", (seconds / (36 * airtime.dutyCycle) * 100_000).rounded() / 1000)
        }
    }
}

extension Reader {
    /// Who may have handed the packet on, by the last byte of their numbers: those nearest to us first, at most eight.
    public func relays(of packet: MeshPacket, in source: SourceID) throws -> [Node] {
        guard packet.relayNode != 0 else { return [] }
        let numbers = try nodeNumbers(in: source, order: .lastHeardDescending).filter {
            UInt32($0.relayByte) == packet.relayNode && ($0 != packet.from || packet.hopsAway == 0)
        }
        // Only who is heard directly can be the last one on the way.
        let candidates = try nodes(numbers.prefix(256), in: source).filter { $0.hopsAway ?? 0 == 0 }
        return Array(candidates.prefix(8))
    }
}

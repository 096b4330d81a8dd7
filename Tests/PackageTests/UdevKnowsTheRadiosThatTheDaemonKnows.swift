import Testing

@testable import RadioLink

/// udev/70-mesh-gateway.rules and the table behind `mesh-gateway ports` take the same devices for radios.
@Suite struct UdevKnowsTheRadiosThatTheDaemonKnows {
    let rules: UdevRules

    init() throws { rules = try UdevRules(Repository.text("udev/70-mesh-gateway.rules")) }

    @Test func everyLineOfTheTableAgrees() {
        for entry in USBTable.entries {
            // A vendor's other products: no number of its own has this one.
            let product = entry.product ?? 0xFFFE
            let outcome = rules.apply(to: UdevDevice(entry.vendor, product))
            #expect(
                outcome.links.isEmpty == (entry.kind != .radio),
                "\(UdevDevice.hex(entry.vendor)):\(UdevDevice.hex(product)) is \(entry.kind) in the table")
            if entry.kind != .radio { #expect(outcome == UdevDevice.Outcome()) }
        }
    }

    /// And no rule takes what the table does not have.
    @Test func everyNumberOfTheRulesAgrees() throws {
        var count = 0
        for line in rules.lines {
            guard let vendors = line.first(where: { $0.attribute == "ID_VENDOR_ID" })?.value else { continue }
            let products = line.first { $0.attribute == "ID_MODEL_ID" }?.value ?? "fffe"
            let goal = line.first { $0.key == "GOTO" }?.value
            for vendor in vendors.split(separator: "|") {
                for product in products.split(separator: "|") {
                    let kind = try USBTable.kind(
                        vendor: #require(UInt16(vendor, radix: 16)), product: #require(UInt16(product, radix: 16)))
                    #expect(kind == .radio && goal == "mesh_gateway_radio", "\(vendor):\(product)")
                    count += 1
                }
            }
        }
        #expect(count == USBTable.entries.count { $0.kind == .radio }, "the rules are not read")
    }

    @Test func aDeviceThatNobodyKnowsIsLeftAlone() {
        #expect(rules.apply(to: UdevDevice(0x12D1, 0x1506, model: "HUAWEI Mobile")) == UdevDevice.Outcome())
    }
}

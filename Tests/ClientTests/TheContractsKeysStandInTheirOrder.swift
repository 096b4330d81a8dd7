import Foundation
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// The goldens are what the API answers; the contract's sample JSON has the same keys in the same order.
@Test(arguments: ContractKeys.all.indices)
func theContractsKeysStandInTheirOrder(index: Int) throws {
    let expected = ContractKeys.all[index]
    let text = try #require(Golden.known()[expected.answer])
    let answer = try StrictJSON(Data(text.utf8))
    let objects = expected.place.reduce(answer.asRows) { rows, key in rows.flatMap { $0[key]?.asRows ?? [] } }
    try #require(!objects.isEmpty, "there is no \(expected.place.joined(separator: ".")) in \(expected.answer)")
    for object in objects {
        let present = Set(object.keys)
        let wanted = expected.keys.filter { !expected.optional.contains($0) || present.contains($0) }
        #expect(object.keys == wanted + expected.more, "\(expected.answer) \(expected.place)")
    }
}

extension StrictJSON {
    /// The rows of a list, and anything else by itself.
    fileprivate var asRows: [StrictJSON] { if case .array(let rows) = self { rows } else { [self] } }
}

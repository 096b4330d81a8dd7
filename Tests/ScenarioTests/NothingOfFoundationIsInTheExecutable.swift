import Foundation
import Testing

@testable import ServedProgram

/// Foundation costs megabytes of file and memory. It is linked as a library where it is linked dynamically; where it is
/// linked statically its symbols name it.
@Test func nothingOfFoundationIsInTheExecutable() throws {
    let program = try Data(contentsOf: URL(filePath: Program.path))
    #expect(program.range(of: Data("libswiftCore".utf8)) != nil, "the executable is not read")
    for name in ["libFoundation", "FoundationEssentials", "FoundationInternationalization"] {
        #expect(program.range(of: Data(name.utf8)) == nil, "\(name)")
    }
}

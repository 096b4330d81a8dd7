import FuzzTargets
import Glibc

/// The target that the environment names.
nonisolated(unsafe) private let target: any FuzzTarget = {
    let variable = { (name: String) in getenv(name).map { String(cString: $0) } ?? "" }
    let name = variable("MESH_GATEWAY_FUZZ")
    do {
        if let target = try FuzzTargets.target(named: name, folder: variable("TMPDIR")) { return target }
    } catch {
        fatalError("\(name) cannot begin: \(error)")
    }
    fatalError("MESH_GATEWAY_FUZZ is \"\(name)\" and names no target: \(FuzzTargets.names.joined(separator: ", "))")
}()

/// libFuzzer calls this with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try target.run(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        fatalError("\(error)")
    }
    return 0
}

import Foundation
import Testing

/// C sources of the tests as objects that are loaded into the shipped program (`LD_PRELOAD`), compiled once a run.
enum SharedObject {
    /// Serial ports that do not exist (Tests/CFakeSerial).
    static let fakeSerial = compiled("CFakeSerial/fakeserial.c")

    /// A disk that fails (Tests/CFaultyDisk).
    static let faultyDisk = compiled("CFaultyDisk/faultydisk.c")

    /// A system that gives no more threads (Tests/CNoThreads).
    static let noThreads = compiled("CNoThreads/nothreads.c")

    /// A wall clock that stands still (Tests/CStandingClock).
    static let standingClock = compiled("CStandingClock/clock.c")

    /// A wall clock that the test sets (Tests/CStandingClock).
    static let leapingClock = compiled("CStandingClock/leapingclock.c")

    /// What the thread sanitizer needs to understand `Mutex` (Tests/CMutexUnderTSan).
    static let mutexUnderTSan = compiled("CMutexUnderTSan/mutex.c")

    private static func compiled(_ source: String) -> Result<String, any Error> {
        Result {
            let path =
                ((#filePath as NSString).deletingLastPathComponent as NSString).deletingLastPathComponent
                + "/\(source)"
            let include = (path as NSString).deletingLastPathComponent + "/include"
            let name = ((source as NSString).lastPathComponent as NSString).deletingPathExtension
            let object = (Program.path as NSString).deletingLastPathComponent + "/\(name).so"
            let fresh = "\(object).\(getpid())"
            // The toolchain's own; a compiler of the system may be missing.
            let compiler = try Program(
                ["-shared", "-fPIC", "-O1", "-I", include, "-o", fresh, path, "-ldl"], in: Folders(),
                executable: "clang")
            try #require(compiler.exitCode() == 0, "\(compiler.errors.text)")
            // Other runs of the tests may be loading the one before.
            try #require(rename(fresh, object) == 0)
            return object
        }
    }
}

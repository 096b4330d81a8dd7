import Foundation
import JSON
import Nettle
import Testing

@testable import Store

/// SHA-256 of the text of each released step. A new one comes to the end of the list with its database in Tests/Databases;
/// whoever has to change one of these has edited what other people's files were made by.
private let released = [
    "4aa2441c0499a3b383eb495edd4c1f52da586d9e4a3b6158e5366356c0e34f73",
    "deba1c699d2321231e5402f459aa736738bef9cd19516326cd433674dd19cc87",
    "a5a154a3f41620c2ad8b17523adaa68b00bbc971ba2721f1915d83ce141464e1",
    "b96a10e5e20891fb51a2c8bdc480cf662f165ddec9f1bce1b5a491844f0f1dcc",
    "adc813622aec876639c4ad3adb0335faadfaf962cbf66b9f1cf2483523a32664",
    "4940f828f10b110ddc9c3cf320f8078176705cc008e24d8273ce8ba215b14d84",
    "3f8d03abb98ec68cb4a71f2f5aa46175633be1607ec5d04ec04c8e35b12b5645",
    "69be73c04479673a44a271b8825321df561a8cd5e889d7cd56992505958873ec",
    "813250cdc2055b28bdb4794e80c76debb0ec19518bb9087742dfb86841198376",
    "a68c55f31a7041572e953228b316a8c2bb049ee8fcce0394dc9dee9193fddd14",
    "44cc6435fcc90b3cb127d373634f791d08eefd653eadaeda3865307965f773ea",
    "a541ec59e0aaa43c890938f11572f59781442ef1c7adb0e16b3ab495e5e81f95",
    "0f24f247077be541a33551bf23657c75ee088883b13509178a18ef505661eb53",
    "fd4b2bf9b3c626946ab4dfd631591a65972c3baa5edd06b3eb0cd70fd96fbfd3",
    "b11d26b18c137d2a4426bf2df4e90067772030b122afb1794accbd4b4a2267d8",
    "165058b899e5e126ac1b3622144c0436c1cdf5a5fdf348a718a8444b0fc21080",
    "d573f25c57b8fda4d0fce9f669ec921e36878811e13312af8b6d664413ae0eef",
    "3e1f4d519d82dc8796b03beb2c6b2e5960caa795c2c89b09958d58004e0856f7",
]

@Test func aReleasedStepIsNeverEdited() {
    #expect(Schema.migrations.prefix(released.count).map { digest($0) } == released)
}

@Test func everyFormatThatHasADatabaseIsReleased() {
    let formats = 1...Schema.migrations.count + 1
    let last = formats.last { FileManager.default.fileExists(atPath: ReleasedDatabases.path(ofFormat: $0)) }
    #expect(last == released.count)
}

/// What later steps change is no part of an earlier one: its text says every column itself.
@Test func theFirstStepSaysTheColumnsOfAPacketItself() {
    for table in ["packets", "outbox"] {
        let text = Schema.first.components(separatedBy: "CREATE TABLE \(table) (")[1]
        #expect(text.prefix { $0 != ")" }.contains("xeddsa_signature BLOB"))
    }
}

private func digest(_ text: String) -> String { hexadecimal(SHA256.digest(of: Array(text.utf8))) }

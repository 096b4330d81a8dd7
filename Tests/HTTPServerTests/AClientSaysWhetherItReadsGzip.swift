import HTTPServer
import Testing

@Suite struct AClientSaysWhetherItReadsGzip {
    /// Accept-Encoding (RFC 9110, 12.5.3), whether gzip will do.
    @Test(arguments: [
        ("gzip", true), ("gzip, deflate, br, zstd", true), ("br;q=1.0, gzip;q=0.8, *;q=0.1", true), ("GZip", true),
        ("x-gzip", true), (" gzip ; q=0.001", true), ("*", true), ("br, *;q=0.5", true),
        ("", false), ("identity", false), ("br", false), ("gzip;q=0", false), ("gzip; q=0.000", false),
        ("gzip;q=0, *", false), ("*;q=0", false), ("*, gzip;q=0", false), ("notgzip", false), ("gzipped", false),
        (",;,", false),
    ]) func inOneHeader(value: String, accepts: Bool) {
        #expect(Request(target: "/", headers: [("Accept-Encoding", value)]).acceptsGzip == accepts, "\(value)")
    }

    @Test func inSeveral() {
        let two: [(name: String, value: String)] = [("Accept-Encoding", "br"), ("accept-encoding", "gzip")]
        #expect(Request(target: "/", headers: two).acceptsGzip)
    }

    @Test func byNothing() { #expect(!Request(target: "/").acceptsGzip) }
}

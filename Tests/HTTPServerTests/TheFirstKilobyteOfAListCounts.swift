import HTTPServer
import Testing

/// Reading 28 kB of such a field takes a hundred times as long as the rest of a request.
@Suite struct TheFirstKilobyteOfAListCounts {
    private func acceptsGzip(_ values: String...) -> Bool {
        Request(target: "/", headers: values.map { ("Accept-Encoding", $0) }).acceptsGzip
    }

    @Test func ofAcceptEncoding() {
        let long = String(repeating: "br,", count: 300)
        #expect(acceptsGzip(long + "gzip"))
        #expect(!acceptsGzip(long + long + "gzip"))
        #expect(!acceptsGzip(long, long, "gzip"))
        // An element that is cut says nothing: its weight may come behind.
        let blanks = String(repeating: " ", count: 1020)
        #expect(!acceptsGzip(blanks + "gzip;q=0"))
        #expect(!acceptsGzip(blanks + "gzipped"))
    }

    @Test func ofIfNoneMatch() {
        func status(_ value: String) -> Int {
            Response(headers: [("ETag", "\"wanted\"")])
                .unlessKnown(to: Request(target: "/", headers: [("If-None-Match", value)])).status
        }
        let tags = String(repeating: "\"other\",", count: 100)
        #expect(status(tags + "\"wanted\"") == 304)
        #expect(status(tags + tags + "\"wanted\"") == 200)
        #expect(status("*") == 304)
        // One that is cut is none.
        for (count, known) in [(1_000, 304), (1_013, 304), (1_014, 200), (1_020, 200), (1_030, 200)] {
            #expect(status("\"" + String(repeating: "x", count: count) + "\"," + "\"wanted\"") == known, "\(count)")
        }
    }
}

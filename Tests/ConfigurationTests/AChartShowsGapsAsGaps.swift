import Terminal
import Testing

@Suite struct AChartShowsGapsAsGaps {
    private func chart(_ points: [(Int64, Double)]) -> Chart {
        Chart(points.map { Chart.Point(time: $0.0, value: $0.1) }, from: 0, to: 10)
    }

    private func lines(_ chart: Chart, width: Int = 14, height: Int, isUnicode: Bool) -> [String] {
        chart.lines(width: width, height: height, isUnicode: isUnicode, value: { "\(Int($0))" }, time: { "t\($0)" })
    }

    /// Steps of one, and once of six: nothing is drawn there.
    @Test func aTimeWithoutPointsStaysEmpty() {
        let constant = chart([(0, 5), (1, 5), (2, 5), (8, 5), (9, 5), (10, 5)])
        #expect(
            lines(constant, height: 3, isUnicode: false) == [
                "  |", "5 +***     ***", "  |", "  +-----------", "  t0       t10",
            ])
    }

    @Test func brailleHasEightDotsACell() {
        let rising = chart([(0, 1), (1, 1), (2, 1), (10, 9)])
        #expect(
            lines(rising, height: 2, isUnicode: true) == [
                "9 ┤          ⠈", "1 ┤⣀⣀⡀", "  └───────────", "  t0       t10",
            ])
    }

    @Test func pointsNearInTimeAreJoined() {
        let rising = lines(chart([(0, 1), (10, 9)]), height: 2, isUnicode: false)
        #expect(rising.prefix(2) == ["9 +     ******", "1 +*****"])
    }

    @Test func aNarrowScreenHasTheLastTime() {
        for isUnicode in [false, true] {
            let lines = lines(chart([(0, 1000), (10, 2000)]), width: 10, height: 2, isUnicode: isUnicode)
            #expect(lines.last == "       t10")
            #expect(lines.allSatisfy { displayWidth($0) <= 10 })
        }
    }

    @Test func whatIsNoNumberIsLeftOut() {
        #expect(lines(chart([(0, .nan), (5, .infinity), (99, 1)]), height: 3, isUnicode: true).isEmpty)
        #expect(lines(chart([(0, .nan), (5, 4)]), height: 3, isUnicode: false)[1] == "4 +     *")
    }

    @Test func theLocaleSaysWhetherThereIsUTF8() {
        #expect(isUTF8(environment: ["LANG": "de_AT.UTF-8"]))
        #expect(isUTF8(environment: ["LANG": "C", "LC_CTYPE": "C.utf8"]))
        #expect(!isUTF8(environment: ["LANG": "de_AT.UTF-8", "LC_ALL": "C"]))
        #expect(!isUTF8(environment: [:]))
    }
}

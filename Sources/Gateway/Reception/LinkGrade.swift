/// MeshMonitor's grade of how steadily a node is heard, from 0 to 10 (Contract 3.7): it rises with every packet that
/// comes no longer way than the one before, and falls with detours and failures.
enum LinkGrade {
    private static let range = 0...10

    /// Before a node's first packet counts.
    static func first(hops: Int) -> Int { min(max(8 - hops, 1), 7) }

    /// - Parameter last: hops of the packet before.
    static func heard(hops: Int, after last: Int, from quality: Int) -> Int {
        changed(quality, by: hops <= last ? 1 : hops == last + 1 ? 0 : -1)
    }

    static func tracerouteFailed(from quality: Int) -> Int { changed(quality, by: -2) }

    /// A message could not be delivered because of its key.
    static func keyFailed(from quality: Int) -> Int { changed(quality, by: -5) }

    private static func changed(_ quality: Int, by change: Int) -> Int {
        min(max(quality + change, range.lowerBound), range.upperBound)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A first-in-first-out queue: both ends at constant cost.
struct ATTQueue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    init() {}

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 32, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Shows each element in order.
    func forEach(_ body: (Element) -> Void) {
        for case let element? in elements[head...] { body(element) }
    }

    /// True if an element `matches`.
    func contains(where matches: (Element) -> Bool) -> Bool {
        elements[head...].contains { $0.map(matches) ?? false }
    }

    /// Removes and returns everything in order.
    mutating func removeAll() -> [Element] {
        let rest = elements[head...].compactMap { $0 }
        elements = []
        head = 0
        return rest
    }

    /// Removes the first element that `matches`.
    mutating func removeFirst(where matches: (Element) -> Bool) -> Element? {
        for index in head..<elements.count {
            guard let element = elements[index], matches(element) else { continue }
            elements.remove(at: index)
            return element
        }
        return nil
    }

    /// Lets `change` look at each element in order until it returns true.
    mutating func updateFirst(_ change: (inout Element) -> Bool) -> Bool {
        for index in head..<elements.count {
            guard var element = elements[index] else { continue }
            let done = change(&element)
            elements[index] = element
            if done { return true }
        }
        return false
    }
}

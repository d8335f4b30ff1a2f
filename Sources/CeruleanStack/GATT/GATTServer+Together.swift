// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

extension GATTServer {
    /// Sends several new values to subscribers and keeps them, as ``update(_:of:for:now:)`` does with one. Clients that said they
    /// take it get their notifications in Multiple Handle Value Notifications. Core 5.4, Vol 3, Part G, 4.10.3.
    ///
    /// - Returns: how many values were taken, from the first on.
    public func updateTogether(_ values: [AttributeUpdate], for audience: UpdateAudience, now: MonotonicTime) -> Int {
        // What goes out one by one is left to the path for one value.
        guard values.count > 1, values.count <= ATTBearer.maximumQueuedValues / 2,
            sessionsTakeTogether(values, audience)
        else {
            return values.firstIndex { !update($0.value, of: $0.attribute, for: audience, now: now) } ?? values.count
        }
        for new in values where audience == .allSubscribers {
            guard let index = database.index(of: new.attribute), !database.attributes[index].isDynamic,
                new.value.count <= ATT.maximumValueLength
            else { continue }
            database.attributes[index].value = new.value
        }
        let updates = values.compactMap { new -> GATTServerSession.Update? in
            guard let index = database.index(of: new.attribute), database.attributes[index].partner != 0 else {
                return nil
            }
            return GATTServerSession.Update(
                handle: database.handles[index], configuration: database.attributes[index].partner,
                properties: database.attributes[index].properties, value: new.value)
        }
        for session in allSessions { session.update(updates, for: audience, now: now) }
        return values.count
    }

    /// Whether every subscriber has room for all values.
    private func sessionsTakeTogether(_ values: [AttributeUpdate], _ audience: UpdateAudience) -> Bool {
        for session in allSessions {
            var notifications = 0
            var indications = 0
            for new in values {
                guard let index = database.index(of: new.attribute) else { continue }
                let attribute = database.attributes[index]
                switch session.mode(audience, attribute.partner, attribute.properties) {
                case .notifications: notifications += 1
                case .indications: indications += 1
                case .off, nil: break
                }
            }
            guard session.bearer.takesUpdates(notifications: notifications, indications: indications) else {
                return false
            }
        }
        return true
    }
}

extension GATTServerSession {
    /// A new value of an attribute with a Client Characteristic Configuration.
    struct Update {
        var handle: UInt16
        var configuration: UInt16
        var properties: CharacteristicProperties
        var value: [UInt8]
    }

    func update(_ updates: [Update], for audience: UpdateAudience, now: MonotonicTime) {
        var together: [(handle: UInt16, value: [UInt8])] = []
        for new in updates {
            switch mode(audience, new.configuration, new.properties) {
            case .notifications: together.append((new.handle, new.value))
            case .indications: _ = bearer.indicate(new.handle, new.value, now: now)
            case .off, nil: break
            }
        }
        guard client.features.contains(.multipleNotifications) else {
            for (handle, value) in together { _ = bearer.notify(handle, value) }
            return
        }
        bearer.notify(together)
    }
}

extension ATTBearer {
    /// Whether so many more notifications and indications would be taken.
    func takesUpdates(notifications: Int, indications count: Int) -> Bool {
        guard isOpen else { return true }
        let takes =
            (notifications == 0 || values.count + notifications <= Self.maximumQueuedValues)
            && (count == 0 || indications.count + count <= Self.maximumQueuedIndications)
        if !takes { updaterWaits = true }
        return takes
    }

    /// Sends values in as few notifications as they fit into. One that is alone, or too long for company, goes as usual.
    func notify(_ all: [(handle: UInt16, value: [UInt8])]) {
        var start = 0
        while start < all.count {
            var size = 1
            let group = all[start...].prefix { item in
                size += 4 + item.value.count
                return size <= mtu
            }
            if group.count > 1 {
                send(multiple: group)
            } else {
                _ = notify(all[start].handle, all[start].value)
            }
            start += max(1, group.count)
        }
    }

    private func send(multiple group: ArraySlice<(handle: UInt16, value: [UInt8])>) {
        var pdu = [ATT.Opcode.multipleHandleValueNotification.rawValue]
        for (handle, value) in group {
            pdu.append(littleEndian: handle)
            pdu.append(littleEndian: UInt16(clamping: value.count))
            pdu += value
        }
        send(OutgoingValue(pdu: pdu, completion: nil))
    }
}

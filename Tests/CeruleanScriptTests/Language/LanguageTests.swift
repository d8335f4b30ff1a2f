// SPDX-License-Identifier: Apache-2.0

import CeruleanScript
import Testing

/// What a script finds beside Bluetooth.
@Suite struct LanguageTests {
    @Test func microtasksComeBeforeTimersAndTimersInOrder() async throws {
        let lines = try await ScriptStage.lines(
            """
            setTimeout(function () { console.log('late'); }, 20);
            var ticks = 0, timer = setInterval(function () { ticks += 1; if (ticks === 3) { clearInterval(timer); } }, 5);
            setTimeout(function (a) { console.log(a, ticks); }, 10, 'early');
            clearTimeout(setTimeout(function () { console.log('never'); }, 1));
            Promise.resolve().then(function () { console.log('micro'); });
            console.log('sync');
            """)
        #expect(lines == ["sync", "micro", "early 1", "late"])
    }

    @Test func modulesAreFoundFromTheScriptsFolderAndLoadedOnce() async throws {
        try await ScriptStage.run { stage in
            try stage.write(
                "exports.n = (exports.n || 0) + 1; exports.b = require('lib/b'); console.log('a');", to: "lib/a.js")
            try stage.write("module.exports = function () { return require('./c.json').value; };", to: "lib/b.js")
            try stage.write("{\"value\": 7}", to: "lib/c.json")
            let script = try stage.script(
                """
                var a = require('lib/a');
                console.log(a === require('/lib/a'), a.n, a.b());
                try { require('../outside'); } catch (e) { console.log(e.message); }
                try { require('missing'); } catch (e) { console.log(e.message.indexOf('there is no module missing')); }
                undeclared = 5;
                console.log(undeclared, this === globalThis, typeof exports, Ti === Titanium);
                """)
            try await script.run()
            #expect(script.lines.count == 5)
            #expect(script.lines.prefix(2) == ["a", "true 1 7"])
            #expect(script.lines[2].contains("lies outside of"))
            #expect(script.lines.suffix(2) == ["9", "5 true object true"])
        }
    }

    @Test(arguments: [
        ("var a = 1;\n\nfunction f() {\n  throw new TypeError('bad');\n}\nf();", "app.js:4:22: TypeError: bad"),
        ("var a = 1;\nvar b = ;\n", "app.js:2:9: SyntaxError: Unexpected token ';'"),
        ("setTimeout(function () {\n  null.x;\n}, 5);", "app.js:2:"),
        ("Promise.resolve().then(function () {\n  undefined.y;\n});", "app.js:2:"),
        ("\nTi.createBuffer({ length: 2 })[9];", "app.js:2:"),
        ("\n\nvar BLE = require('com.logicallabs.bluetoothle'); BLE.createBeaconRegion({ UUID: 'x' });", "app.js:3:"),
        ("throw 'text';", "text"),
    ])
    func errorsNameTheirPlace(source: String, place: String) async throws {
        try await ScriptStage.run { stage in
            let script = try stage.script(source)
            let fault = try #require(await script.fault())
            #expect(fault.kind == .uncaught)
            #expect(fault.description.contains(place), "\(fault)")
        }
    }

    @Test func errorsOfModulesNameTheirOwnPlace() async throws {
        try await ScriptStage.run { stage in
            try stage.write("function f() { throw new Error('deep'); } exports.f = f;", to: "first.js")
            try stage.write("\nvar = 3;", to: "broken.js")
            let caller = try stage.script("require('first').f();")
            let first = try #require(await caller.fault())
            #expect(first.file?.hasSuffix("first.js") == true)
            #expect(first.line == 1)
            let other = try stage.script("require('broken');", name: "other.js")
            let broken = try #require(await other.fault())
            #expect(broken.message.contains("broken.js:2:"), "\(broken)")
        }
    }

    @Test func aScriptThatNeverReturnsIsEnded() async throws {
        try await ScriptStage.run { stage in
            let script = try stage.script("try { for (;;) {} } catch (e) { console.log('caught'); }") {
                $0.turnLimit = 0.2
            }
            let fault = try #require(await script.fault())
            #expect(fault.kind == .endless)
            #expect(script.lines.isEmpty)
        }
    }

    @Test func aScriptEndsWithItsOwnStatus() async throws {
        try await ScriptStage.run { stage in
            let script = try stage.script(
                "setInterval(function () {}, 1000); Ti.Platform.cerulean.exit(6); console.log('x');")
            let ending = try await script.run()
            #expect(ending == .exited(6))
            let missing = StagedScript("/nonexistent/app.js", stage) { _ in }
            #expect(await missing.fault()?.kind == .unreadable)
        }
    }

    @Test func aRunningScriptIsStoppedFromOutside() async throws {
        try await ScriptStage.run { stage in
            let script = try stage.script("console.log('on'); setInterval(function () {}, 1000);")
            async let end = script.run()
            await script.line(with: "on")
            script.program.stop()
            let ending = try await end
            #expect(ending == .stopped)
        }
    }

    @Test func theBusCopiesAndPropertiesOutliveTheRun() async throws {
        try await ScriptStage.run { stage in
            let source = """
                var sent = { list: [1, 2] };
                Ti.App.addEventListener('news', function (e) {
                    e.list.push(3);
                    console.log(e.type, e.source === Ti.App, e.list.length, sent.list.length);
                });
                Ti.App.fireEvent('news', sent);
                var P = Ti.App.Properties;
                console.log(P.getInt('runs', -1), P.hasProperty('gone'), P.getList('l', []).length);
                P.setInt('runs', P.getInt('runs', 0) + 1);
                P.setList('l', ['a', { b: 1 }]);
                P.setString('gone', 'x');
                P.removeProperty('gone');
                Ti.App.addEventListener('resume', function () { console.log('resume'); });
                console.log(Ti.Platform.osname, Ti.Platform.version >= '5.0', typeof Ti.Platform.displayCaps.platformWidth);
                """
            let first = try stage.script(source)
            try await first.run()
            #expect(
                first.lines == ["news true 3 2", "-1 false 0", "iphone true number", "resume"])
            let second = try stage.script(source)
            try await second.run()
            #expect(second.lines[1] == "1 false 2")
        }
    }

    @Test func aMenuIsUsedByItsTitles() async throws {
        let source = """
            var win = Ti.UI.createWindow({ title: 'Menu' }), table = Ti.UI.createTableView();
            table.setData(['First', 'Second'].map(function (title) {
                var row = Ti.UI.createTableViewRow({ title: title });
                row.addEventListener('click', function () { console.log('row ' + title); next(title); });
                return row;
            }));
            function next(title) {
                var inner = Ti.UI.createWindow({ title: title }), button = Ti.UI.createButton({ title: 'Go' });
                button.addEventListener('click', function (e) {
                    console.log('go', e.source === button);
                    var dialog = Ti.UI.createAlertDialog({ title: 'Sure?', buttonNames: ['Yes', 'No'], cancel: 1 });
                    dialog.addEventListener('click', function (e) { console.log('answer', e.index, e.cancel); });
                    dialog.show();
                });
                inner.add(button);
                inner.addEventListener('open', function () { console.log('opened ' + title); });
                setTimeout(function () { inner.open(); }, 3000);
            }
            win.add(table);
            Ti.UI.iOS.createNavigationWindow({ window: win }).open();
            """
        let lines = try await ScriptStage.lines(source) { $0.clicks = ["Second", "Go", "No"] }
        #expect(lines == ["row Second", "opened Second", "go true", "[ALERT] Sure?", "answer 1 true"])
        try await ScriptStage.run { stage in
            let script = try stage.script(source) { $0.clicks = ["Third"] }
            let fault = try #require(await script.fault())
            #expect(fault.kind == .notClickable)
            #expect(fault.message.contains("First, Second"))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

extension Prelude {
    /// `Ti.UI` without a screen: views remember what they were given, and a driver clicks on what has a title.
    static let interface = #"""
        (function (native, internal, global) {
          'use strict';
          const Ti = internal.Ti;
          const PARTS = Symbol('parts');
          const open = [];

          class View extends internal.Emitter {
            constructor(kind, options) {
              super();
              Object.defineProperty(this, PARTS, { value: { kind: kind, children: [], parent: null, sections: [] } });
              Object.assign(this, options || {});
              if (options && Array.isArray(options.data)) this.setData(options.data);
            }
            get apiName() { return 'Ti.UI.' + this[PARTS].kind; }
            get children() { return this[PARTS].children.slice(); }
            get parent() { return this[PARTS].parent; }
            add(view) {
              for (const one of Array.isArray(view) ? view : [view]) {
                if (!(one instanceof View)) throw new TypeError('add: not a view');
                if (this[PARTS].children.length >= 100000) throw new RangeError('add: 100000 views are enough');
                this[PARTS].children.push(one);
                one[PARTS].parent = this;
              }
              changed();
            }
            remove(view) {
              const at = this[PARTS].children.indexOf(view);
              if (at < 0) return;
              this[PARTS].children.splice(at, 1);
              view[PARTS].parent = null;
              changed();
            }
            removeAllChildren() {
              for (const child of this[PARTS].children.splice(0)) child[PARTS].parent = null;
            }
            applyProperties(values) { Object.assign(this, values); changed(); }
            show() { this.visible = true; changed(); }
            hide() { this.visible = false; }
            animate(animation, done) { if (typeof done === 'function') internal.later(done); }
            focus() { internal.fire(this, 'focus'); }
            blur() { internal.fire(this, 'blur'); }
            // Tables.
            setData(rows) {
              this.removeAllChildren();
              for (const row of rows || []) this.appendRow(row);
            }
            get data() { return this[PARTS].children.slice(); }
            set data(rows) { this.setData(rows); }
            appendRow(row) { this.add(row instanceof View ? row : new View('TableViewRow', row)); }
            insertRowBefore(at, row) {
              this.appendRow(row);
              const all = this[PARTS].children;
              all.splice(Math.max(0, at | 0), 0, all.pop());
            }
            updateRow(at, row) { this.deleteRow(at); this.insertRowBefore(at, row); }
            deleteRow(at) { this.remove(typeof at === 'number' ? this[PARTS].children[at] : at); }
            get sections() { return this[PARTS].sections; }
            set sections(list) { this[PARTS].sections = list; this.setData([].concat.apply([], list.map(function (s) { return s.rows || s.children; }))); }
            get rows() { return this[PARTS].children.slice(); }
            // Windows.
            open() {
              if (open.includes(this)) return;
              if (open.length >= 1000) throw new RangeError('open: 1000 windows are enough');
              open.push(this);
              const window = this;
              internal.later(function () {
                internal.fire(window, 'open', {});
                internal.fire(window, 'focus', {});
                if (window.window instanceof View) window.window.open();
                changed();
              });
            }
            close() {
              const at = open.indexOf(this);
              if (at < 0) return;
              open.splice(at, 1);
              if (this.window instanceof View) this.window.close();
              internal.fire(this, 'close', {});
              changed();
            }
            openWindow(window) { window.open(); }
            closeWindow(window) { window.close(); }
            toString() { return '[object ' + this[PARTS].kind + (titleOf(this) ? ' "' + titleOf(this) + '"' : '') + ']'; }
          }
          for (const name of ['title', 'text', 'value', 'enabled', 'visible', 'backgroundColor', 'color', 'touchEnabled', 'hintText', 'image', 'window']) {
            const suffix = name[0].toUpperCase() + name.slice(1);
            View.prototype['get' + suffix] = function () { return this[name]; };
            View.prototype['set' + suffix] = function (value) { this[name] = value; changed(); };
          }
          class Dialog extends View {
            show() {
              native.log('ALERT', [this.title, this.message].filter(Boolean).join(': '));
              open.push(this);
              changed();
            }
            hide() { const at = open.indexOf(this); if (at >= 0) open.splice(at, 1); }
            choose(index) {
              this.hide();
              internal.fire(this, 'click', { index: index, cancel: index === this.cancel });
            }
            get choices() { return this.buttonNames || this.options || ['OK']; }
          }

          function titleOf(view) {
            for (const name of ['title', 'text', 'titleid', 'hintText']) if (typeof view[name] === 'string' && view[name]) return view[name];
            return '';
          }
          // All views that can be seen, the newest window first.
          function visible() {
            const found = [];
            function walk(view, depth) {
              if (view.visible === false || depth > 64) return;
              found.push({ view: view, depth: depth });
              for (const name of ['leftNavButton', 'rightNavButton']) if (view[name] instanceof View) walk(view[name], depth + 1);
              for (const child of view[PARTS].children) walk(child, depth + 1);
            }
            for (const window of open.slice().reverse()) walk(window, 0);
            return found;
          }
          function hears(view) {
            for (let at = view; at; at = at[PARTS].parent) {
              if (internal.hears(at, 'click') || internal.hears(at, 'singletap') || internal.hears(at, 'touchend')) return at;
            }
            return null;
          }
          function click(view) {
            const target = hears(view);
            if (!target) return false;
            const row = view[PARTS].parent ? view[PARTS].parent[PARTS].children.indexOf(view) : 0;
            for (let at = view; at; at = at[PARTS].parent) {
              for (const name of ['click', 'singletap', 'touchend']) internal.fire(at, name, { index: row, row: view, rowData: view, x: 0, y: 0, source: view });
            }
            return true;
          }
          function find(title) {
            for (const entry of visible()) {
              const view = entry.view;
              if (view instanceof Dialog) {
                const index = Array.from(view.choices).indexOf(title);
                if (index >= 0) return function () { view.choose(index); };
              }
              // A row is clicked by the text of a label in it.
              if (titleOf(view) === title && view.enabled !== false && hears(view)) return function () { click(view); };
            }
            return null;
          }

          const clicks = native.options.clicks.slice();
          let isLooking = false;
          function changed() {
            if (!clicks.length || isLooking) return;
            isLooking = true;
            internal.later(function () {
              isLooking = false;
              if (!clicks.length) return;
              const act = find(clicks[0]);
              if (!act) return;
              native.clicked(clicks.shift());
              act();
              changed();
            });
          }
          internal.interfaceChanged = changed;
          internal.clickable = function () {
            const titles = [];
            for (const entry of visible()) {
              if (entry.view instanceof Dialog) titles.push.apply(titles, Array.from(entry.view.choices));
              else if (titleOf(entry.view) && hears(entry.view)) titles.push(titleOf(entry.view));
            }
            return titles;
          };
          internal.dump = function () {
            return visible().map(function (entry) {
              return '  '.repeat(entry.depth) + entry.view[PARTS].kind + (titleOf(entry.view) ? ' "' + titleOf(entry.view) + '"' : '');
            }).join('\n');
          };
          internal.hasWindows = function () { return open.length > 0; };

          const UI = Object.assign(new internal.Emitter(), { iOS: new internal.Emitter(), Clipboard: {}, currentWindow: null });
          const plain = [
            'Window', 'View', 'Label', 'Button', 'TextField', 'TextArea', 'TableView', 'TableViewRow', 'TableViewSection', 'ImageView',
            'ScrollView', 'ScrollableView', 'Switch', 'Slider', 'Picker', 'PickerRow', 'ProgressBar', 'ActivityIndicator', 'WebView', 'Tab',
            'TabGroup', 'ButtonBar', 'ListView', 'ListSection', 'SearchBar', 'Toolbar', 'Animation', 'NavigationWindow', 'RefreshControl',
          ];
          for (const kind of plain) UI['create' + kind] = function (options) { return new View(kind, options); };
          UI.createAlertDialog = function (options) { return new Dialog('AlertDialog', options); };
          UI.createOptionDialog = function (options) { return new Dialog('OptionDialog', options); };
          UI.create2DMatrix = function () { return { rotate() { return this; }, scale() { return this; }, translate() { return this; } }; };
          UI.setBackgroundColor = function () {};
          for (const kind of ['NavigationWindow', 'Toolbar', 'TabbedBar', 'SplitWindow', 'NavigationGroup']) {
            UI.iOS['create' + kind] = function (options) { return new View(kind, options); };
          }
          // Families of constants that only a screen cares for.
          const family = new Proxy({}, { get(target, key) { return typeof key === 'string' ? 0 : undefined; } });
          for (const name of ['TableViewStyle', 'TableViewCellSelectionStyle', 'TableViewSeparatorStyle', 'SystemButton', 'SystemButtonStyle',
            'StatusBar', 'RowAnimationStyle', 'AnimationStyle', 'ActivityIndicatorStyle', 'ProgressBarStyle', 'ListViewStyle', 'ModalStyle']) {
            UI.iOS[name] = family;
          }
          UI.ActivityIndicatorStyle = family;
          UI.iPhone = UI.iOS;
          const constants = {
            TEXT_ALIGNMENT_LEFT: 0, TEXT_ALIGNMENT_CENTER: 1, TEXT_ALIGNMENT_RIGHT: 2, SIZE: 'SIZE', FILL: 'FILL',
            TEXT_VERTICAL_ALIGNMENT_TOP: 1, TEXT_VERTICAL_ALIGNMENT_CENTER: 0, TEXT_VERTICAL_ALIGNMENT_BOTTOM: 2,
            INPUT_BORDERSTYLE_NONE: 0, INPUT_BORDERSTYLE_LINE: 1, INPUT_BORDERSTYLE_BEZEL: 2, INPUT_BORDERSTYLE_ROUNDED: 3,
            PORTRAIT: 1, UPSIDE_PORTRAIT: 2, LANDSCAPE_LEFT: 3, LANDSCAPE_RIGHT: 4, KEYBOARD_DEFAULT: 0, KEYBOARD_ASCII: 1,
            KEYBOARD_NUMBER_PAD: 4, KEYBOARD_TYPE_DEFAULT: 0, RETURNKEY_DONE: 9, RETURNKEY_DEFAULT: 0, UNIT_DIP: 'dip', UNIT_PX: 'px',
          };
          Object.assign(UI, constants);
          Ti.UI = UI;
        })
        """#
}

// Replays the games of a report. A board is a list of places with the number of a shape at each; a move is a list of changes, four
// characters each: two digits to the base of 64 for the place, two for the shape.
(function () {
  'use strict';
  var DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';
  var SVG = document.querySelector('svg').namespaceURI;
  var active = null;

  function number(text, at) {
    return DIGITS.indexOf(text[at]) * 64 + DIGITS.indexOf(text[at + 1]);
  }

  // Makes the changes on the board and returns the places that changed.
  function apply(board, text) {
    var changed = [];
    for (var i = 0; i < text.length; i += 4) {
      var place = number(text, i);
      board[place] = number(text, i + 2);
      changed.push(place);
    }
    return changed;
  }

  function element(tag, name, parent, text) {
    var made = document.createElement(tag);
    if (name) made.className = name;
    if (text !== undefined) made.textContent = text;
    parent.appendChild(made);
    return made;
  }

  function drawn(tag, parent, attributes) {
    var made = document.createElementNS(SVG, tag);
    for (var key in attributes) made.setAttribute(key, attributes[key]);
    parent.appendChild(made);
    return made;
  }

  function button(parent, sign, label, act) {
    var made = element('button', '', parent, sign);
    made.type = 'button';
    made.title = label;
    made.setAttribute('aria-label', label);
    made.addEventListener('click', act);
    return made;
  }

  function Viewer(root, set) {
    var self = this;
    this.set = set;
    this.root = root;
    root.textContent = '';
    var board = element('div', 'board', root);
    this.svg = drawn('svg', board, { viewBox: '0 0 ' + set.size[0] + ' ' + set.size[1], role: 'img' });
    drawn('use', this.svg, { href: '#' + set.stage + '-board' });
    var layers = [0, 1, 2].map(function () { return drawn('g', self.svg, {}); });
    // The last move lies under pieces that fill a square, and over stones and tiles.
    this.marks = set.mark === 'squares' ? layers[0] : layers[2];
    this.pieces = set.places.map(function (at) { return drawn('use', layers[1], { x: at[0], y: at[1] }); });

    var side = element('div', 'side', root);
    this.result = element('p', 'result', side);
    this.why = element('p', 'why', side);
    var controls = element('div', 'controls', side);
    button(controls, '|◀', 'first position', function () { self.show(0); });
    button(controls, '◀', 'one move back', function () { self.show(self.ply - 1); });
    button(controls, '▶', 'one move on', function () { self.show(self.ply + 1); });
    button(controls, '▶|', 'last position', function () { self.show(Infinity); });
    button(controls, '↑', 'previous game', function () { self.open(self.game - 1, 0); });
    button(controls, '↓', 'next game', function () { self.open(self.game + 1, 0); });
    this.where = element('span', 'ply', controls);
    this.where.setAttribute('aria-live', 'polite');
    this.slider = element('input', '', side);
    this.slider.type = 'range';
    this.slider.min = 0;
    this.slider.setAttribute('aria-label', 'move');
    this.slider.addEventListener('input', function () { self.show(Number(self.slider.value)); });
    this.moves = element('div', 'moves', side);
    this.moves.addEventListener('click', function (event) {
      if (event.target.dataset.ply) self.show(Number(event.target.dataset.ply));
    });
    element('p', 'help', side, '← → move by move, Home and End the first and last position, N and P the next and previous game.');
    this.strips(element('div', 'strips', root));
    ['pointerdown', 'click', 'focusin'].forEach(function (kind) {
      root.addEventListener(kind, function () { active = self; });
    });
    this.open(0, Infinity);
  }

  // One square per game, a line per row: won, drawn, lost.
  Viewer.prototype.strips = function (parent) {
    var self = this, lines = [], words = ['lost', 'drawn', 'won'], names = ['l', 'd', 'w'];
    var key = element('div', 'key', parent);
    ['w', 'd', 'l'].forEach(function (name, i) {
      var item = element('span', '', key);
      element('i', name, item);
      item.appendChild(document.createTextNode(['won', 'drawn', 'lost'][i] + ' by the player named'));
    });
    this.buttons = this.set.games.map(function (game, place) {
      if (!lines[game[0]]) {
        var strip = element('div', 'strip', parent);
        element('span', '', strip, self.set.rows[game[0]][0]);
        lines[game[0]] = element('div', '', strip);
      }
      var made = element('button', names[game[2]], lines[game[0]]);
      made.type = 'button';
      made.title = 'game ' + game[1] + ': ' + words[game[2]] + ', ' + self.set.details[game[4]];
      made.setAttribute('aria-label', made.title);
      made.dataset.game = place;
      return made;
    });
    parent.addEventListener('click', function (event) {
      if (event.target.dataset.game) self.open(Number(event.target.dataset.game), 0);
    });
  };

  Viewer.prototype.open = function (place, ply) {
    var games = this.set.games, game = games[place];
    if (!game) return;
    if (this.game !== undefined) this.buttons[this.game].classList.remove('now');
    this.game = place;
    this.buttons[place].classList.add('now');
    this.plies = game[7] ? game[7].split(',') : [];
    this.words = game[6] ? game[6].split(' ') : [];
    var names = this.set.rows[game[0]], first = names[game[3] ? 0 : 1], second = names[game[3] ? 1 : 0];
    var outcome = ['loses', 'draws', 'wins'][game[2]];
    this.result.textContent = first + ' – ' + second;
    this.why.textContent = 'Game ' + game[1] + ': ' + names[0] + ' ' + outcome + ' after ' + this.words.length + ' moves'
      + (this.set.details[game[4]] ? ' (' + this.set.details[game[4]] + ')' : '') + '.'
      + (this.plies.length || !this.words.length ? '' : ' It cannot be replayed: the ledger holds a move that the rules do not allow.');
    this.slider.max = this.plies.length;
    var list = this.moves, self = this;
    list.textContent = '';
    this.words.forEach(function (word, i) {
      if (i % 2 === 0) element('b', '', list, i / 2 + 1 + '.');
      var link = element('a', '', list, word);
      link.dataset.ply = i + 1;
      list.appendChild(document.createTextNode(' '));
    });
    self.show(ply);
  };

  Viewer.prototype.show = function (ply) {
    var set = this.set, game = set.games[this.game];
    ply = Math.max(0, Math.min(this.plies.length, ply));
    this.ply = ply;
    var board = set.places.map(function () { return 0; }), changed = [];
    apply(board, set.starts[game[5]] || '');
    for (var i = 0; i < ply; i += 1) changed = apply(board, this.plies[i]);
    this.pieces.forEach(function (use, place) {
      if (board[place]) use.setAttribute('href', '#' + set.stage + '-' + board[place]);
      else use.removeAttribute('href');
    });
    this.mark(board, ply ? changed : []);
    this.slider.value = ply;
    this.where.textContent = ply + ' / ' + this.plies.length + (ply ? '  ' + this.words[ply - 1] : '');
    this.svg.setAttribute('aria-label', ply ? 'after move ' + ply + ', ' + this.words[ply - 1] : 'first position');
    var list = this.moves, now = list.querySelector('.now');
    if (now) now.classList.remove('now');
    now = ply ? list.querySelector('[data-ply="' + ply + '"]') : null;
    if (now) {
      now.classList.add('now');
      // Inside the list only: the page itself does not move.
      list.scrollTop = Math.max(0, now.offsetTop - list.offsetTop - list.clientHeight / 2);
    }
  };

  // Where the last move happened: cells that changed, those it left fainter.
  Viewer.prototype.mark = function (board, changed) {
    var set = this.set, w = set.cell[0], h = set.cell[1], layer = this.marks;
    layer.textContent = '';
    changed.filter(function (place) { return place < set.cells; }).forEach(function (place) {
      var at = set.places[place], left = !board[place];
      if (set.mark === 'squares') {
        drawn('rect', layer, { x: at[0] - w / 2, y: at[1] - h / 2, width: w, height: h, fill: set.colour, 'fill-opacity': left ? 0.4 : 0.75 });
      } else if (!left) {
        var ring = set.mark === 'points' ? { r: w * 0.24, fill: 'none', stroke: set.colour, 'stroke-width': w * 0.09 }
          : { r: w * 0.16, fill: set.colour, stroke: '#000000', 'stroke-width': w * 0.05 };
        ring.cx = at[0];
        ring.cy = at[1];
        drawn('circle', layer, ring);
      }
    });
  };

  var data = JSON.parse(document.getElementById('yomi-games').textContent), viewers = [];
  document.querySelectorAll('.replay').forEach(function (root) {
    var set = data.filter(function (one) { return one.stage === root.dataset.set; })[0];
    if (set && set.games.length) viewers.push(new Viewer(root, set));
  });

  // A row of a table leads to its first game.
  document.addEventListener('click', function (event) {
    var link = event.target.closest && event.target.closest('a.to-games');
    if (!link) return;
    viewers.forEach(function (viewer) {
      if (link.hash !== '#games-' + viewer.set.stage) return;
      var place = viewer.set.games.findIndex(function (game) { return game[0] === Number(link.dataset.row); });
      if (place >= 0) viewer.open(place, Infinity);
      active = viewer;
    });
  });

  // Keys go to the board that was used last, or to the one that is in sight.
  function aimed() {
    if (active) return active;
    return viewers.filter(function (viewer) {
      var box = viewer.svg.getBoundingClientRect();
      return box.bottom > 0 && box.top < window.innerHeight;
    })[0];
  }

  document.addEventListener('keydown', function (event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.tagName === 'INPUT') return;
    var viewer = aimed(), act = viewer && {
      ArrowLeft: function () { viewer.show(viewer.ply - 1); },
      ArrowRight: function () { viewer.show(viewer.ply + 1); },
      Home: function () { viewer.show(0); },
      End: function () { viewer.show(Infinity); },
      n: function () { viewer.open(viewer.game + 1, 0); },
      p: function () { viewer.open(viewer.game - 1, 0); }
    }[event.key];
    if (!act || (!active && (event.key === 'Home' || event.key === 'End'))) return;
    event.preventDefault();
    act();
  });
}());

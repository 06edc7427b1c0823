//! From text to trees.

use std::borrow::Cow;
use std::ops::Range;

use yomi_core::TextError;

use super::value::Value;

/// The games of a text, one after the other. Whatever stands before and between them (mail headers, byte order marks) is skipped.
pub fn trees(text: &str) -> Trees<'_> {
    Trees { text, at: 0 }
}

/// Iterator over the games of a text; after an error it ends.
pub struct Trees<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Trees<'a> {
    type Item = Result<Tree<'a>, TextError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some(start) = find_game(self.text, self.at) else {
            let rest = std::mem::replace(&mut self.at, self.text.len());
            return leftover(self.text, rest).map(Err);
        };
        let mut parser = Parser { text: self.text, at: start };
        let tree = parser.tree();
        self.at = if tree.is_ok() { parser.at } else { self.text.len() };
        Some(tree)
    }
}

/// Where the next game begins: an opening bracket with a semicolon behind it.
fn find_game(text: &str, from: usize) -> Option<usize> {
    let bracket = |&(_, &b): &(usize, &u8)| b == b'(';
    let opens = |&(i, _): &(usize, &u8)| text[i + 1..].trim_ascii_start().starts_with(';');
    let bytes = text.as_bytes().iter().enumerate().skip(from);
    bytes.filter(bracket).find(opens).map(|(i, _)| i)
}

/// Text with no game in it at all is an error, and so is text that follows the last game: part of a game, most likely.
fn leftover(text: &str, from: usize) -> Option<TextError> {
    let nothing = |c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}';
    let at = from + text[from..].find(|c| !nothing(c))?;
    let message = if from == 0 { "no game begins here: (; was expected" } else { "this does not belong to any game" };
    Some(TextError::at(text, at, message))
}

/// One game: a tree of nodes, flat. Node 0 is the root, and children come after their parents, in the order of the file.
pub struct Tree<'a> {
    text: &'a str,
    nodes: Vec<Node>,
    entries: Vec<Entry<'a>>,
}

/// A node: where it stands in the text, its neighbours in the tree (0 for none), and where its entries begin.
struct Node {
    offset: u32,
    parent: u32,
    first_child: u32,
    next_sibling: u32,
    entries: u32,
}

/// One value of one property: `AB[aa][bb]` is two entries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry<'a> {
    /// The property's name; the small letters of `Black` (`FF[3]` and older) are dropped.
    pub id: Cow<'a, str>,
    /// The value.
    pub value: Value<'a>,
    offset: u32,
}

impl<'a> Tree<'a> {
    /// How many nodes there are; at least one.
    #[allow(clippy::len_without_is_empty, reason = "a tree has a root")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The parent of a node; the root is its own.
    pub fn parent(&self, node: usize) -> usize {
        self.nodes[node].parent as usize
    }

    /// The children of a node, the main line first.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let some = |index: u32| (index > 0).then_some(index as usize);
        std::iter::successors(some(self.nodes[node].first_child), move |&i| some(self.nodes[i].next_sibling))
    }

    /// Everything a node says, in the order of the file.
    pub fn entries(&self, node: usize) -> &[Entry<'a>] {
        let end = self.nodes.get(node + 1).map_or(self.entries.len(), |next| next.entries as usize);
        &self.entries[self.nodes[node].entries as usize..end]
    }

    /// The values a node gives the property `id`.
    pub fn values<'t>(&'t self, node: usize, id: &'t str) -> impl Iterator<Item = Value<'a>> + 't {
        self.entries(node).iter().filter(move |e| e.id == id).map(|e| e.value)
    }

    /// The first value a node gives the property `id`.
    pub fn get(&self, node: usize, id: &str) -> Option<Value<'a>> {
        self.entries(node).iter().find(|e| e.id == id).map(|e| e.value)
    }

    /// An error about a node, with its number (the root is 0) and its line.
    pub fn error(&self, node: usize, message: impl std::fmt::Display) -> TextError {
        TextError::at(self.text, self.nodes[node].offset as usize, format!("node {node}: {message}"))
    }

    /// An error about one entry of a node.
    pub fn error_at(&self, node: usize, entry: &Entry<'_>, message: impl std::fmt::Display) -> TextError {
        TextError::at(self.text, entry.offset as usize, format!("node {node}: {message}"))
    }
}

/// The longest name of a property. Each value carries it, so it must be bounded.
const MAX_NAME: usize = 64;

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    /// Reads one game from its bracket to the matching one. Open brackets lie on a stack of our own.
    fn tree(&mut self) -> Result<Tree<'a>, TextError> {
        let start = self.at;
        // Offsets and counts are kept in 32 bits.
        if self.text.len() > u32::MAX as usize {
            return Err(TextError::new("a record of more than 4 GiB cannot be read"));
        }
        let mut tree = Tree { text: self.text, nodes: Vec::new(), entries: Vec::new() };
        // The node after which each open bracket stands.
        let mut open: Vec<u32> = Vec::new();
        let mut last = 0;
        let mut last_child: Vec<u32> = Vec::new();
        loop {
            match self.peek() {
                Some(b'(') => {
                    open.push(last);
                    self.at += 1;
                    if self.peek() != Some(b';') {
                        return Err(self.error("a variation begins with a node: ; was expected"));
                    }
                }
                Some(b';') => {
                    let node = tree.nodes.len() as u32;
                    let (offset, entries) = (self.at as u32, tree.entries.len() as u32);
                    tree.nodes.push(Node { offset, parent: last, first_child: 0, next_sibling: 0, entries });
                    last_child.push(0);
                    if node > 0 {
                        match std::mem::replace(&mut last_child[last as usize], node) {
                            0 => tree.nodes[last as usize].first_child = node,
                            elder => tree.nodes[elder as usize].next_sibling = node,
                        }
                    }
                    last = node;
                    self.at += 1;
                    self.entries(&mut tree.entries)?;
                }
                Some(b')') => {
                    last = open.pop().expect("a game begins with an opening bracket");
                    self.at += 1;
                    if open.is_empty() {
                        return Ok(tree);
                    }
                }
                Some(_) => return Err(self.error("a node, a variation or the end of one was expected here")),
                None => {
                    return Err(TextError::at(self.text, start, "the game that begins here has no end: ) is missing"));
                }
            }
        }
    }

    /// The properties of one node.
    fn entries(&mut self, entries: &mut Vec<Entry<'a>>) -> Result<(), TextError> {
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric()) {
            let word = self.word();
            let name = &self.text[word.clone()];
            if name.len() > MAX_NAME {
                return Err(TextError::at(self.text, word.start, "this property name is too long"));
            }
            if self.peek() != Some(b'[') {
                let message = format!("the property {name} has no value: [ was expected");
                return Err(TextError::at(self.text, word.start, message));
            }
            let id = normalised(name);
            while self.peek() == Some(b'[') {
                entries.push(Entry { id: id.clone(), value: self.value()?, offset: word.start as u32 });
            }
        }
        Ok(())
    }

    /// The span of a property's name.
    fn word(&mut self) -> Range<usize> {
        let start = self.at;
        let length = self.text[start..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        self.at = length.map_or(self.text.len(), |n| start + n);
        start..self.at
    }

    /// From one bracket to the next that is not escaped.
    fn value(&mut self) -> Result<Value<'a>, TextError> {
        let start = self.at + 1;
        let mut escaped = false;
        for (i, &b) in self.text.as_bytes()[start..].iter().enumerate() {
            match b {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b']' => {
                    self.at = start + i + 1;
                    return Ok(Value(&self.text[start..start + i]));
                }
                _ => {}
            }
        }
        Err(self.error("the value that begins here has no end: ] is missing"))
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, message: &str) -> TextError {
        TextError::at(self.text, self.at, message)
    }
}

/// `Black` is `B`. Private names stay as they are: those without capitals, and those with digits or underscores, which no
/// standard name has (`a_B` without its small letters would be no name at all).
fn normalised(word: &str) -> Cow<'_, str> {
    let letters = word.bytes().all(|b| b.is_ascii_alphabetic());
    let small = word.bytes().any(|b| b.is_ascii_lowercase());
    let capital = word.bytes().any(|b| b.is_ascii_uppercase());
    if letters && small && capital {
        Cow::Owned(word.replace(|c: char| c.is_ascii_lowercase(), ""))
    } else {
        Cow::Borrowed(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Vec<Tree<'_>>, TextError> {
        trees(text).collect()
    }

    fn only(text: &str) -> Tree<'_> {
        let mut all = parse(text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    /// The tree of the FF[4] specification's chapter on variations.
    #[test]
    fn variations_become_a_tree() {
        let text = "(;FF[4]C[root](;C[a];C[b](;C[c])(;C[d];C[e]))(;C[f](;C[g];C[h];C[i])(;C[j])))";
        let tree = only(text);
        let name = |i: usize| tree.get(i, "C").unwrap().text();
        let family: Vec<(String, Vec<String>)> =
            (0..tree.len()).map(|i| (name(i), tree.children(i).map(name).collect())).collect();
        let expected = [
            ("root", "af"),
            ("a", "b"),
            ("b", "cd"),
            ("c", ""),
            ("d", "e"),
            ("e", ""),
            ("f", "gj"),
            ("g", "h"),
            ("h", "i"),
            ("i", ""),
            ("j", ""),
        ];
        for ((node, children), (wanted, wanted_children)) in family.iter().zip(expected) {
            assert_eq!((node.as_str(), children.concat().as_str()), (wanted, wanted_children));
        }
        assert!((1..tree.len()).all(|i| tree.children(tree.parent(i)).any(|c| c == i)));
    }

    #[test]
    fn quirks_of_real_files() {
        let text = "\u{feff}From: a@b (me)\n\n ( ; GaMe [1] SiZe[9]\n AddBlack [ab]\n[cd] AB[ef] multigogm[1];\n\tBlack[aa] )\n\n(;GM[1])\u{1a}\0";
        let all = parse(text).unwrap();
        assert_eq!(all.len(), 2);
        let values: Vec<&str> = all[0].values(0, "AB").map(|v| v.0).collect();
        assert_eq!(values, ["ab", "cd", "ef"], "a property that comes twice is one");
        assert_eq!((all[0].get(0, "GM"), all[0].get(0, "SZ")), (Some(Value("1")), Some(Value("9"))));
        assert_eq!(all[0].get(0, "multigogm"), Some(Value("1")));
        assert_eq!(all[0].get(1, "B"), Some(Value("aa")));
        let private = only("(;a_B[1]k2V[2]GoGui_x[3])");
        let names: Vec<&str> = private.entries(0).iter().map(|entry| &*entry.id).collect();
        assert_eq!(names, ["a_B", "k2V", "GoGui_x"], "private names keep their small letters");
        assert_eq!(only("(;C[a\\]b(;)])").get(0, "C"), Some(Value("a\\]b(;)")));
        assert_eq!(parse(" \n").unwrap().len(), 0);
    }

    #[test]
    fn errors_say_where() {
        for (text, line, column, word) in [
            ("hello", 0, 1, "no game"),
            ("(;B[aa]\n(;W[bb]", 1, 1, "no end"),
            ("(;B[aa]\n;W[bb", 2, 3, "no end"),
            ("(;B[aa]\n W)", 2, 2, "no value"),
            ("(;B[aa]())", 0, 9, "variation begins"),
            ("(;B[aa]] ;W[bb])", 0, 8, "node"),
            ("(;B[aa])\n;W[bb])", 2, 1, "belong"),
        ] {
            let error = parse(text).err().unwrap_or_else(|| panic!("{text:?} should be wrong"));
            assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
            assert!(error.message.contains(word), "{text:?}: {error}");
        }
    }

    #[test]
    fn hostile_files_are_only_long() {
        let depth = 200_000;
        let deep = format!("{}{}", "(;B[aa]".repeat(depth), ")".repeat(depth));
        assert_eq!(only(&deep).len(), depth);
        assert!(parse(&format!("(;{}{})", "Aa".repeat(100_000), "[]".repeat(100_000))).is_err());
        assert!(parse(&"(".repeat(1_000_000)).is_err());
        assert!(parse(&"(;".repeat(1_000_000)).is_err());
        assert!(parse(&"( ".repeat(1_000_000)).is_err());
        assert!(parse(&format!("({}", " ".repeat(1_000_000))).is_err());
        assert_eq!(only(&format!("({})", ";".repeat(1_000_000))).len(), 1_000_000);
    }

    proptest! {
        #[test]
        fn never_panics(text in "[(;)\\[\\]A-Ca-c\\\\: \n本]{0,60}") {
            let _ = parse(&text);
        }
    }
}

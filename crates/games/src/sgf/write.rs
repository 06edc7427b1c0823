//! From trees to text.

/// Lines are broken before a node once they are longer than this.
const LINE: usize = 72;

/// Writes the tree below node 0: `children` gives the children of a node, `emit` writes a node's properties (its semicolon stands
/// already). Works through a list of its own, so a tree may be as deep as it likes.
pub fn write_tree<'c>(children: impl Fn(usize) -> &'c [usize], mut emit: impl FnMut(usize, &mut Writer)) -> String {
    enum Task {
        Variation(usize),
        Close,
    }
    let mut writer = Writer::default();
    let mut tasks = vec![Task::Variation(0)];
    while let Some(task) = tasks.pop() {
        let Task::Variation(mut node) = task else {
            writer.text.push(')');
            continue;
        };
        writer.open();
        tasks.push(Task::Close);
        loop {
            writer.node();
            emit(node, &mut writer);
            match children(node) {
                &[only] => node = only,
                several => {
                    tasks.extend(several.iter().rev().map(|&child| Task::Variation(child)));
                    break;
                }
            }
        }
    }
    writer.text.push('\n');
    writer.text
}

/// Puts properties into brackets.
#[derive(Default)]
pub struct Writer {
    text: String,
    line_start: usize,
}

impl Writer {
    /// Adds a property with these values, which are escaped already ([`super::escape`]); a property without values is left out.
    pub fn property<V: AsRef<str>>(&mut self, id: &str, values: impl IntoIterator<Item = V>) {
        for (i, value) in values.into_iter().enumerate() {
            if i == 0 {
                self.text.push_str(id);
            }
            self.text.push('[');
            self.text.push_str(value.as_ref());
            self.text.push(']');
        }
    }

    fn open(&mut self) {
        if !self.text.is_empty() {
            self.break_line();
        }
        self.text.push('(');
    }

    fn node(&mut self) {
        if self.text.len() - self.line_start > LINE {
            self.break_line();
        }
        self.text.push(';');
    }

    fn break_line(&mut self) {
        self.text.push('\n');
        self.line_start = self.text.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sgf::{Tree, trees};

    /// Writes a tree that was read.
    fn rewritten(tree: &Tree<'_>) -> String {
        let children: Vec<Vec<usize>> = (0..tree.len()).map(|i| tree.children(i).collect()).collect();
        write_tree(
            |i| &children[i],
            |i, writer| {
                let entries = tree.entries(i);
                for run in entries.chunk_by(|a, b| a.id == b.id) {
                    writer.property(&run[0].id, run.iter().map(|e| e.value.0));
                }
            },
        )
    }

    fn flat(text: &str) -> String {
        text.replace('\n', "")
    }

    #[test]
    fn what_is_read_is_written() {
        for text in [
            "(;FF[4]C[root](;C[a];C[b](;C[c])(;C[d];C[e]))(;C[f](;C[g];C[h];C[i])(;C[j])))",
            "(;)",
            "(;AB[aa][bb]C[x\\]y];B[];;W[cc])",
        ] {
            let tree = trees(text).next().unwrap().unwrap();
            assert_eq!(flat(&rewritten(&tree)), text);
        }
    }

    #[test]
    fn depth_is_no_matter() {
        let depth = 100_000;
        let text = format!("(;{}{})", "(;)(;".repeat(depth), ")".repeat(depth));
        let tree = trees(&text).next().unwrap().unwrap();
        assert_eq!(flat(&rewritten(&tree)), text);
    }
}

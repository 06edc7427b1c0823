//! The publication protocol of the tree under a model checker: every interleaving and every reordering the memory model allows.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p yomi-search --test publication --release`. Without the flag this file is empty.
#![cfg(loom)]

use loom::sync::Arc;
use loom::thread;
use yomi_core::{Color, Outcome};
use yomi_search::Proof;
use yomi_search::score;
use yomi_search::tree::{Below, Block, Extras, Link, Newborn, NodeId, ROOT, Tree};

fn newborns(n: u16) -> Vec<Newborn> {
    let newborn = |mv| Newborn { mv, value: f32::from(mv), prior: 0.5, static_value: 0.0, link: Link::LEAF };
    (7..7 + n).map(newborn).collect()
}

fn tree(capacity: usize) -> Arc<Tree> {
    Arc::new(Tree::with_capacity(capacity, Extras::default()))
}

/// A thread that sees a block sees all of it.
fn is_complete(tree: &Tree, block: Block) {
    for (mv, child) in (7..).zip(block.children()) {
        assert_eq!((tree.mv(child), tree.value(child), tree.prior(child)), (mv, f32::from(mv), 0.5));
        assert_eq!((tree.visits(child), tree.link(child)), (0, Link::LEAF));
    }
}

#[test]
fn a_block_is_seen_whole_or_not_at_all() {
    loom::model(|| {
        let tree = tree(3);
        let writer = {
            let tree = tree.clone();
            thread::spawn(move || {
                assert!(tree.claim(ROOT));
                tree.adopt(ROOT, &newborns(2)).unwrap();
            })
        };
        if let Below::Children(block) = tree.link(ROOT).below() {
            is_complete(&tree, block);
        }
        writer.join().unwrap();
        is_complete(&tree, tree.children(ROOT).unwrap());
    });
}

#[test]
fn one_thread_expands_a_leaf() {
    loom::model(|| {
        let tree = tree(3);
        let expand = |tree: &Tree| tree.claim(ROOT) && tree.adopt(ROOT, &newborns(1)).is_some();
        let other = {
            let tree = tree.clone();
            thread::spawn(move || expand(&tree))
        };
        let mine = expand(&tree);
        assert!(mine ^ other.join().unwrap());
        assert_eq!(tree.len(), 2);
    });
}

#[test]
fn blocks_never_overlap_and_the_arena_never_overflows() {
    loom::model(|| {
        // Room for the root, its two children, and one grandchild: one of the two threads finds none.
        let tree = tree(4);
        assert!(tree.claim(ROOT));
        let block = tree.adopt(ROOT, &newborns(2)).unwrap();
        let expand = move |tree: &Tree, child: NodeId| {
            assert!(tree.claim(child));
            let grown = tree.adopt(child, &newborns(1));
            if grown.is_none() {
                tree.unclaim(child);
            }
            grown
        };
        let other = {
            let tree = tree.clone();
            thread::spawn(move || expand(&tree, block.child(0)))
        };
        let (mine, theirs) = (expand(&tree, block.child(1)), other.join().unwrap());
        assert!(mine.is_some() ^ theirs.is_some());
        assert_eq!((tree.len(), tree.is_full()), (4, true));
        is_complete(&tree, mine.or(theirs).unwrap());
    });
}

/// A mark of exhaustion, set by a third thread, does not cut the reader off from the block published before it.
#[test]
fn a_mark_keeps_the_children_visible() {
    loom::model(|| {
        let tree = tree(2);
        let writer = {
            let tree = tree.clone();
            thread::spawn(move || {
                assert!(tree.claim(ROOT));
                tree.adopt(ROOT, &newborns(1)).unwrap();
            })
        };
        let marker = {
            let tree = tree.clone();
            thread::spawn(move || {
                if tree.children(ROOT).is_some() {
                    tree.exhaust(ROOT);
                }
            })
        };
        let link = tree.link(ROOT);
        if let Below::Children(block) = link.below() {
            is_complete(&tree, block);
        }
        writer.join().unwrap();
        marker.join().unwrap();
    });
}

/// A thread that sees that a game is over, or that nothing is left to learn, also sees what was proven.
#[test]
fn marks_stand_behind_their_proofs() {
    for finish in [true, false] {
        loom::model(move || {
            let tree = tree(2);
            let prover = {
                let tree = tree.clone();
                thread::spawn(move || {
                    tree.set_proof(ROOT, Proof::Win(1));
                    if finish {
                        tree.finish(ROOT, Outcome::Win(Color::Black));
                    } else {
                        tree.exhaust(ROOT);
                    }
                })
            };
            if tree.link(ROOT).is_exhausted() {
                assert_eq!(score::proof(tree.value(ROOT)), Some(Proof::Win(1)));
            }
            prover.join().unwrap();
        });
    }
}

/// An estimate never overwrites a proof, however the two meet.
#[test]
fn a_proof_survives_estimates() {
    loom::model(|| {
        let tree = tree(2);
        let estimator = {
            let tree = tree.clone();
            thread::spawn(move || {
                tree.set_estimate(ROOT, 0.25);
                tree.add_to_estimate(ROOT, |_| 0.5);
            })
        };
        tree.set_proof(ROOT, Proof::Draw);
        estimator.join().unwrap();
        assert_eq!(score::proof(tree.value(ROOT)), Some(Proof::Draw));
    });
}

/// Two samples of a mean, both counted, whatever their order.
#[test]
fn no_sample_is_lost() {
    loom::model(|| {
        let tree = tree(2);
        let sample = |tree: &Tree| {
            tree.visit(ROOT);
            tree.add_to_estimate(ROOT, |_| 1.0);
        };
        let other = {
            let tree = tree.clone();
            thread::spawn(move || sample(&tree))
        };
        sample(&tree);
        other.join().unwrap();
        assert_eq!((tree.visits(ROOT), tree.value(ROOT)), (2, 2.0));
    });
}

//! The `yomi` program: glue only.
fn main() {}

//! Kernels compiled beforehand, if there are any: `YOMI_PTX` names the file that `scripts/cuda_embed` writes. A program built with them needs
//! the driver of a GPU and no compiler; without them nothing is missing but that.

use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-env-changed=YOMI_PTX");
    let bytes = match std::env::var_os("YOMI_PTX").filter(|path| !path.is_empty()) {
        None => Vec::new(),
        Some(path) => {
            println!("cargo:rerun-if-changed={}", path.to_string_lossy());
            std::fs::read(&path).unwrap_or_else(|error| panic!("YOMI_PTX={}: {error}", path.to_string_lossy()))
        }
    };
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names a folder"));
    std::fs::write(folder.join("kernels.ptx"), bytes).expect("cargo's folder can be written to");
}

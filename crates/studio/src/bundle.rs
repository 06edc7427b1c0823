//! The page: built from `web/` by `npm run build`, committed, and embedded here.

/// A file of the page.
pub(crate) struct Asset {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it is.
    pub(crate) kind: &'static str,
    /// What is in it.
    pub(crate) bytes: &'static [u8],
}

/// Everything a browser loads.
pub(crate) const ASSETS: &[Asset] = &[
    Asset { name: "index.html", kind: "text/html; charset=utf-8", bytes: include_bytes!("../dist/index.html") },
    Asset { name: "studio.js", kind: "text/javascript; charset=utf-8", bytes: include_bytes!("../dist/studio.js") },
    Asset { name: "studio.css", kind: "text/css; charset=utf-8", bytes: include_bytes!("../dist/studio.css") },
    Asset { name: "worker.js", kind: "text/javascript; charset=utf-8", bytes: include_bytes!("../dist/worker.js") },
    Asset { name: "icon.svg", kind: "image/svg+xml", bytes: include_bytes!("../dist/icon.svg") },
];

/// The file that a path of a request stands for: one of the list, whatever else the path may say.
pub(crate) fn asset(path: &str) -> Option<&'static Asset> {
    let name = match path {
        "/" => "index.html",
        path => path.strip_prefix('/')?,
    };
    ASSETS.iter().find(|asset| asset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_list_are_found() {
        assert_eq!(asset("/").unwrap().name, "index.html");
        assert!(asset("/studio.js").unwrap().bytes.len() > 10_000);
        for path in [
            "/../Cargo.toml",
            "/%2e%2e/Cargo.toml",
            "//studio.js",
            "/dist/studio.js",
            "studio.js",
            "/\\..\\x",
            "/STUDIO.JS",
        ] {
            assert!(asset(path).is_none(), "{path}");
        }
    }
}

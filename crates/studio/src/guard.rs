//! Who may speak to the studio: pages that it served itself.
//!
//! A server on loopback can be reached by every page that the same browser shows. So the `Host` of a request must be one of ours (a stranger's
//! name that was made to point at loopback is not), and then its `Origin`, which browsers add to WebSockets, must be one of ours, too.

use axum::http::{HeaderMap, HeaderValue, header};

/// The names under which a studio answers: loopback with its port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guard {
    hosts: Vec<String>,
}

/// What loopback is called.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

impl Guard {
    /// Lets pages of this port in.
    pub fn of_port(port: u16) -> Guard {
        let with_port = LOOPBACK.iter().map(|name| format!("{name}:{port}"));
        // Browsers leave out the port of plain HTTP.
        let bare = LOOPBACK.iter().filter(|_| port == 80).map(ToString::to_string);
        Guard { hosts: with_port.chain(bare).collect() }
    }

    /// Whether a request with these headers is one of ours; the reason if not.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), &'static str> {
        let is_ours = |host: &str| self.hosts.iter().any(|ours| ours.eq_ignore_ascii_case(host));
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        if !host.is_some_and(is_ours) || hosts.next().is_some() {
            return Err("this studio answers on loopback only: wrong Host");
        }
        let own = |origin: &HeaderValue| {
            origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://")).is_some_and(is_ours)
        };
        if headers.get_all(header::ORIGIN).iter().all(own) {
            Ok(())
        } else {
            Err("this page is not the studio's: wrong Origin")
        }
    }
}

/// What every answer says to browsers: run nothing but our own files, let no page frame this one, send no referrer.
pub(crate) const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
         worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-cache"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(pairs: &[(&str, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(header::HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
        }
        Guard::of_port(7777).check(&headers).is_ok()
    }

    #[test]
    fn strangers_are_refused() {
        assert!(
            checked(&[("host", "127.0.0.1:7777")])
                && checked(&[("host", "localhost:7777"), ("origin", "http://localhost:7777")])
        );
        assert!(checked(&[("host", "[::1]:7777"), ("origin", "http://127.0.0.1:7777")]));
        for wrong in [
            &[][..],
            &[("host", "evil.example:7777")],
            &[("host", "127.0.0.1:7777.evil.example")],
            &[("host", "127.0.0.1")],
            &[("host", "127.0.0.1:7777"), ("host", "evil.example")],
            &[("host", "evil.example:7777"), ("origin", "http://evil.example:7777")],
            &[("host", "127.0.0.1:7777"), ("origin", "http://evil.example")],
            &[("host", "127.0.0.1:7777"), ("origin", "https://127.0.0.1:7777")],
            &[("host", "127.0.0.1:7777"), ("origin", "null")],
            &[("host", "127.0.0.1:7777"), ("origin", "http://127.0.0.1:7777"), ("origin", "http://evil.example")],
        ] {
            assert!(!checked(wrong), "{wrong:?}");
        }
    }
}

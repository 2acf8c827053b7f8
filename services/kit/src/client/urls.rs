//! Where a service is.

use std::fmt;
use std::str::FromStr;

use http::Uri;

/// One address of a service or several: `http://game-1:4700,http://game-2:4700`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Urls(Vec<Uri>);

/// Not the address of a service.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected http://host:port, several separated by commas")]
pub struct UrlError;

impl Urls {
    /// Each address as host and port, with its origin.
    pub(super) fn hosts(&self) -> impl Iterator<Item = (String, &Uri)> {
        self.0.iter().filter_map(|uri| Some((uri.authority()?.to_string(), uri)))
    }
}

impl FromStr for Urls {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        text.split(',').map(|url| read(url.trim())).collect::<Option<_>>().map(Self).ok_or(UrlError)
    }
}

impl fmt::Display for Urls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let urls: Vec<_> = self.0.iter().map(Uri::to_string).collect();
        f.write_str(&urls.join(","))
    }
}

fn read(url: &str) -> Option<Uri> {
    let uri: Uri = url.parse().ok()?;
    let authority = uri.authority()?;
    let good = uri.scheme_str() == Some("http")
        && authority.port_u16().is_some_and(|port| port != 0)
        && !authority.as_str().contains('@')
        && matches!(uri.path(), "" | "/")
        && uri.query().is_none();
    good.then_some(uri)
}

#[cfg(test)]
mod tests {
    use super::Urls;

    #[test]
    fn only_addresses_of_services_are_taken() {
        for (text, hosts) in [
            ("http://game:4700", Some(vec!["game:4700"])),
            ("http://127.0.0.1:1/, http://[::1]:2", Some(vec!["127.0.0.1:1", "[::1]:2"])),
            ("", None),
            ("game:4700", None),
            ("http://game", None),
            ("http://game:0", None),
            ("http://game:99999", None),
            ("https://game:4700", None),
            ("http://me@game:4700", None),
            ("http://game:4700/path", None),
            ("http://game:4700?query", None),
            ("http://game:4700,", None),
        ] {
            let urls = text.parse::<Urls>().ok();
            let found = urls.as_ref().map(|urls| urls.hosts().map(|(host, _)| host).collect());
            let hosts = hosts.map(|hosts| hosts.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(found, hosts, "{text:?}");
        }
    }
}

//! A wrong setting is told in one line that names variable, value and what was expected.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use tengen_kit::config::{Bad, Common, parse};

const SECRET: [&str; 2] = ["--service-secret", "01234567890123456789012345678901"];

fn read(arguments: &[&str]) -> Result<Common, Bad> {
    let arguments = ["tengen-test"].iter().chain(arguments).map(Into::into);
    parse::<Common>("tengen-test", "A test.", arguments)
}

#[test]
fn the_defaults_hold() {
    let common = read(&SECRET).unwrap();
    assert_eq!(common.listen.to_string(), "0.0.0.0:4700");
    assert_eq!(common.admin_listen.to_string(), "0.0.0.0:4701");
    assert_eq!((common.drain_notice_ms, common.drain_grace_ms), (3_000, 10_000));
    assert_eq!((common.connection_age_s, common.threads), (1_800, 1));
    assert_eq!(
        (common.issuer.name.as_str(), common.issuer.audience.as_str()),
        ("tengen", "tengen")
    );
    assert_eq!(common.log, "info");
}

#[test]
fn what_is_wrong_is_told_in_one_line() {
    for (arguments, line) in [
        (
            &["--listen", "here"][..],
            "TENGEN_LISTEN is \"here\": invalid socket address syntax, expected: Where calls come \
             in, as address:port",
        ),
        (
            &["--threads", "0"],
            "TENGEN_THREADS is \"0\": 0 is not in 1..=256, expected: Threads that answer calls. \
             One does most for its core: rather add replicas",
        ),
        (
            &["--drain-grace-ms", "soon"],
            "TENGEN_DRAIN_GRACE_MS is \"soon\": invalid digit found in string, expected: How long \
             calls and streams may take to end after that, in milliseconds",
        ),
        (
            &["--issuer", "two words"],
            "TENGEN_ISSUER is \"two words\", expected 1 to 256 characters without spaces",
        ),
        (
            &["--service-secret", "short"],
            "TENGEN_SERVICE_SECRET is hidden, expected 32 bytes at least",
        ),
        (
            &["--service-secret-file", "/no/such/file"],
            "TENGEN_SERVICE_SECRET_FILE is \"/no/such/file\", expected a file that can be read: No \
             such file or directory (os error 2)",
        ),
        (&["--frob"], "unexpected argument '--frob' found"),
    ] {
        assert_eq!(read(arguments).unwrap_err(), Bad::Setting(line.to_owned()), "{arguments:?}");
    }
    let both = [&SECRET[..], &["--service-secret-file", "Cargo.toml"]].concat();
    let Bad::Setting(line) = read(&both).unwrap_err() else { panic!("a setting") };
    assert!(
        line.contains("TENGEN_SERVICE_SECRET is set beside TENGEN_SERVICE_SECRET_FILE"),
        "{line}"
    );
    let Bad::Setting(line) = read(&[]).unwrap_err() else { panic!("a setting") };
    assert!(line.starts_with("TENGEN_SERVICE_SECRET is not set, expected: The secret"), "{line}");
    let Bad::Setting(line) = read(&["--log", "a=b=c"]).unwrap_err() else { panic!("a setting") };
    assert!(line.starts_with("TENGEN_LOG is \"a=b=c\", expected a filter like"), "{line}");
}

#[test]
fn a_secret_file_may_end_with_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret");
    std::fs::write(&path, format!("{}\n", SECRET[1])).unwrap();
    assert!(read(&["--service-secret-file", path.to_str().unwrap()]).is_ok());
    std::fs::write(&path, format!("{}\n", &SECRET[1][1..])).unwrap();
    let Bad::Setting(line) = read(&["--service-secret-file", path.to_str().unwrap()]).unwrap_err()
    else {
        panic!("a setting")
    };
    assert!(line.ends_with("expected a file with 32 bytes at least"), "{line}");
}

#[test]
fn help_names_each_variable_with_its_default() {
    let Bad::Asked(help) = read(&["--help"]).unwrap_err() else { panic!("help") };
    assert!(help.starts_with("A test."), "{help}");
    for part in ["[env: TENGEN_LISTEN=", "[default: 0.0.0.0:4700]", "[env: TENGEN_SERVICE_SECRET]"]
    {
        assert!(help.contains(part), "{part} in {help}");
    }
}

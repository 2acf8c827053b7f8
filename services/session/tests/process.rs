//! The binary as it is: a wrong setting ends it before it does anything.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::process::Command;

#[test]
fn a_wrong_variable_ends_it_with_64_and_one_line() {
    for (variable, value, line) in [
        (
            "TENGEN_LISTEN",
            "here",
            "TENGEN_LISTEN is \"here\": invalid socket address syntax, expected: Where calls come in, as address:port",
        ),
        (
            "TENGEN_SERVICE_SECRET",
            "short",
            "TENGEN_SERVICE_SECRET is hidden, expected 32 bytes at least",
        ),
        (
            "TENGEN_SESSION_QUEUE",
            "-1",
            "TENGEN_SESSION_QUEUE is \"-1\": invalid digit found in string, expected: How many more sign-ins wait for that",
        ),
        (
            "TENGEN_PROXIES",
            "10.0.0.0/33",
            "TENGEN_PROXIES is \"10.0.0.0/33\", expected an address, or a network as 10.0.0.0/8",
        ),
        (
            "TENGEN_SESSION_IDP_ISSUER",
            "https://id.example",
            "TENGEN_SESSION_IDP_AUDIENCE is not set, expected: Whom those tokens are for: their aud",
        ),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_tengen-session"))
            .env_clear()
            .env("TENGEN_SERVICE_SECRET", "01234567890123456789012345678901")
            .env("TENGEN_REDIS_URL", "redis://127.0.0.1:1")
            .env("TENGEN_SESSION_DATABASE_URL", "sqlite://no/such/folder/session.db")
            .env("TENGEN_GAME_URLS", "http://127.0.0.1:1")
            .env(variable, value)
            .output()
            .expect("it starts");
        assert_eq!(output.status.code(), Some(64), "{variable}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said, format!("tengen-session: {line}\n"));
        assert!(output.stdout.is_empty());
    }
}

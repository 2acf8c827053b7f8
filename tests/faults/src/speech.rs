//! Where a request ends, in what clients of the stores say.

/// What the clients of a server speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speech {
    /// Commands of Redis: lists of strings, each with its length before it.
    Redis,
    /// Messages of Postgres: a letter, a length, and the rest; before signing in without the letter.
    Postgres,
    /// Anything: bytes are passed on as they come.
    Bytes,
}

impl Speech {
    /// How long the first request in these bytes is; `None` until it is whole.
    pub fn request(self, bytes: &[u8]) -> Option<usize> {
        let length = match self {
            Self::Redis => command(bytes)?,
            Self::Postgres if *bytes.first()? == 0 => number(bytes)?,
            Self::Postgres => 1 + number(bytes.get(1..)?)?,
            Self::Bytes => bytes.len(),
        };
        (length > 0 && length <= bytes.len()).then_some(length)
    }

    /// What a server is sent behind a request, and what it says when that was carried out. It
    /// answers in order; Postgres is sent nothing, as it is only asked to commit.
    pub fn probe(self) -> (&'static [u8], &'static [u8]) {
        match self {
            Self::Redis => (b"*2\r\n$4\r\nECHO\r\n$12\r\ncarried-out!\r\n", b"carried-out!"),
            Self::Postgres => (b"", b"COMMIT\0"),
            Self::Bytes => panic!("nobody knows when anything is carried out"),
        }
    }
}

fn command(bytes: &[u8]) -> Option<usize> {
    let (count, mut at) = header(bytes, b'*')?;
    for _ in 0..count {
        let (length, head) = header(bytes.get(at..)?, b'$')?;
        at += head + length + 2;
    }
    Some(at)
}

/// A number behind its mark, and how many bytes that takes with its line break.
fn header(bytes: &[u8], mark: u8) -> Option<(usize, usize)> {
    let end = bytes.windows(2).position(|pair| pair == b"\r\n")?;
    assert_eq!(bytes[0], mark, "a command of Redis");
    let digits = std::str::from_utf8(&bytes[1..end]).expect("digits");
    Some((digits.parse().expect("a number"), end + 2))
}

fn number(bytes: &[u8]) -> Option<usize> {
    let four: [u8; 4] = bytes.get(..4)?.try_into().ok()?;
    usize::try_from(u32::from_be_bytes(four)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(speech: Speech, bytes: &[u8], expected: &[usize]) {
        let (mut rest, mut found) = (bytes, Vec::new());
        while let Some(length) = speech.request(rest) {
            found.push(length);
            rest = &rest[length..];
        }
        assert_eq!(found, expected, "{}", String::from_utf8_lossy(bytes));
    }

    #[test]
    fn requests_are_told_apart() {
        let ping = b"*1\r\n$4\r\nPING\r\n";
        check(Speech::Redis, ping, &[14]);
        check(
            Speech::Redis,
            &[&ping[..], b"*2\r\n$3\r\nGET\r\n$2\r\n\r\n\r\n"].concat(),
            &[14, 21],
        );
        check(Speech::Redis, &ping[..13], &[]);
        check(Speech::Redis, b"", &[]);
        let query = b"Q\0\0\0\x0bCOMMIT\0";
        check(Speech::Postgres, query, &[12]);
        check(Speech::Postgres, &[&[0, 0, 0, 8, 4, 210, 22, 47][..], query].concat(), &[8, 12]);
        check(Speech::Postgres, &query[..11], &[]);
        check(Speech::Bytes, b"anything", &[8]);
        check(Speech::Bytes, b"", &[]);
    }
}

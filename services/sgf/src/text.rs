//! Values of properties: what SGF takes for itself is escaped.

/// Text of one line: any white space is a space.
pub fn simple(text: &str) -> String {
    escape(text, |c| c.is_whitespace() || c.is_control())
}

/// Text of any number of lines.
pub fn long(text: &str) -> String {
    escape(text, |c| c != '\n' && (c.is_whitespace() || c.is_control()))
}

fn escape(text: &str, space: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(if space(c) { ' ' } else { c });
    }
    escaped
}

/// Milliseconds as seconds: `3540.25`, `60`.
pub fn seconds(ms: i64) -> String {
    let text = format!("{}.{:03}", ms / 1_000, ms.unsigned_abs() % 1_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Seconds, with at most three decimals, as milliseconds.
pub fn ms(seconds: &str) -> Option<i64> {
    let (whole, rest) = seconds.split_once('.').unwrap_or((seconds, ""));
    if !(whole.to_owned() + rest).bytes().all(|c| c.is_ascii_digit()) || rest.len() > 3 {
        return None;
    }
    let rest: i64 = format!("{rest:0<3}").parse().ok()?;
    whole.parse::<i64>().ok()?.checked_mul(1_000)?.checked_add(rest)
}

/// Quarter stones as points, two to a stone: 15 are `7.5`.
pub fn points(quarters: i32) -> String {
    let sign = if quarters < 0 { "-" } else { "" };
    let quarters = quarters.unsigned_abs();
    format!("{sign}{}{}", quarters / 2, if quarters % 2 == 1 { ".5" } else { "" })
}

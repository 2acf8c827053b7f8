//! Whole games as a timekeeper would write them down, to be read beside the rulebook. They are
//! held against `national.txt` and `local.txt`; `TENGEN_RENEW=1` writes those files anew.

use std::{env, fs};

use tengen_rules::text::gtp;
use tengen_rules::{Colour, Size};
use tengen_table::{Event, Fact, Ordered, Phase, Settings, Table, seat};
use tengen_timing::{Announcement, Call, CreditReason, preset};

use crate::kit::{Black, Game, START_MS, White, replay, view};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
/// The games are made some time before they begin.
const BEGIN_MS: i64 = START_MS + HOUR;

const COLUMNS: &str = "\
instant   since the start, h:mm:ss.mmm
who       a side, the referee, the server, or the timekeeper who reads the side to move its time
what      what happened; what is read aloud is in quotes
          plays: the point, how long the side thought, and the reserved minutes it took
clocks    > before the clock that runs; then what is left, after what happened:
          of the unreserved part; reserved minutes, the open one included; of the open minute

";

/// A game and what was written down so far.
struct Transcript {
    game: Game,
    text: String,
    /// Events that are written down.
    told: usize,
}

impl Transcript {
    fn new(control: &str, title: &str) -> Self {
        let mut settings = Settings::even(Size::square(19).unwrap());
        settings.control = preset(control);
        settings.rated = true;
        settings.start_at_ms = Some(BEGIN_MS);
        let mut transcript = Self { game: Game::new(settings), text: title.into(), told: 1 };
        transcript.text.push_str("\n\n");
        transcript.text.push_str(COLUMNS);
        transcript.columns("instant", "who", "what", ["  Black", "  White"]);
        transcript
    }

    /// A while passes, and the timekeeper reads it.
    fn after(&mut self, ms: i64) -> &mut Self {
        let from_ms = self.game.now_ms;
        let now_ms = self.game.wait(ms).now_ms;
        let table = (*self.game).clone();
        let calls = table.clock().unwrap().announcements(from_ms, now_ms);
        for Announcement { at_ms, call, .. } in calls {
            self.line(&table, at_ms, "timekeeper", &aloud(call));
        }
        self
    }

    /// A while passes in which the server is away, so that nothing is read; then it gives it back.
    fn outage(&mut self, ms: i64) -> &mut Self {
        let from_ms = self.game.now_ms;
        let to_ms = self.game.wait(ms).now_ms;
        assert!(self.game.credit(CreditReason::Outage, from_ms, to_ms));
        self.tell()
    }

    fn arrives(&mut self, side: Colour) -> &mut Self {
        self.game.arrive(side).unwrap();
        self.tell()
    }

    fn plays(&mut self, point: &str) -> &mut Self {
        self.game.play(point).unwrap();
        self.tell()
    }

    fn ordered(&mut self, act: Ordered) -> &mut Self {
        self.game.order(act).unwrap();
        self.tell()
    }

    /// The server finds what has fallen due.
    fn due(&mut self) -> &mut Self {
        assert!(self.game.tick());
        self.tell()
    }

    /// Writes down the events since the last, each with what it made of the game.
    fn tell(&mut self) -> &mut Self {
        for told in self.told..self.game.log.len() {
            let event = self.game.log[told].clone();
            let table = replay(&self.game.log[..=told]);
            let who = match (event.by, &event.word) {
                (Some(side), _) => side.to_string(),
                (None, Some(word)) => word.referee.clone(),
                (None, None) => "server".into(),
            };
            self.line(&table, event.at_ms, &who, &what(&table, &event));
        }
        self.told = self.game.log.len();
        self
    }

    fn line(&mut self, table: &Table, at_ms: i64, who: &str, what: &str) {
        let clock = table.clock().unwrap();
        let clocks = Colour::BOTH.map(|side| {
            let reading = clock.reading(seat(side), at_ms);
            let runs = if clock.running() == Some(seat(side)) { '>' } else { ' ' };
            let (main, minutes) = (span(reading.main_left_ms), reading.periods_left);
            let open_ms = reading.period_left_ms;
            format!("{runs} {main} {minutes} {:>2}.{:03}", open_ms / SECOND, open_ms % SECOND)
        });
        self.columns(&span(at_ms - BEGIN_MS), who, what, clocks.each_ref().map(String::as_str));
    }

    fn columns(&mut self, at: &str, who: &str, what: &str, [black, white]: [&str; 2]) {
        let line = format!("{at:>12}  {who:<10}  {what:<53}  {black:<22}  {white}");
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// The game as it was written down is the game as it is; and so it is on file.
    fn check(&self, name: &str) {
        assert_eq!(view(&replay(&self.game.log)), view(&self.game));
        let path = format!("{}/tests/table/{name}", env!("CARGO_MANIFEST_DIR"));
        if env::var_os("TENGEN_RENEW").is_some() {
            fs::write(&path, &self.text).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        let differences = differences(&expected, &self.text);
        assert!(
            differences.is_empty(),
            "{name} is another ( - as on file, + as played):\n{differences}\
             TENGEN_RENEW=1 cargo test -p tengen-table transcript writes it anew"
        );
    }
}

/// What happened, in words; `table` is the game after it.
fn what(table: &Table, event: &Event) -> String {
    let why = event.word.as_ref().map(|word| format!(": {}", word.text)).unwrap_or_default();
    match &event.fact {
        Fact::Arrived if table.late_ms(event.by.unwrap()) == 0 => "arrives".into(),
        Fact::Arrived => format!("arrives {} late", span(event.at_ms - BEGIN_MS)),
        Fact::Started => "the game begins".into(),
        Fact::Move(point) => {
            let charge = table.last_charge().unwrap();
            let point = gtp::format(*point, table.settings().size);
            let played = format!("plays {point}, thought {}", span(charge.used_ms));
            match charge.periods_taken {
                0 => played,
                taken => format!("{played}, takes {}", minutes(taken)),
            }
        }
        Fact::Paused { until_ms, .. } => {
            format!("stops the clocks until {}{why}", span(until_ms.unwrap() - BEGIN_MS))
        }
        Fact::Resumed { .. } => format!("lets the clocks go on{why}"),
        Fact::TimeAdded { side, ms } => format!("gives {side} {}{why}", span(*ms)),
        Fact::Credited { from_ms, to_ms, .. } => {
            format!("gives back an outage of {}", span(to_ms - from_ms))
        }
        Fact::Ended { reason, .. } => {
            format!("the game ends, {reason:?}: {}", table.outcome().unwrap().text())
        }
        other => format!("{other:?}"),
    }
}

/// What is heard.
fn aloud(call: Call) -> String {
    match call {
        Call::Seconds(n) => format!("\"{n} seconds\""),
        Call::Count(n) => format!("\"{n}\""),
        Call::TimeIsUp => "\"10, time is up\"".into(),
        Call::ByoYomiBegins => "\"byo-yomi begins\"".into(),
        Call::MinutesLeft(n) => format!("\"{} left\"", minutes(n)),
        Call::PeriodsLeft(n) => format!("\"{n} periods left\""),
        Call::StonesLeft(n) => format!("\"{n} stones left\""),
    }
}

fn minutes(n: u32) -> String {
    if n == 1 { "1 minute".into() } else { format!("{n} minutes") }
}

/// h:mm:ss.mmm
fn span(ms: i64) -> String {
    let sign = if ms < 0 { "-" } else { "" };
    let ms = ms.abs();
    let (hours, minutes, seconds) = (ms / HOUR, ms / MINUTE % 60, ms / SECOND % 60);
    format!("{sign}{hours}:{minutes:02}:{seconds:02}.{:03}", ms % SECOND)
}

/// The lines between the first and the last that differ.
fn differences(expected: &str, found: &str) -> String {
    let [expected, found] = [expected, found].map(|text| text.lines().collect::<Vec<_>>());
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
        pairs.take_while(|(one, other)| one == other).count()
    };
    let before = same(&mut expected.iter().zip(&found));
    let (old, new) = (&expected[before..], &found[before..]);
    let after = same(&mut old.iter().rev().zip(new.iter().rev()));
    let marked = |mark, lines: &[&str]| {
        lines[..lines.len() - after]
            .iter()
            .map(|line| format!("{mark} {line}\n"))
            .collect::<String>()
    };
    marked('-', old) + &marked('+', new)
}

// rulebook: C3.0, C3.1, C3.2, C3.2a, C5.1, C8.4, C14.3, C14.5; case: C9, C21, C22, C28
#[test]
fn a_game_under_the_national_control() {
    let mut game = Transcript::new(
        "national",
        "A game under `national`: 3 hours a side, the last 5 minutes of them reserved\n\
         (rulebook C3.0, C3.2, C3.2a, C5.1, C8.4, C14.3).",
    );
    game.after(50 * MINUTE).arrives(Black);
    game.after(13 * MINUTE).arrives(White);
    // Main time: Black is left with 20 s of it, White with 10 s.
    game.after(70 * MINUTE).plays("Q16").after(2 * MINUTE + 350).plays("D4");
    game.after(105 * MINUTE - 20 * SECOND).plays("Q4");
    game.after(169 * MINUTE + 49 * SECOND + 650).plays("D16");
    // Into byo-yomi in mid-move: the first minute begins when the rest is used up.
    game.after(79_999).plays("R10").after(70 * SECOND).plays("C10");
    // A broken minute is free, a full one is taken.
    game.after(59_999).plays("K16").after(8 * SECOND).plays("K4");
    game.after(60_000).plays("F17").after(20 * SECOND).plays("C14");
    game.after(150 * SECOND).plays("D17").after(5 * SECOND).plays("C17");
    // A pause in a minute, which goes on where it stood.
    let until_ms = Some(game.game.now_ms + 42_500 + 15 * MINUTE);
    game.after(42_500).ordered(Ordered::Pause { until_ms });
    game.after(15 * MINUTE).due();
    game.after(17_499).plays("C18").after(12 * SECOND).plays("B17");
    // The server is away; the minute goes on where it stood.
    game.after(25 * SECOND).outage(3 * MINUTE).after(34_999).plays("B18");
    game.after(31 * SECOND).plays("D18");
    // A minute that is given in mid-turn comes before the reserve.
    game.after(35 * SECOND).ordered(Ordered::AddTime { side: Black, ms: MINUTE });
    game.after(80 * SECOND).plays("E18").after(3 * SECOND).plays("C16");
    // The first minute of this turn is the last but one.
    game.after(75 * SECOND).plays("E17").after(4 * SECOND).plays("O17");
    // The last minute, as often as it does not run out.
    game.after(59_999).plays("O16").after(6 * SECOND).plays("N16");
    game.after(51_500).plays("O15").after(9 * SECOND).plays("N17");
    game.after(60_000).due();
    assert_eq!(game.game.phase(), Phase::Ended);
    game.check("national.txt");
}

// rulebook: C3.0, C3.1, C3.2, C3.2a, C14.5; case: C5
#[test]
fn a_game_under_the_local_control() {
    let mut game = Transcript::new(
        "local",
        "A game under `local`: 1 hour a side, the last minute of it reserved (rulebook C3.0, C3.2,\n\
         C3.2a).",
    );
    game.after(HOUR - 5 * SECOND).arrives(White).arrives(Black).after(5 * SECOND).due();
    game.after(58 * MINUTE + 30 * SECOND).plays("Q16").after(40 * SECOND).plays("D4");
    game.after(89_999).plays("Q4").after(2 * MINUTE).plays("D16");
    game.after(59_999).plays("R10").after(MINUTE).plays("C10");
    game.after(60_000).due();
    assert_eq!(game.game.phase(), Phase::Ended);
    game.check("local.txt");
}

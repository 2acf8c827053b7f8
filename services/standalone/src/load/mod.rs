//! `tengen load`: plays recorded games against a running suite, and tells how it went.
//!
//! A *contender* is what is played against: the suite, or a reference beside it. Each has as many
//! tables as there are games at once; at a table one game follows another, each move as soon as the
//! one before it has arrived. Contenders take turns, a slice of a few seconds each, so that
//! whatever else the machine does falls on all of them alike.

mod contender;
mod grpc;
mod house;
mod measured;
mod plan;
mod process;
mod records;
mod socketio;
mod table;
mod watchers;
mod weight;

use std::process::ExitCode;
use std::time::Duration;

pub use self::measured::{Measured, Report, ratio};
pub use self::plan::{By, Named, Plan};

use self::contender::Contender;
use crate::error::ToolError;

/// How long one contender is played against before it is another's turn, about.
const SLICE_S: u64 = 2;

/// What a bad setting ends with (EX_USAGE of sysexits.h).
const BAD_SETTING: u8 = 64;

/// Carries out a plan and prints its report: 1 if anything went wrong, 64 if a setting is.
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "what the operator reads")]
pub async fn command(plan: &Plan) -> ExitCode {
    match run(plan).await {
        Ok(report) => {
            print!("{report}");
            ExitCode::from(u8::from(report.failed()))
        }
        Err(error) => {
            eprintln!("tengen load: {error}");
            ExitCode::from(if error.is_setting() { BAD_SETTING } else { 1 })
        }
    }
}

/// Carries out a plan: one slice for each contender to warm up, then its seconds.
///
/// # Errors
/// A setting is wrong, or a contender cannot be begun with. What goes wrong later stands in the
/// report.
pub async fn run(plan: &Plan) -> Result<Report, ToolError> {
    let run = format!("{:06x}", rand::random_range(0..0x100_0000));
    let mut contenders = vec![Contender::suite(plan, &run).await?];
    for reference in &plan.references {
        contenders.push(Contender::reference(plan, &run, reference).await?);
    }
    for contender in &mut contenders {
        contender.open().await?;
    }
    let slices = plan.seconds.div_ceil(SLICE_S);
    let length = Duration::from_millis(plan.seconds * 1_000 / slices);
    for slice in 0..=slices {
        for contender in &mut contenders {
            contender.slice(length, slice > 0).await?;
        }
    }
    if let (Some(redis), Some(suite)) = (&plan.redis, contenders.first_mut()) {
        suite.weigh(redis).await?;
    }
    Ok(Report(contenders.into_iter().map(Contender::measured).collect()))
}

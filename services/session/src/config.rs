//! What may be set.

use std::collections::HashSet;

use tengen_kit::time::SharedTime;
use tengen_proto::common::v1::Role;

use crate::experience::Tiers;
use crate::provider::{KeySource, Provider};

/// The least minutes of each tier of experience: 10, 100, 500 and 1,000 hours.
const TIERS: [i64; 4] = [600, 6_000, 30_000, 60_000];
const MINUTE_MS: i64 = 60_000;

/// The settings of the session service.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Config {
    /// Ids of the players who are referees, separated by commas.
    #[arg(id = "session-referees", long, env = "TENGEN_SESSION_REFEREES", value_delimiter = ',')]
    pub referees: Vec<String>,
    /// Ids of the players who are chief referees, separated by commas.
    #[arg(
        id = "session-chief-referees",
        long,
        env = "TENGEN_SESSION_CHIEF_REFEREES",
        value_delimiter = ','
    )]
    pub chief_referees: Vec<String>,
    /// Ids of the players who are organisers, separated by commas.
    #[arg(
        id = "session-organisers",
        long,
        env = "TENGEN_SESSION_ORGANISERS",
        value_delimiter = ','
    )]
    pub organisers: Vec<String>,
    /// How many passwords are hashed at once; each takes a core for 30 to 60 ms, and 19 MiB.
    #[arg(id = "session-hashers", long, env = "TENGEN_SESSION_HASHERS", default_value_t = 1)]
    pub hashers: usize,
    /// How many more sign-ins wait for that; whoever comes then is told to try again.
    #[arg(id = "session-queue", long, env = "TENGEN_SESSION_QUEUE", default_value_t = 64)]
    pub queue: usize,
    /// How many days a signing key is old when a new one takes its place.
    #[arg(
        id = "session-key-days",
        long,
        env = "TENGEN_SESSION_KEY_DAYS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u16).range(1..=3_650)
    )]
    pub key_days: u16,
    /// How many wrong passwords for a name are taken from one address in 10 minutes; from all
    /// addresses, and from one for all names, ten times as many.
    #[arg(
        id = "session-failures",
        long,
        env = "TENGEN_SESSION_FAILURES",
        default_value_t = 10,
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    pub failures: u16,
    /// How many accounts may be made from one address in an hour.
    #[arg(
        id = "session-registrations",
        long,
        env = "TENGEN_SESSION_REGISTRATIONS",
        default_value_t = 60,
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    pub registrations: u16,
    /// How many bots a person may have.
    #[arg(id = "session-bots", long, env = "TENGEN_SESSION_BOTS", default_value_t = 5)]
    pub bots: u16,
    /// Whose tokens are exchanged: the iss of another identity provider.
    #[arg(
        id = "session-idp-issuer",
        long,
        env = "TENGEN_SESSION_IDP_ISSUER",
        requires_all = ["session-idp-audience", "session-idp-jwks"]
    )]
    pub idp_issuer: Option<String>,
    /// Whom those tokens are for: their aud.
    #[arg(
        id = "session-idp-audience",
        long,
        env = "TENGEN_SESSION_IDP_AUDIENCE",
        requires = "session-idp-issuer"
    )]
    pub idp_audience: Option<String>,
    /// The keys of that provider, a JSON Web Key Set, as a file or as https://host/path.
    #[arg(
        id = "session-idp-jwks",
        long,
        env = "TENGEN_SESSION_IDP_JWKS",
        requires = "session-idp-issuer"
    )]
    pub idp_jwks: Option<KeySource>,
    /// The minutes of presence with which each tier of experience begins, from tier 1 on, separated
    /// by commas (rulebook L10).
    #[arg(
        id = "session-tiers",
        long,
        env = "TENGEN_SESSION_TIERS",
        value_delimiter = ',',
        default_values_t = TIERS,
        value_parser = clap::value_parser!(i64).range(1..)
    )]
    pub tiers: Vec<i64>,
    /// How long a minute of experience is, in milliseconds. It is 60,000; less is for tests.
    #[arg(
        id = "session-minute-ms",
        long,
        env = "TENGEN_SESSION_MINUTE_MS",
        default_value_t = MINUTE_MS,
        hide = true,
        value_parser = clap::value_parser!(i64).range(100..=MINUTE_MS)
    )]
    pub minute_ms: i64,
}

/// Who holds a role beyond that of a player.
#[derive(Debug)]
pub(crate) struct Grants(Vec<(Role, HashSet<String>)>);

impl Default for Config {
    fn default() -> Self {
        Self {
            referees: Vec::new(),
            chief_referees: Vec::new(),
            organisers: Vec::new(),
            hashers: 1,
            queue: 64,
            key_days: 30,
            failures: 10,
            registrations: 60,
            bots: 5,
            idp_issuer: None,
            idp_audience: None,
            idp_jwks: None,
            tiers: TIERS.to_vec(),
            minute_ms: MINUTE_MS,
        }
    }
}

impl Config {
    /// The other identity provider, if there is one.
    pub(crate) fn provider(&self, time: SharedTime) -> Option<Provider> {
        let (issuer, audience) = (self.idp_issuer.clone()?, self.idp_audience.clone()?);
        Some(Provider::new(issuer, audience, self.idp_jwks.clone()?, time))
    }

    pub(crate) fn tiers(&self) -> Tiers {
        Tiers(self.tiers.as_slice().into())
    }

    pub(crate) fn grants(&self) -> Grants {
        let named = [
            (Role::Referee, &self.referees),
            (Role::ChiefReferee, &self.chief_referees),
            (Role::Organiser, &self.organisers),
        ];
        Grants(named.map(|(role, players)| (role, players.iter().cloned().collect())).into())
    }
}

impl Grants {
    /// The roles of an account: everybody who has one is a player.
    pub(crate) fn roles(&self, player_id: &str) -> Vec<Role> {
        let granted = self.0.iter().filter(|(_, players)| players.contains(player_id));
        std::iter::once(Role::Player).chain(granted.map(|(role, _)| *role)).collect()
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use tengen_proto::common::v1::Role;

    use super::Config;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        session: Config,
    }

    #[test]
    fn without_settings_the_defaults_hold() {
        let parsed = Program::try_parse_from(["tengen"]).expect("no settings").session;
        assert_eq!(format!("{parsed:?}"), format!("{:?}", Config::default()));
        assert_eq!(parsed.grants().roles("player_1"), [Role::Player]);
    }

    // rulebook: L10
    #[test]
    fn tiers_are_data() {
        let arguments = ["tengen", "--session-tiers", "2,5"];
        let session = Program::try_parse_from(arguments).expect("settings").session;
        assert_eq!([1, 2, 4, 5].map(|minutes| session.tiers().of(minutes)), [0, 1, 1, 2]);
        assert!(Program::try_parse_from(["tengen", "--session-tiers", "0"]).is_err());
    }

    #[test]
    fn roles_are_lists_of_players() {
        let arguments = ["tengen", "--session-referees", "player_1,player_2"];
        let more = ["--session-organisers", "player_2", "--session-chief-referees", ""];
        let arguments = arguments.into_iter().chain(more);
        let grants = Program::try_parse_from(arguments).expect("settings").session.grants();
        for (player, roles) in [
            ("player_1", vec![Role::Player, Role::Referee]),
            ("player_2", vec![Role::Player, Role::Referee, Role::Organiser]),
            ("player_3", vec![Role::Player]),
        ] {
            assert_eq!(grants.roles(player), roles, "{player}");
        }
    }
}

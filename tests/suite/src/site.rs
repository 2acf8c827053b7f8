//! A product with games that are being played, for tests that call every method.

use tengen_proto::common::v1::Role;
use tengen_proto::game::v1::{ColourChoice, Game};

use crate::games::Pair;
use crate::player::{board, timed};
use crate::requests::{Call, Ids};
use crate::{Player, Suite};

/// Two players at a board, a game of two others, one that the referee may stop, and a challenge.
pub struct Site {
    pub suite: Suite,
    pub pair: Pair,
    pub ids: Ids,
    /// Referee and organiser.
    staff: Player,
}

impl Site {
    /// Everybody has signed in, and Black is to move everywhere.
    pub async fn start() -> Self {
        let mut suite = Suite::start().await;
        let staff = suite.player("eun").await;
        suite.appoint(&[&staff], &[&staff]).await;
        let staff = suite.sign_in("eun").await;
        let pair = Pair::begin(suite.player("aki").await, suite.player("bo").await, board(9)).await;
        suite.player("fae").await;
        let (cho, dan) = (suite.player("cho").await, suite.player("dan").await);
        let other = Pair::begin(cho.clone(), dan.clone(), board(9)).await;
        let free = Pair::begin(cho, dan, timed(board(9))).await;
        let ids = Ids {
            game: pair.game_id.clone(),
            other: other.game_id,
            free: free.game_id,
            challenge: pair.black.clone().challenge(board(9), ColourChoice::Random).await,
            player: pair.black.id.clone(),
            rival: other.white.id,
        };
        Self { suite, pair, ids, staff }
    }

    /// Who may call this: White, who is not to move, or whoever has the role it needs. What ends the
    /// caller's sessions is called by somebody whom nobody needs, signed in anew.
    pub async fn authorization(&self, call: &Call) -> String {
        if call.ends_sessions() {
            return format!("Bearer {}", self.suite.sign_in("fae").await.token);
        }
        let open = [Role::Guest as i32, Role::Player as i32].contains(&call.method.requires);
        let caller = if open { &self.pair.white } else { &self.staff };
        format!("Bearer {}", caller.token)
    }

    /// Both games of players, as they are.
    pub async fn games(&self) -> [Game; 2] {
        let mut guest = self.suite.guest();
        [guest.game(&self.ids.game).await, guest.game(&self.ids.other).await]
    }
}

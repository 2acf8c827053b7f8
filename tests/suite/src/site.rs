//! A product with games that are being played, for tests that call every method.

use std::ops::{Deref, DerefMut};

use tengen_proto::common::v1::Role;
use tengen_proto::game::v1::{ColourChoice, Game};

use crate::doors::Doors;
use crate::games::Pair;
use crate::player::{board, timed};
use crate::requests::{Call, Ids};
use crate::{Player, Suite};

/// A product and the people in it.
pub struct Site {
    pub suite: Suite,
    people: People,
}

/// Two players at a board, a game of two others, one that the referee may stop, and a challenge.
pub struct People {
    pub pair: Pair,
    pub ids: Ids,
    /// Referee and organiser.
    staff: Player,
    doors: Doors,
}

impl Site {
    /// Everybody has signed in, and Black is to move everywhere.
    pub async fn start() -> Self {
        let mut suite = Suite::start().await;
        let staff = suite.player("eun").await;
        suite.appoint(&[&staff], &[&staff]).await;
        let people = People::gather(suite.doors(), suite.sign_in("eun").await).await;
        Self { suite, people }
    }
}

impl Deref for Site {
    type Target = People;

    fn deref(&self) -> &People {
        &self.people
    }
}

impl DerefMut for Site {
    fn deref_mut(&mut self) -> &mut People {
        &mut self.people
    }
}

impl People {
    /// Everybody signs in and sits down; `staff` has the roles of a referee and an organiser.
    pub async fn gather(doors: &Doors, staff: Player) -> Self {
        let [aki, bo, cho, dan, _fae] = [
            Player::register(doors, "aki").await,
            Player::register(doors, "bo").await,
            Player::register(doors, "cho").await,
            Player::register(doors, "dan").await,
            Player::register(doors, "fae").await,
        ];
        let pair = Pair::begin(aki, bo, board(9)).await;
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
        Self { pair, ids, staff, doors: doors.clone() }
    }

    /// Who may call this: White, who is not to move, or whoever has the role it needs. What ends the
    /// caller's sessions is called by somebody whom nobody needs, signed in anew.
    pub async fn caller(&self, call: &Call) -> Player {
        if call.ends_sessions() {
            return Player::sign_in(&self.doors, "fae").await;
        }
        let open = [Role::Guest as i32, Role::Player as i32].contains(&call.method.requires);
        if open { self.pair.white.clone() } else { self.staff.clone() }
    }

    /// The caller's header.
    pub async fn authorization(&self, call: &Call) -> String {
        format!("Bearer {}", self.caller(call).await.token)
    }

    /// Both games of players, as they are.
    pub async fn games(&self) -> [Game; 2] {
        let mut guest = Player::guest(&self.doors);
        [guest.game(&self.ids.game).await, guest.game(&self.ids.other).await]
    }
}

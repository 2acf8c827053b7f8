//! A player in one game: looks at what it knows, which may be stale, and does something about it.

mod choice;

use tengen_proto::game::v1::Phase;
use tengen_rules::Colour;

use self::choice::{answer, count, move_or_pass, out_of_turn};
use crate::ask::{Act, Answer, Ask, Caller};
use crate::client::Client;
use crate::keys::player_id;
use crate::view::{View, wire_colour};
use crate::watcher::Seen;
use crate::world::World;

/// A player in one game.
pub struct Player {
    world: World,
    client: Client,
    game_id: String,
    number: usize,
    colour: Colour,
    seen: Seen,
    requests: u32,
    /// Whether it would rather count than play.
    tired: bool,
    ending: Ending,
}

/// How a player comes to an end when faults have ceased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Resigns,
    Counts,
    /// Where there is a clock; else it resigns.
    LetsFlagFall,
}

impl Player {
    /// The player of this number, who sits here.
    pub fn new(
        world: &World,
        game_id: &str,
        (number, colour): (usize, Colour),
        seen: Seen,
    ) -> Self {
        let mut client = Client::new(world);
        let tired = client.dice.chance(300);
        let endings = [Ending::Resigns, Ending::Counts, Ending::LetsFlagFall];
        let ending = *client.dice.pick(&endings);
        let (world, game_id) = (world.clone(), game_id.to_owned());
        Self { world, client, game_id, number, colour, seen, requests: 0, tired, ending }
    }

    /// Plays to the end.
    pub async fn play(mut self) {
        loop {
            let think_ms = self.think_ms();
            self.world.agenda.pause(think_ms).await;
            let Some(view) = self.look() else { continue };
            if view.ended() {
                return;
            }
            // Hardly any command comes from one who is cut off.
            let cut_off = self.world.book().presence.is_gone(&player_id(self.number));
            if cut_off && !self.client.dice.chance(30) {
                continue;
            }
            let act = if self.world.is_calm() { self.finish(&view) } else { self.choose(&view) };
            if let Some(act) = act {
                self.act(&view, act).await;
            }
        }
    }

    fn look(&self) -> Option<View> {
        self.seen.lock().unwrap().clone()
    }

    /// Mostly quick, at times too long.
    fn think_ms(&mut self) -> i64 {
        let dice = &mut self.client.dice;
        match dice.below(20) {
            0 => dice.within(5_000..=20_000),
            1..=3 => dice.within(1_500..=5_000),
            _ => dice.within(30..=1_000),
        }
    }

    fn choose(&mut self, view: &View) -> Option<Act> {
        let dice = &mut self.client.dice;
        if dice.chance(3) {
            return Some(if dice.chance(700) { Act::Resign } else { Act::Leave });
        }
        let away = !view.present[self.colour.opponent().index()];
        match view.phase {
            Phase::Playing if away && dice.chance(150) => Some(Act::ClaimAbsence),
            Phase::Playing => match answer(view, self.colour, dice) {
                Some(act) => Some(act),
                None if view.to_move == wire_colour(self.colour) => {
                    Some(move_or_pass(view, self.colour, self.tired, dice))
                }
                None => out_of_turn(view, dice),
            },
            Phase::Counting => count(view, dice),
            Phase::Paused => dice.chance(300).then_some(Act::Resume),
            _ => None,
        }
    }

    /// Comes to an end.
    fn finish(&self, view: &View) -> Option<Act> {
        let own_turn = view.phase == Phase::Playing && view.to_move == wire_colour(self.colour);
        match self.ending {
            _ if view.phase == Phase::Counting => Some(Act::Accept(view.dead_set.clone())),
            _ if view.phase == Phase::Paused => Some(Act::Resume),
            Ending::Counts => own_turn.then_some(Act::Confirm(view.number)),
            Ending::LetsFlagFall if view.settings.time.is_some() => None,
            Ending::Resigns | Ending::LetsFlagFall => Some(Act::Resign),
        }
    }

    async fn act(&mut self, view: &View, act: Act) {
        let ask = self.ask(act);
        let turn = matches!(ask.act, Act::Play(..) | Act::Pass(_) | Act::Confirm(_));
        if turn && self.client.dice.chance(60) && !self.world.is_calm() {
            return self.two_devices(view, ask).await;
        }
        let answer = self.client.insist(&ask).await;
        if let Some(Answer::Accepted(_)) = answer
            && self.client.dice.chance(30)
        {
            self.reuse(ask).await;
        }
    }

    fn ask(&mut self, act: Act) -> Ask {
        self.requests += 1;
        let colour = if self.colour == Colour::Black { "b" } else { "w" };
        Ask {
            by: Caller::Player(self.number),
            game_id: self.game_id.clone(),
            // Of one account, which may sit in more games than one.
            request_id: format!("{}-{colour}-{}", &self.game_id[..12], self.requests),
            act,
        }
    }

    /// The same number from two devices at once: one of them at most takes the turn.
    // fault: F8
    // case: D1
    async fn two_devices(&mut self, view: &View, first: Ask) {
        let act = move_or_pass(view, self.colour, self.tired, &mut self.client.dice);
        let second = self.ask(act);
        let mut device = Client::new(&self.world);
        self.world.count("turns from two devices");
        tokio::join!(biased; self.client.insist(&first), device.insist(&second));
    }

    /// The id of a request that was accepted, with other content: it is told so, and nothing
    /// happens.
    // fault: F9
    async fn reuse(&mut self, accepted: Ask) {
        let other = if accepted.act == Act::Dispute { Act::Resign } else { Act::Dispute };
        let ask = Ask { act: other, ..accepted };
        let Some(replica) = self.world.replica(&mut self.client.dice) else { return };
        match ask.send(&replica).await {
            Answer::Refused(refusal) if refusal.reason == "REQUEST_ID_REUSED" => {
                self.world.count("request ids reused");
            }
            Answer::Unknown => {}
            other => self.world.find(format!("a request id used again: {}", other.short())),
        }
    }
}

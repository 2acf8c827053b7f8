//! A client of the games: sends a request through a bad network until it is answered, with the same
//! request id to whichever replica it finds.

use crate::ask::{Answer, Ask, Refusal};
use crate::dice::Dice;
use crate::world::World;

/// How often a request is sent before its client gives up.
const TRIES: usize = 8;
/// Refusals that a request of this simulation may meet.
const EXPECTED: [&str; 15] = [
    "GAME_ENDED",
    "WRONG_PHASE",
    "STALE_MOVE_NUMBER",
    "NOT_YOUR_TURN",
    "OCCUPIED",
    "SUICIDE",
    "SUPERKO",
    "INVALID_FIELD",
    "NO_STONE",
    "DEAD_SET_CHANGED",
    "NOT_DUE",
    "CASUAL_ONLY",
    "NO_OFFER",
    "LIMIT_REACHED",
    "OPPONENT_BACK",
];

/// A client, with dice of its own.
pub struct Client {
    world: World,
    /// Its dice.
    pub dice: Dice,
}

impl Client {
    /// A client of this world.
    pub fn new(world: &World) -> Self {
        Self { world: world.clone(), dice: world.dice() }
    }

    /// Sends a request until it is answered; `None` if its client gave up. Whether it happened then,
    /// the record tells.
    pub async fn insist(&mut self, ask: &Ask) -> Option<Answer> {
        for tried in 0..TRIES {
            let answer = self.once(ask).await;
            if answer.settles() {
                self.world.book().settled(ask, &answer);
                return Some(answer);
            }
            let wait_ms = self.dice.within(10..=200 << tried.min(3));
            self.world.agenda.pause(wait_ms).await;
        }
        self.world.count("requests given up");
        None
    }

    /// Sends a request once through the network as it is.
    async fn once(&mut self, ask: &Ask) -> Answer {
        let world = self.world.clone();
        if world.is_calm() {
            return send(&world, ask, &mut self.dice).await;
        }
        let plan = &world.plan;
        if self.dice.chance(plan.call_late) {
            world.count("calls late");
            self.copy(ask, 5_000);
        }
        if self.dice.chance(plan.call_doubled) {
            world.count("calls doubled");
            self.copy(ask, 2);
        }
        if self.dice.chance(plan.call_lost) {
            world.count("calls lost");
            world.agenda.pause(self.dice.within(1..=500)).await;
            return Answer::Unknown;
        }
        let abandoned = self.dice.chance(plan.call_abandoned);
        let patience_ms = if abandoned { self.dice.within(0..=300) } else { 60_000 };
        let answer_lost = self.dice.chance(plan.answer_lost);
        let answer = tokio::select! {
            biased;
            answer = send(&world, ask, &mut self.dice) => answer,
            () = world.agenda.pause(patience_ms) => {
                world.count("calls abandoned");
                Answer::Unknown
            }
        };
        if answer_lost && answer.settles() {
            world.count("answers lost");
            return Answer::Unknown;
        }
        answer
    }

    /// The same call once more, some time or other. Its answer reaches nobody.
    fn copy(&mut self, ask: &Ask, most_ms: i64) {
        let (world, ask) = (self.world.clone(), ask.clone());
        let (wait_ms, mut dice) = (self.dice.within(0..=most_ms), self.dice.fork());
        let under_way = world.under_way();
        tokio::spawn(async move {
            world.agenda.pause(wait_ms).await;
            send(&world, &ask, &mut dice).await;
            drop(under_way);
        });
    }
}

/// Sends a request to a replica, and takes down what it says.
pub async fn send(world: &World, ask: &Ask, dice: &mut Dice) -> Answer {
    let Some(replica) = world.replica(dice) else { return Answer::Unknown };
    world.book().sent(ask);
    let known = world.book().game(&ask.game_id).known;
    let answer = ask.send(&replica).await;
    let (who, name, id) = (ask.by.id(), &replica.life.name, &ask.request_id);
    world.note(format_args!("{who} asks {name} {id} {:?}: {}", ask.act, answer.short()));
    world.book().answered(ask, &answer);
    match &answer {
        Answer::Accepted(_) => world.count("answers: accepted"),
        Answer::Unknown => world.count("answers: none"),
        Answer::Refused(Refusal { reason, head, .. })
            if reason == "STALE_MOVE_NUMBER" && head.as_ref().is_none_or(|head| head.0 < known) =>
        {
            world.find(format!("{who}: refused at {head:?}, and {known} was known"));
        }
        Answer::Refused(refusal) if EXPECTED.contains(&refusal.reason.as_str()) => {
            world.count("answers: refused");
        }
        Answer::Refused(refusal) => world.find(format!("{who}: {:?}: {refusal:?}", ask.act)),
    }
    answer
}

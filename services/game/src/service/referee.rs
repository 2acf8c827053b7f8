//! RefereeService: orders that concern the clocks. The rest is not built yet.

use std::sync::Arc;

use prost::Message;
use tengen_kit::auth::caller;
use tengen_kit::fields::Fields;
use tengen_kit::status::Refusal;
use tengen_proto::common::v1 as common;
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::referee_service_server::RefereeService;
use tengen_proto::time::{duration_ms, timestamp_ms};
use tengen_rules::Colour;
use tengen_table::{Order, Ordered, Word};
use tonic::{Request, Response, Status};

use crate::convert::command;
use crate::convert::event::accepted;
use crate::store::Games;

/// What the referee orders.
#[derive(Clone)]
pub struct Referee {
    /// The games.
    pub games: Arc<Games>,
}

/// A request that is an order to a game.
trait OrderRequest: Message + Clone {
    const NAME: &'static str;
    fn game_id(&self) -> &str;
    fn request_id(&mut self) -> &mut String;
    fn text(&self) -> &str;
    /// What is ordered; `None` if a field was refused.
    fn ordered(&self, fields: &mut Fields) -> Option<Ordered>;
}

impl Referee {
    async fn order<M: OrderRequest>(
        &self,
        request: Request<M>,
    ) -> Result<Option<wire::Accepted>, Status> {
        let referee = caller(&request).account()?.id.clone();
        let message = request.into_inner();
        let order = parse(&message, referee)?;
        Ok(Some(self.games.order(message.game_id(), &order, accepted).await?))
    }
}

fn parse<M: OrderRequest>(message: &M, referee: String) -> Result<Order, Refusal> {
    let mut content = message.clone();
    let request_id = std::mem::take(content.request_id());
    let mut fields = Fields::new();
    fields.id("game_id", message.game_id());
    fields.request_id(&request_id);
    fields.text("text", message.text(), 1..=500);
    let ordered = message.ordered(&mut fields);
    let act = fields.complete(ordered)?;
    let request = command::request(&referee, &request_id, M::NAME, &content.encode_to_vec());
    Ok(Order { request, word: Word { referee, text: message.text().to_owned() }, act })
}

fn side(number: i32, fields: &mut Fields) -> Option<Colour> {
    match common::Colour::try_from(number) {
        Ok(common::Colour::Black) => Some(Colour::Black),
        Ok(common::Colour::White) => Some(Colour::White),
        Ok(common::Colour::Unspecified) | Err(_) => {
            fields.refuse("colour", number, "COLOUR_BLACK or COLOUR_WHITE");
            None
        }
    }
}

macro_rules! order {
    ($request:ident, |$message:ident, $fields:ident| $ordered:expr) => {
        impl OrderRequest for wire::$request {
            const NAME: &'static str = stringify!($request);

            fn game_id(&self) -> &str {
                &self.game_id
            }

            fn request_id(&mut self) -> &mut String {
                &mut self.request_id
            }

            fn text(&self) -> &str {
                &self.text
            }

            fn ordered(&self, $fields: &mut Fields) -> Option<Ordered> {
                let $message = self;
                Some($ordered)
            }
        }
    };
}

order!(PauseGameRequest, |message, fields| {
    let until_ms = message.until.as_ref().map(timestamp_ms);
    if until_ms == Some(None) {
        fields.refuse("until", "finer", "a whole number of milliseconds");
    }
    Ordered::Pause { until_ms: until_ms.flatten() }
});
order!(ResumeGameRequest, |_message, _fields| Ordered::Resume);
order!(AddTimeRequest, |message, fields| {
    let side = side(message.colour, fields);
    let ms = message.time.as_ref().and_then(duration_ms);
    if ms.is_none() {
        fields.refuse("time", "", "a whole number of milliseconds");
    }
    Ordered::AddTime { side: side?, ms: ms? }
});

#[tonic::async_trait]
impl RefereeService for Referee {
    async fn pause_game(
        &self,
        request: Request<wire::PauseGameRequest>,
    ) -> Result<Response<wire::PauseGameResponse>, Status> {
        let accepted = self.order(request).await?;
        Ok(Response::new(wire::PauseGameResponse { accepted }))
    }

    async fn resume_game(
        &self,
        request: Request<wire::ResumeGameRequest>,
    ) -> Result<Response<wire::ResumeGameResponse>, Status> {
        let accepted = self.order(request).await?;
        Ok(Response::new(wire::ResumeGameResponse { accepted }))
    }

    async fn add_time(
        &self,
        request: Request<wire::AddTimeRequest>,
    ) -> Result<Response<wire::AddTimeResponse>, Status> {
        let accepted = self.order(request).await?;
        Ok(Response::new(wire::AddTimeResponse { accepted }))
    }
}

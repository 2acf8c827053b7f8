//! A player who speaks socket.io, over one websocket: engine.io 4, events with acknowledgement.

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tengen_proto::common::v1::Point;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::error::{ToolError, failed};

/// A side of one game after another.
pub(super) struct SocketIoSeat {
    socket: WebSocketStream<TcpStream>,
    game: String,
    watches: bool,
    /// Calls made so far; each has its number.
    calls: u64,
    /// Moves of the game that were told.
    told: usize,
}

/// What comes, as far as it matters.
#[derive(Debug, PartialEq)]
enum Packet {
    /// The connection is there.
    Connected,
    /// To be answered, so that the connection stays.
    Ping,
    /// An event: its name, and what it says.
    Event(String, Value),
    /// The answer to the call of this number.
    Answer(u64, Value),
    /// Nothing that matters.
    Other,
}

impl SocketIoSeat {
    /// Connects to `host:port`.
    pub(super) async fn connect(authority: &str, watches: bool) -> Result<Self, ToolError> {
        let what = "connecting by websocket";
        let stream = TcpStream::connect(authority).await.map_err(|error| failed(what, error))?;
        stream.set_nodelay(true).map_err(|error| failed(what, error))?;
        let url = format!("ws://{authority}/socket.io/?EIO=4&transport=websocket");
        let (socket, _) = client_async(url, stream).await.map_err(|error| failed(what, error))?;
        let mut seat = Self { socket, game: String::new(), watches, calls: 0, told: 0 };
        seat.send("40".to_owned()).await?;
        while seat.next().await? != Packet::Connected {}
        Ok(seat)
    }

    pub(super) fn watches(&self) -> bool {
        self.watches
    }

    /// Turns to a game; the first who comes makes it.
    pub(super) async fn sit(&mut self, game: &str, colour: &str) -> Result<(), ToolError> {
        game.clone_into(&mut self.game);
        self.told = 0;
        let watch = self.watches;
        self.call("join", json!({ "game": game, "colour": colour, "watch": watch })).await
    }

    /// Plays the move of this number.
    pub(super) async fn play(&mut self, number: usize, point: Point) -> Result<(), ToolError> {
        let Point { row, column } = point;
        let game = &self.game;
        let request = json!({ "game": game, "number": number, "row": row, "column": column });
        self.call("move", request).await
    }

    /// Waits until the move of this number was told.
    pub(super) async fn see(&mut self, number: usize) -> Result<(), ToolError> {
        while self.told < number {
            self.next().await?;
        }
        Ok(())
    }

    /// Calls, and waits for an answer without an error.
    async fn call(&mut self, event: &'static str, body: Value) -> Result<(), ToolError> {
        self.calls += 1;
        let number = self.calls;
        self.send(format!("42{number}{}", json!([event, body]))).await?;
        loop {
            match self.next().await? {
                Packet::Answer(to, answer) if to == number => {
                    let error = answer.get(0).and_then(|answer| answer.get("error"));
                    return error.map_or(Ok(()), |error| Err(failed(event, error)));
                }
                _ => {}
            }
        }
    }

    /// The next packet; what it tells of the game is noted.
    async fn next(&mut self) -> Result<Packet, ToolError> {
        let what = "listening by websocket";
        let message = self.socket.next().await.ok_or_else(|| failed(what, "it was closed"))?;
        let message = message.map_err(|error| failed(what, error))?;
        let packet = message.to_text().map_or(Packet::Other, parse);
        match &packet {
            Packet::Ping => self.send("3".to_owned()).await?,
            Packet::Event(name, body) if name == "moved" && body["game"] == self.game.as_str() => {
                let number =
                    body["number"].as_u64().and_then(|number| usize::try_from(number).ok());
                self.told = number.unwrap_or(self.told);
            }
            _ => {}
        }
        Ok(packet)
    }

    async fn send(&mut self, text: String) -> Result<(), ToolError> {
        let sent = self.socket.send(Message::text(text)).await;
        sent.map_err(|error| failed("speaking by websocket", error))
    }
}

fn parse(text: &str) -> Packet {
    if text == "2" {
        return Packet::Ping;
    }
    if text.starts_with("40") {
        return Packet::Connected;
    }
    let event = text.strip_prefix("42").and_then(|text| {
        let [name, body] = serde_json::from_str::<[Value; 2]>(text).ok()?;
        Some(Packet::Event(name.as_str()?.to_owned(), body))
    });
    let answer = text.strip_prefix("43").and_then(|text| {
        let (number, body) = text.split_at(text.find('[')?);
        Some(Packet::Answer(number.parse().ok()?, serde_json::from_str(body).ok()?))
    });
    event.or(answer).unwrap_or(Packet::Other)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Packet, parse};

    #[test]
    fn packets_are_read() {
        for (text, packet) in [
            ("2", Packet::Ping),
            (r#"40{"sid":"a"}"#, Packet::Connected),
            (
                r#"42["moved",{"number":7}]"#,
                Packet::Event("moved".to_owned(), json!({ "number": 7 })),
            ),
            (r#"4312[{"ok":true}]"#, Packet::Answer(12, json!([{ "ok": true }]))),
            (r#"0{"sid":"a"}"#, Packet::Other),
            ("43x[1]", Packet::Other),
            ("6", Packet::Other),
        ] {
            assert_eq!(parse(text), packet, "{text}");
        }
    }
}

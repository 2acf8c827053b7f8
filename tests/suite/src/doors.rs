//! Where a client reaches each service.

use tonic::transport::Channel;

/// A way to each service.
#[derive(Clone)]
pub struct Doors {
    pub game: Channel,
    pub clock: Channel,
    pub rating: Channel,
    pub session: Channel,
}

impl Doors {
    /// One door to all of them.
    pub fn one(channel: Channel) -> Self {
        let [game, clock, rating, session] = std::array::from_fn(|_| channel.clone());
        Self { game, clock, rating, session }
    }
}

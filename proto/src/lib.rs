#![doc = include_str!("../README.md")]

pub mod time;

/// Words that every service uses.
pub mod common {
    #[allow(missing_docs, clippy::all, clippy::pedantic, reason = "generated")]
    pub mod v1 {
        include!("gen/tengen.common.v1.rs");
    }
}

/// The clock service.
pub mod clock {
    #[allow(
        missing_docs,
        clippy::all,
        clippy::pedantic,
        unused_qualifications,
        reason = "generated"
    )]
    pub mod v1 {
        include!("gen/tengen.clock.v1.rs");
    }
}

/// The game service: games, lobby, referee, records, organiser.
pub mod game {
    #[allow(
        missing_docs,
        clippy::all,
        clippy::pedantic,
        unused_qualifications,
        reason = "generated"
    )]
    pub mod v1 {
        include!("gen/tengen.game.v1.rs");
    }
}

/// The rating service.
pub mod rating {
    #[allow(
        missing_docs,
        clippy::all,
        clippy::pedantic,
        unused_qualifications,
        reason = "generated"
    )]
    pub mod v1 {
        include!("gen/tengen.rating.v1.rs");
    }
}

/// The session service.
pub mod session {
    #[allow(
        missing_docs,
        clippy::all,
        clippy::pedantic,
        unused_qualifications,
        reason = "generated"
    )]
    pub mod v1 {
        include!("gen/tengen.session.v1.rs");
    }
}

/// What services say to each other; never routed by the gateway.
pub mod internal {
    #[allow(
        missing_docs,
        clippy::all,
        clippy::pedantic,
        unused_qualifications,
        reason = "generated"
    )]
    pub mod v1 {
        include!("gen/tengen.internal.v1.rs");
    }
}

/// One method of the contract, with what its options say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// As it stands in a request: `/tengen.game.v1.GameService/PlayMove`.
    pub path: &'static str,
    /// The number of the [`common::v1::Role`] a caller needs; 0 refuses everybody.
    pub requires: i32,
    /// Why the method answers UNIMPLEMENTED; empty if it is built.
    pub not_built: &'static str,
    /// As how many calls it counts, where calls are counted.
    pub cost: u32,
}

impl Method {
    /// The name of the role a caller needs: `ROLE_PLAYER`; `ROLE_UNSPECIFIED` refuses everybody.
    #[must_use]
    pub fn role(&self) -> &'static str {
        common::v1::Role::try_from(self.requires).unwrap_or_default().as_str_name()
    }
}

/// Every method of the contract.
pub const METHODS: &[Method] = &include!("gen/methods.rs");

/// The descriptor set of the whole contract, imports and options included, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!("gen/descriptors.bin");

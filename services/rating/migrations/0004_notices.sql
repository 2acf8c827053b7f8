-- Ledger rows that the session service has not been told of yet: an outbox, filled by bookings.
create table notices (
    player_id text not null,
    entry_id bigint not null,
    booked_at_ms bigint not null,
    -- Until then a process is about to tell it.
    claimed_until_ms bigint not null default 0,
    primary key (player_id, entry_id)
);

create index notices_in_order on notices (booked_at_ms, player_id, entry_id);

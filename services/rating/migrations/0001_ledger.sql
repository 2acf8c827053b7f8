-- Read by SQLite and Postgres alike.

-- Each version of each game's result, once it is booked: the key that makes booking idempotent.
create table results (
    game_id text not null,
    version bigint not null check (version >= 1),
    black_id text not null,
    white_id text not null,
    rated bigint not null check (rated in (0, 1)),
    reason text not null,
    black_counted text not null
        check (black_counted in ('WIN', 'LOSS', 'DRAW', 'ESCAPE', 'DISCONNECT_LOSS', 'NOTHING')),
    white_counted text not null
        check (white_counted in ('WIN', 'LOSS', 'DRAW', 'ESCAPE', 'DISCONNECT_LOSS', 'NOTHING')),
    ended_at_ms bigint not null,
    booked_at_ms bigint not null,
    primary key (game_id, version),
    check (black_id <> white_id)
);

-- Where each player stands; one who has no row stands at the start.
create table standings (
    player_id text not null primary key,
    level bigint not null check (level between 0 and 254),
    points bigint not null check (points >= 0),
    won bigint not null default 0 check (won >= 0),
    lost bigint not null default 0 check (lost >= 0),
    drawn bigint not null default 0 check (drawn >= 0),
    escaped bigint not null default 0 check (escaped >= 0),
    disconnected bigint not null default 0 check (disconnected >= 0),
    fee_balance bigint not null default 0,
    -- Rows of the ledger and of the fees so far: the last numbers given.
    entries bigint not null default 0 check (entries >= 0),
    fees bigint not null default 0 check (fees >= 0)
);

-- Rows are only ever added (rulebook L14). Each player's are numbered from 1 without a gap, under the
-- lock of the standing: so bookings of different players never wait for each other, and a row that
-- is missing shows.
create table ledger (
    player_id text not null references standings (player_id),
    entry_id bigint not null check (entry_id >= 1),
    game_id text not null,
    seat text not null check (seat in ('BLACK', 'WHITE')),
    kind text not null check (kind in ('RESULT', 'COMPENSATION', 'CORRECTION')),
    result_version bigint not null check (result_version >= 1),
    reason text not null,
    counted text not null
        check (counted in ('WIN', 'LOSS', 'DRAW', 'ESCAPE', 'DISCONNECT_LOSS', 'NOTHING')),
    stake bigint not null check (stake > 0),
    nominal bigint not null,
    applied bigint not null,
    level_before bigint not null check (level_before between 0 and 254),
    points_before bigint not null check (points_before >= 0),
    total_before bigint not null check (total_before >= points_before),
    level_after bigint not null check (level_after between 0 and 254),
    points_after bigint not null check (points_after >= 0),
    total_after bigint not null check (total_after >= points_after),
    opponent_id text not null,
    at_ms bigint not null,
    primary key (player_id, entry_id),
    unique (game_id, seat, kind, result_version),
    foreign key (game_id, result_version) references results (game_id, version),
    check (applied = total_after - total_before),
    check (kind = 'RESULT' or result_version > 1),
    check (kind = 'COMPENSATION' or abs(nominal) in (0, stake, 2 * stake)),
    check (player_id <> opponent_id)
);

-- Game fees paid, and reversed with a negative amount (rulebook L12); numbered like the ledger.
create table fees (
    player_id text not null references standings (player_id),
    fee_id bigint not null check (fee_id >= 1),
    game_id text not null,
    result_version bigint not null,
    amount bigint not null check (amount <> 0),
    balance bigint not null,
    at_ms bigint not null,
    primary key (player_id, fee_id),
    unique (game_id, player_id, result_version),
    foreign key (game_id, result_version) references results (game_id, version)
);

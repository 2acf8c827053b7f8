-- Finished games whose results the ledger holds. Read by SQLite and Postgres.

create table archive (
    game_id text primary key,
    black_id text not null,
    white_id text not null,
    ended_at_ms bigint not null,
    -- The record: every stored event, as tengen.internal.v1.ArchivedGame.
    log bytea not null
);

create index archive_of_black on archive (black_id, ended_at_ms, game_id);
create index archive_of_white on archive (white_id, ended_at_ms, game_id);

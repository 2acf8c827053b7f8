-- Experience. Read by SQLite and Postgres.

-- How many whole minutes each account was present. Apart from the accounts, so that who is counted
-- and who is signed out never wait for each other.
create table experience (
    player_id text primary key references accounts (player_id),
    minutes bigint not null check (minutes > 0)
);

-- The minutes that were counted, so that each is counted once; those of the last day.
create table counted_minutes (
    minute bigint primary key
);

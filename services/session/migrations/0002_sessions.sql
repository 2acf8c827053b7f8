-- What ends sessions, accounts of other identity providers, and the audit. Read by SQLite and
-- Postgres.

-- How often all tokens of the account were revoked, and when that was last; 0 for never.
alter table accounts add column generation bigint not null default 0;
alter table accounts add column revoked_at_ms bigint not null default 0;
-- 0 for not suspended, the greatest number for until it is lifted.
alter table accounts add column suspended_until_ms bigint not null default 0;
alter table accounts add column suspended_for text not null default '';
-- 0 for not deleted.
alter table accounts add column deleted_at_ms bigint not null default 0;

create index accounts_revoked on accounts (revoked_at_ms) where revoked_at_ms > 0;
create index accounts_owner on accounts (owner_id) where owner_id <> '';

-- Accounts that sign in by another identity provider.
create table foreign_accounts (
    issuer text not null,
    subject text not null,
    player_id text not null references accounts (player_id),
    primary key (issuer, subject)
);

-- Who did what to whom. The id is derived from the request, so that it counts once.
create table audit (
    id text primary key,
    at_ms bigint not null,
    -- sign_out, reconnect_token_reused, …
    event text not null,
    -- Empty if nobody is known to have done it.
    actor_id text not null,
    player_id text not null,
    detail text not null
);

create index audit_player on audit (player_id, at_ms);

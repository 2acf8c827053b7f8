-- Accounts, their names and the keys of tokens. Read by SQLite and Postgres.

create table accounts (
    player_id text primary key,
    -- As shown.
    name text not null,
    -- Argon2id in the PHC format; holds salt and parameters.
    password_hash text not null,
    -- 0 or 1.
    bot bigint not null,
    -- Empty for a person.
    owner_id text not null,
    created_at_ms bigint not null
);

-- Every look of every name: a name is taken if one of its looks is.
create table account_names (
    look text primary key,
    player_id text not null references accounts (player_id)
);

-- The key with the highest number signs.
create table signing_keys (
    number bigint primary key,
    -- The seed of an Ed25519 key in base64.
    seed text not null,
    created_at_ms bigint not null
);

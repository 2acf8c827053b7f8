-- The tier of experience that a player sat down with, where it was above 0; as the result tells it
-- (rulebook L10). Apart from the results and the fees, which released code reads by `select *`.
create table tiers (
    game_id text not null,
    player_id text not null references standings (player_id),
    tier bigint not null check (tier > 0),
    primary key (game_id, player_id)
);

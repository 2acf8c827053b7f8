-- The leaderboard: all who have a row in the ledger, in order of level and points, which is the order
-- of the totals.

create index standings_on_board on standings (level desc, points desc, player_id)
    where entries > 0;

-- How many players stand in a slot of a level: those with points from `slot * width` up to, not
-- including, the next slot. Each player is counted once in each width; the widest is the whole level.
-- So whoever stands higher is counted in some 600 rows at most, however the points are spread.
create table board_counts (
    level bigint not null,
    width bigint not null check (width in (1, 256, 65536, 4611686018427387904)),
    slot bigint not null check (slot >= 0),
    players bigint not null,
    primary key (width, level, slot)
);

-- What is not in the counts yet. Bookings only add rows here, so none of them waits for another that
-- has a place on the board in common; the service folds them into the counts now and then.
create table board_deltas (
    level bigint not null,
    points bigint not null,
    players bigint not null check (players in (-1, 1))
);

-- Triggers, so that a process of the version before, which knows nothing of the board, keeps it right.
-- sqlite:
create trigger standings_added after insert on standings
when new.entries > 0
begin
    insert into board_deltas values (new.level, new.points, 1);
end;

create trigger standings_moved after update on standings
when (old.level, old.points, old.entries > 0) <> (new.level, new.points, new.entries > 0)
begin
    insert into board_deltas select old.level, old.points, -1 where old.entries > 0;
    insert into board_deltas select new.level, new.points, 1 where new.entries > 0;
end;

-- postgres:
create function standings_on_board() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' and old.entries > 0 then
        insert into board_deltas values (old.level, old.points, -1);
    end if;
    if new.entries > 0 then
        insert into board_deltas values (new.level, new.points, 1);
    end if;
    return null;
end
$$;

create trigger standings_added after insert on standings for each row
when (new.entries > 0)
execute function standings_on_board();

create trigger standings_moved after update on standings for each row
when ((old.level, old.points, old.entries > 0) <> (new.level, new.points, new.entries > 0))
execute function standings_on_board();

-- both:
-- Whoever stands there already.
with widths (width) as (values (1), (256), (65536), (4611686018427387904))
insert into board_counts (level, width, slot, players)
select level, width, points / width, count(*) from standings cross join widths
where entries > 0
group by level, width, points / width;

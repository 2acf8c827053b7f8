-- What a result changed on the ladder, as tengen.internal.v1.ResultChanges; none of a casual game, nor
-- of one that was archived before this was kept. Read by SQLite and Postgres.
alter table archive add column changes bytea;

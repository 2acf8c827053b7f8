#!/bin/sh
# Makes the database of each service that has one, and the role that owns it. The image of PostgreSQL
# runs this once, on an empty server. The services make their tables by themselves.
set -eu
make_database() {
    psql --username postgres --dbname postgres --no-psqlrc --quiet \
        --set ON_ERROR_STOP=1 --set name="$1" --set password="$2" <<'SQL'
create role :"name" login password :'password';
create database :"name" owner :"name";
revoke all on database :"name" from public;
SQL
}
make_database tengen_game "$GAME_DATABASE_PASSWORD"
make_database tengen_rating "$RATING_DATABASE_PASSWORD"
make_database tengen_session "$SESSION_DATABASE_PASSWORD"

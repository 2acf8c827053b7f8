-- How often two players have met: for the cap on rated games of one pair.
create index results_of_pair on results (black_id, white_id, ended_at_ms);

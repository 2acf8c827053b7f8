select (select count(*) from standings) as players, (select count(*) from ledger) as entries,
    (select count(*) from fees) as fees

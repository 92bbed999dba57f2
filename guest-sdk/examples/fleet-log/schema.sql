-- The audit logs of many machines in PostgreSQL 15 or later.
--
-- A line arrives at least once and is stored once: its id and its time are the key, and `ON CONFLICT DO NOTHING` passes over
-- one that is there. The table has a part for each month, so a query over a span reads only its months, and old months are
-- dropped as whole tables.

CREATE TABLE IF NOT EXISTS guard_log (
    id        text        NOT NULL,
    ts        timestamptz NOT NULL,
    received  timestamptz NOT NULL DEFAULT now(),
    host      text        NOT NULL,
    version   text        NOT NULL,
    severity  smallint    NOT NULL,
    action    text        NOT NULL,
    operation text        NOT NULL,
    tool      text        NOT NULL,
    harness   text        NOT NULL,
    session   text        NOT NULL,
    agent     text        NOT NULL,
    cwd       text        NOT NULL,
    policy    text        NOT NULL,
    rule      text        NOT NULL,
    rules     text[]      NOT NULL,
    by_whom   text        NOT NULL,
    ms        double precision,
    -- All keys of the line but its operation.
    line      jsonb       NOT NULL,
    PRIMARY KEY (id, ts)
) PARTITION BY RANGE (ts);

-- For lines without a time, and for times that no month has been made for.
CREATE TABLE IF NOT EXISTS guard_log_other PARTITION OF guard_log DEFAULT;

CREATE INDEX IF NOT EXISTS guard_log_ts      ON guard_log (ts);
CREATE INDEX IF NOT EXISTS guard_log_host    ON guard_log (host, ts);
CREATE INDEX IF NOT EXISTS guard_log_rule    ON guard_log (policy, rule, ts);
CREATE INDEX IF NOT EXISTS guard_log_session ON guard_log (session, ts);
CREATE INDEX IF NOT EXISTS guard_log_action  ON guard_log (action, ts);

-- Makes the parts of the months from `first` to `last`. Lines of a month that lie in the other part are moved.
CREATE OR REPLACE FUNCTION guard_log_months(first date, last date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    month date := date_trunc('month', first);
    name  text;
BEGIN
    WHILE month <= last LOOP
        name := 'guard_log_' || to_char(month, 'YYYY_MM');
        IF to_regclass(name) IS NULL THEN
            EXECUTE format('CREATE TABLE %I (LIKE guard_log INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
            EXECUTE format(
                'WITH moved AS (DELETE FROM guard_log_other WHERE ts >= %L AND ts < %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
                month::timestamp AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC', name);
            EXECUTE format(
                'ALTER TABLE guard_log ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                name, month::timestamp AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
        END IF;
        month := month + interval '1 month';
    END LOOP;
END $$;

-- Drops the months that ended longer than `age` ago, and deletes lines of the other part that are as old. Gives the names
-- of the months.
CREATE OR REPLACE FUNCTION guard_log_retain(age interval) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    FOR name IN
        SELECT child.relname FROM pg_inherits
        JOIN pg_class child ON child.oid = inhrelid
        WHERE inhparent = 'guard_log'::regclass AND child.relname ~ '^guard_log_[0-9]{4}_[0-9]{2}$'
          AND to_date(right(child.relname, 7), 'YYYY_MM') + interval '1 month' <= (now() - age) AT TIME ZONE 'UTC'
    LOOP
        EXECUTE format('DROP TABLE %I', name);
        RETURN NEXT name;
    END LOOP;
    DELETE FROM guard_log_other WHERE ts < now() - age AND received < now() - age;
END $$;

-- The months of now. Run this once a month, for example with cron:
SELECT guard_log_months((now() - interval '1 month')::date, (now() + interval '3 months')::date);

-- What is kept. Run this as often as you like; it says which months are gone:
SELECT guard_log_retain(interval '13 months');

-- Who receives may add and do nothing else; who looks may only read.
--   CREATE ROLE guard_receiver LOGIN; GRANT INSERT ON guard_log TO guard_receiver;
--   CREATE ROLE guard_reader LOGIN;   GRANT SELECT ON guard_log TO guard_reader;

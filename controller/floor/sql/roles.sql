-- The floor's roles and its schema. Run by a superuser at every `pozo floor init`; running it again changes nothing.
--
-- pozo_owner   owns everything; nobody logs in as it.
-- pozo_table   the group of the tables' logins: may call its functions, and touch no table.
-- pozo_clerk   the group of people who enter sign readings and chip counts; may read what reports read.
-- pozo_reader  the group of people and programs who make reports: reads, changes nothing.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['pozo_owner', 'pozo_table', 'pozo_clerk', 'pozo_reader'] LOOP
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = name) THEN
      EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', name);
    END IF;
  END LOOP;
END $$;
GRANT pozo_reader TO pozo_clerk;
CREATE SCHEMA IF NOT EXISTS pozo AUTHORIZATION pozo_owner;
REVOKE ALL ON SCHEMA pozo FROM PUBLIC;
GRANT USAGE ON SCHEMA pozo TO pozo_table, pozo_reader;
-- Functions are executable by everybody unless this is said before they are made.
ALTER DEFAULT PRIVILEGES FOR ROLE pozo_owner REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
-- Who waits for a level's lock sees whose transaction is in the way, and ends it (pozo.end_holders).
GRANT pg_read_all_stats, pg_signal_backend TO pozo_owner;

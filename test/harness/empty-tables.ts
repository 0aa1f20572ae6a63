/** Leaves no row in any table of a PostgreSQL database but in that of the schema's versions, and counts again from one. */
export const emptyTables = `
DO $$
DECLARE
  named text;
  filled boolean;
  full_ones text[] := '{}';
BEGIN
  FOR named IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_versions' LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', named) INTO filled;
    IF filled THEN full_ones := full_ones || quote_ident(named); END IF;
  END LOOP;
  IF full_ones <> '{}' THEN
    EXECUTE 'TRUNCATE ' || array_to_string(full_ones, ', ') || ' RESTART IDENTITY CASCADE';
  END IF;
END $$`;

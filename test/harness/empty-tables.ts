/**
 * Leaves no row in any table of a PostgreSQL database but in that of the schema's versions, and counts again from one. To
 * truncate a table makes new files for it and for each of its indexes, and for all tables that name it: twenty times what
 * it takes to delete a few rows. Tables without a page have none to delete, which halves the work; those that tests have
 * made large are truncated all the same, for what is deleted stays in their files.
 */
export const emptyTables = `
DO $$
DECLARE
  named text;
  large_ones text[] := '{}';
BEGIN
  -- Rows are deleted in any order, whatever names them.
  SET LOCAL session_replication_role = replica;
  FOR named IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_versions' LOOP
    IF pg_relation_size(quote_ident(named)::regclass) > 500000 THEN
      large_ones := large_ones || quote_ident(named);
    ELSIF pg_relation_size(quote_ident(named)::regclass) > 0 THEN
      EXECUTE format('DELETE FROM %I', named);
    END IF;
  END LOOP;
  IF large_ones <> '{}' THEN EXECUTE 'TRUNCATE ' || array_to_string(large_ones, ', ') || ' CASCADE'; END IF;
  PERFORM setval(seqrelid, seqstart, false) FROM pg_sequence;
END $$`;

/** Ids of what was removed: rows of its time still say them, so that nobody else may ever have them. */

export function retiredIdTables(clustered: string): readonly string[] {
  return [
    `CREATE TABLE retired_ids (
        kind TEXT NOT NULL,
        id BIGINT NOT NULL,
        PRIMARY KEY (kind, id)
      )${clustered}`,
    // Those of earlier removals, where anything tells them.
    `INSERT INTO retired_ids SELECT 'user', told.id
       FROM (SELECT user_id AS id FROM usage_counts UNION SELECT user_id FROM incoming_messages) AS told
       WHERE told.id IS NOT NULL AND told.id NOT IN (SELECT id FROM users)`,
    `INSERT INTO retired_ids SELECT 'company', told.id
       FROM (SELECT company_id AS id FROM usage_counts UNION SELECT company_id FROM incoming_messages) AS told
       WHERE told.id IS NOT NULL AND told.id NOT IN (SELECT id FROM companies)`,
  ];
}

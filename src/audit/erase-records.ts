/** Takes a phone number out of what the audit log of a company tells: what was done stays, of whom is a digest. */
import { sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';

export interface NumberInAudit {
  readonly companyId: number;
  readonly number: string;
  /** What stands in its place. */
  readonly digest: string;
}

/** So many digits are the same with the country in front and without. */
const nationalLength = 9;

/** A number may stand in it as somebody has typed it: then all of the text goes. */
export function withoutNumber(text: string, { number, digest }: Omit<NumberInAudit, 'companyId'>): string {
  if (text.includes(number)) return text.replaceAll(number, digest);
  const typed = text.replace(/[\s().+/-]/g, '');
  return typed.includes(number.slice(-nationalLength)) ? digest : text;
}

/** Walks by id, behind one; answers where it has come to, null at the end. */
export async function eraseFromAudit(
  transaction: Transaction,
  about: NumberInAudit,
  afterId: number,
  limit: number,
): Promise<{ readonly erased: number; readonly next: number | null }> {
  const rows = await transaction.all<{ id: number; object: string; details: string }>(
    sql`SELECT id, object, details FROM audit_log WHERE company_id = ${about.companyId} AND id > ${afterId}
        ORDER BY id LIMIT ${limit}`,
  );
  let erased = 0;
  for (const { id, ...told } of rows) {
    const [object, details] = [withoutNumber(told.object, about), withoutNumber(told.details, about)];
    if (object === told.object && details === told.details) continue;
    await transaction.run(
      sql`UPDATE audit_log SET object = ${object}, details = ${details} WHERE id = ${id}`,
    );
    erased += 1;
  }
  return { erased, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
}

/** The saved templates of companies, with their former versions. */
import { findCompany } from '../accounts/company-records.ts';
import { managedAmong } from '../accounts/set-keys.ts';
import { type ActingUser, byUser, recordAct } from '../audit/audit-log.ts';
import { leaseBlock } from '../storage/ids.ts';
import { raiseNews } from '../storage/news.ts';
import { byDialect, sql } from '../storage/sql.ts';
import { type Reading, readVerb, refusable, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import type { Template, TemplateVersion } from './template.ts';
import { keepFormer, removeByKeys } from './template-records.ts';

export interface TemplateKey {
  readonly companyId: number;
  readonly id: number;
}

export const findTemplateText = readVerb(
  'templates.findText',
  async (reading, { companyId, id }: TemplateKey): Promise<string | undefined> =>
    (
      await reading.first<{ text: string }>(
        sql`SELECT text FROM templates WHERE company_id = ${companyId} AND id = ${id}`,
      )
    )?.text,
);

export interface TemplatePage {
  readonly companyId: number;
  /** Ids above it. */
  readonly after: number;
  readonly limit: number;
}

/** Of a text, for lists. */
export const beginningLength = 100;

const changed = sql`changed_at AS "changedAt", changed_by AS "changedBy"`;

/** In the order of their ids, with the beginning of each text. */
export const listTemplates = readVerb(
  'templates.list',
  async (reading, { companyId, after, limit }: TemplatePage): Promise<readonly Template[]> => {
    const rows = await reading.all<Omit<Template, 'managed'>>(
      sql`SELECT id, version, name, SUBSTR(text, 1, ${beginningLength}) AS text, ${changed} FROM templates
          WHERE company_id = ${companyId} AND id > ${after} ORDER BY id LIMIT ${limit}`,
    );
    const managed = await managedOf(
      reading,
      companyId,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => ({ ...row, managed: managed.has(row.id) }));
  },
);

export const findTemplate = readVerb('templates.find', (reading, key: TemplateKey) => read(reading, key));

async function read(
  reading: Reading,
  { companyId, id }: TemplateKey,
  lock = sql``,
): Promise<Template | null> {
  const row = await reading.first<Omit<Template, 'managed'>>(
    sql`SELECT id, version, name, text, ${changed} FROM templates WHERE company_id = ${companyId} AND id = ${id} ${lock}`,
  );
  return row === undefined ? null : { ...row, managed: (await managedOf(reading, companyId, [id])).has(id) };
}

/** By the key that provisioning knows a template by. */
async function managedOf(
  reading: Reading,
  companyId: number,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const company = (await findCompany(reading, companyId))?.name ?? '';
  const keyOf = (id: number) => `${id} ${company}`;
  const managed = await managedAmong(reading, 'templates', ids.map(keyOf));
  return new Set(ids.filter((id) => managed.has(keyOf(id))));
}

/** The latest first, with the beginnings of their texts; none: there is no such template. */
export const listVersions = readVerb(
  'templates.listVersions',
  async (reading, { companyId, id }: TemplateKey): Promise<readonly TemplateVersion[]> => {
    const of = (table: 'templates' | 'template_versions') => versionsIn(table, { companyId, id });
    const [current] = await reading.all<TemplateVersion>(of('templates'));
    if (current === undefined) return [];
    return [current, ...(await reading.all<TemplateVersion>(of('template_versions')))];
  },
);

function versionsIn(table: 'templates' | 'template_versions', { companyId, id }: TemplateKey) {
  const columns = sql`version, name, SUBSTR(text, 1, ${beginningLength}) AS text, ${changed}`;
  return table === 'templates'
    ? sql`SELECT ${columns} FROM templates WHERE company_id = ${companyId} AND id = ${id}`
    : sql`SELECT ${columns} FROM template_versions WHERE company_id = ${companyId} AND id = ${id}
          ORDER BY version DESC`;
}

export interface VersionKey extends TemplateKey {
  readonly version: number;
}

export const findVersion = readVerb(
  'templates.findVersion',
  async (reading, { companyId, id, version }: VersionKey): Promise<TemplateVersion | null> => {
    const current = await read(reading, { companyId, id });
    if (current === null || current.version === version) return current;
    const former = await reading.first<TemplateVersion>(
      sql`SELECT version, name, text, ${changed} FROM template_versions
          WHERE company_id = ${companyId} AND id = ${id} AND version = ${version}`,
    );
    return former ?? null;
  },
);

interface Acting extends ActingUser {
  readonly companyId: number;
  readonly now: number;
}

export interface TemplateToCreate extends Acting {
  readonly name: string;
  readonly text: string;
}

export const createTemplate = refusable(
  singleWriteVerb('templates.create', async (transaction, input: TemplateToCreate): Promise<Template> => {
    const { companyId, name, text, username, now } = input;
    for (;;) {
      const id = await leaseBlock(transaction, { kind: 'template', size: 1 });
      // A provisioning file may have given the id already.
      const made = await transaction.run(
        sql`INSERT INTO templates (company_id, id, name, text, changed_at, changed_by)
            VALUES (${companyId}, ${id}, ${name}, ${text}, ${now}, ${username})
            ON CONFLICT (company_id, id) DO NOTHING`,
      );
      if (made === 0) continue;
      await record(transaction, { ...input, id }, 'template.make', name);
      return { id, version: 1, name, text, changedAt: now, changedBy: username, managed: false };
    }
  }),
);

export type TemplateRefused = 'notFound' | 'managed' | 'changedMeanwhile';

export interface TemplateToRemove extends Acting, TemplateKey {
  /** That is known to who acts; undefined: whichever it is. */
  readonly version: number | undefined;
}

export interface TemplateChange extends TemplateToRemove {
  /** Undefined stays. */
  readonly name: string | undefined;
  readonly text: string | undefined;
}

export const changeTemplate = refusable(
  singleWriteVerb(
    'templates.change',
    async (transaction, input: TemplateChange): Promise<Template | TemplateRefused> => {
      const { companyId, id, username, now } = input;
      const found = await changeable(transaction, input);
      if (typeof found === 'string') return found;
      const { name = found.name, text = found.text } = input;
      if (name === found.name && text === found.text) return found;
      await keepFormer(transaction, [input]);
      const version = 1 + found.version;
      await transaction.run(
        sql`UPDATE templates SET name = ${name}, text = ${text}, version = ${version}, changed_at = ${now}, changed_by = ${username}
            WHERE company_id = ${companyId} AND id = ${id}`,
      );
      await record(transaction, input, 'template.change', `${name}, version ${version}`);
      return { ...found, name, text, version, changedAt: now, changedBy: username };
    },
  ),
);

export const removeTemplate = refusable(
  singleWriteVerb(
    'templates.remove',
    async (transaction, input: TemplateToRemove): Promise<TemplateRefused | null> => {
      const found = await changeable(transaction, input);
      if (typeof found === 'string') return found;
      await removeByKeys(transaction, [input]);
      await record(transaction, input, 'template.remove', found.name);
      return null;
    },
  ),
);

/** SQLite has one writer; on PostgreSQL who comes second waits, and then sees what the first has done. */
const locked = sql`${byDialect({ sqlite: '', postgres: 'FOR UPDATE' })}`;

async function changeable(
  transaction: Transaction,
  key: TemplateToRemove,
): Promise<Template | TemplateRefused> {
  const { version } = key;
  const found = await read(transaction, key, locked);
  if (found === null) return 'notFound';
  if (found.managed) return 'managed';
  return version === undefined || version === found.version ? found : 'changedMeanwhile';
}

async function record(
  transaction: Transaction,
  { companyId, id, username, session, now }: Acting & TemplateKey,
  act: 'template.make' | 'template.change' | 'template.remove',
  details: string,
): Promise<void> {
  await recordAct(transaction, {
    companyId,
    at: now,
    by: byUser({ username, session }),
    act,
    object: String(id),
    details,
  });
  await raiseNews(transaction, 'templates');
}

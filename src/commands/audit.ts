/** `carillon audit`: shows who did what, latest first. */
import { Command } from 'commander';
import { type AuditRow, listAudit } from '../audit/audit-log.ts';
import type { Api } from './api.ts';
import { actsAsEither, type CallerOptions } from './as-caller.ts';
import { companyNamed, companyOption, inStore } from './as-operator.ts';
import { columnsBy, instant, iso, type JsonOption, printList } from './list.ts';

const shown = 200;

export function auditCommand(): Command {
  return actsAsEither(new Command('audit'), listAsUser, list).option(...companyOption);
}

type Row = Pick<AuditRow, 'channel' | 'act' | 'object'> & {
  readonly time: number | string;
  readonly company?: string;
  readonly username?: string | null;
  readonly details?: string;
};

const none = 'The audit log is empty.';
const columns = {
  AT: ({ time }: Row) => instant(time),
  COMPANY: ({ company }: Row) => company,
  WHO: ({ username }: Row) => username ?? 'operator',
  BY: ({ channel }: Row) => channel,
  ACT: ({ act }: Row) => act,
  OBJECT: ({ object }: Row) => object,
  DETAILS: ({ details = '' }: Row) => details,
};

async function listAsUser(api: Api, options: CallerOptions & JsonOption): Promise<void> {
  printList(await api.list('/api/v1/audit', 'entries', shown), { none, columns }, options);
}

async function list({ company, ...options }: CallerOptions & JsonOption): Promise<void> {
  const toJson = ({ id, at, ...entry }: AuditRow) => ({ id: String(id), at: iso(at), ...entry });
  const rowOf = ({ at, ...entry }: AuditRow) => ({ time: at, ...entry });
  await inStore(async (store) => {
    const companyId = company === undefined ? null : await companyNamed(store, company);
    const rows = await store.read(listAudit, { companyId, before: null, limit: shown });
    printList(rows, { none, columns: columnsBy(rowOf, columns), toJson }, options);
  });
}

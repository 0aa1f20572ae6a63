/** `carillon audit`: who did what, the latest first. */
import { Command } from 'commander';
import { findCompanyId } from '../accounts/account.ts';
import { withStore } from '../app/open-store.ts';
import { type AuditRow, listAudit } from '../audit/audit-log.ts';
import { readConfig } from '../config/config.ts';
import { StartError } from '../foundation/errors.ts';
import type { Store } from '../storage/store.ts';
import { instant, iso, type JsonOption, jsonOption, printList } from './list.ts';

const shown = 200;

interface AuditOptions extends JsonOption {
  readonly company?: string;
}

export function auditCommand(): Command {
  return new Command('audit')
    .option('--company <name>', 'of this company alone')
    .option(...jsonOption)
    .action(show);
}

async function show({ company, ...options }: AuditOptions): Promise<void> {
  const columns = {
    AT: ({ at }: AuditRow) => instant(at),
    COMPANY: ({ company: name }: AuditRow) => name,
    WHO: ({ username }: AuditRow) => username ?? 'operator',
    BY: ({ channel }: AuditRow) => channel,
    ACT: ({ act }: AuditRow) => act,
    OBJECT: ({ object }: AuditRow) => object,
    DETAILS: ({ details }: AuditRow) => details,
  };
  const toJson = ({ id, at, ...entry }: AuditRow) => ({ id: String(id), at: iso(at), ...entry });
  await withStore(readConfig(process.env), async (store) => {
    const companyId = company === undefined ? null : await idOf(store, company);
    const rows = await store.read(listAudit, { companyId, before: null, limit: shown });
    printList(rows, { none: 'The audit log is empty.', columns, toJson }, options);
  });
}

async function idOf(store: Store, company: string): Promise<number> {
  const id = await store.read(findCompanyId, company);
  if (id === null) throw new StartError(`There is no company ${company}.`);
  return id;
}

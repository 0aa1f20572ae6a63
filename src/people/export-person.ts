/** Everything about one phone number as a file of JSON lines (GDPR, article 15), a page at a time. */

import type { Caller } from '../accounts/caller.ts';
import { type ActingUser, byUser } from '../audit/audit-log.ts';
import { plainContact } from '../contacts/management/shown-contact.ts';
import { linesInSlices } from '../http/answers/sliced-answer.ts';
import type { Cursor } from '../http/parameters/page.ts';
import { listedMessage } from '../messages/management/shown-message.ts';
import { recordPersonExport } from './erasure-store.ts';
import {
  type PeopleServices,
  readPerson,
  readReceived,
  readSent,
  requireAdministrator,
} from './read-person.ts';

const pageLength = 200;
const iso = (at: number) => new Date(at).toISOString();

export async function exportPerson(services: PeopleServices, caller: Caller, number: string) {
  requireAdministrator(caller);
  const { companyId } = caller;
  const now = services.clock.now();
  const by = byUser(caller satisfies ActingUser);
  await services.store.write(recordPersonExport, { companyId, at: now, by, number });
  return linesInSlices(`${number} ${iso(now).slice(0, 10)}.jsonl`, pagesOf(services, caller, number));
}

async function* pagesOf(
  services: PeopleServices,
  caller: Caller,
  number: string,
): AsyncGenerator<readonly object[]> {
  const { contacts, conversations } = await readPerson(services, caller, number);
  yield contacts.map((contact) => ({
    kind: 'contact',
    book: contact.book.name,
    ...plainContact(contact),
  }));
  yield conversations.map(({ id, username, number: with_, lastAt }) => ({
    kind: 'conversation',
    id: String(id),
    username,
    number: with_,
    last: iso(lastAt),
  }));
  for (let after: Cursor | undefined; ; ) {
    const { messages, next } = await readSent(services, caller, { number, after, limit: pageLength });
    yield messages.map(({ run, batchName, ...message }) => ({
      kind: 'sent',
      ...listedMessage(message),
      message: message.text,
      ...(batchName !== undefined && { batchname: batchName }),
      ...(run !== undefined && { runid: run.runId, run: run.name, answered: run.state }),
    }));
    if (next === null) break;
    after = next;
  }
  for (let after: Cursor | undefined; ; ) {
    const { items } = await readReceived(services, caller, { number, after, limit: pageLength });
    yield items.map(({ id, at, number: to, text, username, runId }) => ({
      kind: 'received',
      id: String(id),
      time: iso(at),
      from: number,
      to,
      message: text,
      username,
      ...(runId !== null && { runid: runId }),
    }));
    const last = items.at(-1);
    if (items.length < pageLength || last === undefined) return;
    after = { time: last.at, id: last.id };
  }
}

/** `carillon numbers`: shows which numbers phones can reply to, and who receives the replies. */
import { Command } from 'commander';
import { listNumbers, type NumberRecord } from '../routing/number-records.ts';
import type { AnswerOf, Api } from './api.ts';
import { actsAsEither, type CallerOptions } from './as-caller.ts';
import { inStore } from './as-operator.ts';
import { type JsonOption, printList } from './list.ts';

export function numbersCommand(): Command {
  return actsAsEither(new Command('numbers'), listAsUser, list);
}

const none = 'There are no numbers, so no phone can answer.';

function columnsOf<Item extends { readonly number: string }>(useOf: (item: Item) => string) {
  return { NUMBER: ({ number }: Item) => number, USE: useOf };
}

type OwnNumber = AnswerOf<'GET', '/api/v1/numbers'>['numbers'][number];

async function listAsUser(api: Api, options: CallerOptions & JsonOption): Promise<void> {
  const columns = columnsOf(({ use, username, shared }: OwnNumber) => {
    if (use === 'pool') return shared ? 'pool of all companies' : 'pool of the company';
    return use === 'rented' ? `rented by ${username}` : 'none';
  });
  printList(await api.list('/api/v1/numbers', 'numbers'), { none, columns }, options);
}

async function list(options: JsonOption): Promise<void> {
  const columns = columnsOf(({ pool, rentedBy, company }: NumberRecord) => {
    if (pool) return company === undefined ? 'pool of all companies' : `pool of ${company}`;
    return rentedBy === undefined ? 'none' : `rented by ${rentedBy}`;
  });
  const toJson = ({ number, pool, rentedBy, company }: NumberRecord) => {
    return { number, pool, rentedBy: rentedBy ?? null, company: company ?? null };
  };
  await inStore(async (store) =>
    printList(await store.read(listNumbers, null), { none, columns, toJson }, options),
  );
}

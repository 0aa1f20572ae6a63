/** Reads SMS by the ids of a call, in pages so that others have their turn, and stops when the client has gone. */
import type { Call } from '../http/endpoints/endpoint.ts';
import { parseMessageId } from './message.ts';

/** One transaction marks so many, while others wait for it. */
const idsAtOnce = 500;

export interface FoundByIds<Row> {
  /** In the order asked for, each once. */
  readonly rows: readonly Row[];
  /** As they were given. */
  readonly notfound: readonly string[];
}

export async function readByIds<Row extends { readonly id: number }>(
  given: readonly string[],
  read: (ids: readonly number[]) => Promise<readonly Row[]>,
  call?: Pick<Call, 'closed'>,
): Promise<FoundByIds<Row>> {
  const asked = [...new Set(given)];
  const rows: Row[] = [];
  const notfound: string[] = [];
  const closed = asked.length > idsAtOnce ? call?.closed : undefined;
  for (let from = 0; from < asked.length && closed?.aborted !== true; from += idsAtOnce) {
    const page = asked.slice(from, from + idsAtOnce);
    const ids = page.map(parseMessageId).filter((id) => id !== undefined);
    const found = new Map((ids.length === 0 ? [] : await read(ids)).map((row) => [String(row.id), row]));
    for (const id of page) {
      const row = found.get(id);
      if (row === undefined) notfound.push(id);
      else rows.push(row);
    }
  }
  return { rows, notfound };
}

/** Removes a phone number, and the texts in the same object, from queued and posted webhook events. */
import { sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { formsOf } from '../../wire/phone-number.ts';

type EventPlace = readonly [endpointId: number, seq: number];

const textFields = ['message', 'text', 'messagetext', 'name'];

/** Empties the texts of the object that has the number. The data identifying the message stays. */
function withoutPerson(value: unknown, forms: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutPerson(one, forms));
  if (typeof value !== 'object' || value === null) return isNumber(value, forms) ? '' : value;
  const fields = Object.entries(value);
  const isTheirs = fields.some(([, one]) => isNumber(one, forms));
  return Object.fromEntries(
    fields.map(([name, one]) => [
      name,
      isTheirs && textFields.includes(name) && typeof one === 'string' ? '' : withoutPerson(one, forms),
    ]),
  );
}

function isNumber(value: unknown, forms: readonly string[]): boolean {
  return forms.some((form) => value === form || value === `+${form}`);
}

/** Processes the events of a company's endpoints after a position. `next` is null at the end. */
export async function eraseFromEvents(
  transaction: Transaction,
  { companyId, number }: { readonly companyId: number; readonly number: string },
  [afterEndpoint, afterSeq]: EventPlace,
  limit: number,
): Promise<{ readonly erased: number; readonly next: EventPlace | null }> {
  const endpoint = await transaction.first<{ id: number }>(
    sql`SELECT id FROM webhook_endpoints WHERE company_id = ${companyId} AND id >= ${afterEndpoint} ORDER BY id LIMIT 1`,
  );
  if (endpoint === undefined) return { erased: 0, next: null };
  const { id } = endpoint;
  const events = await transaction.all<{ seq: number; data: string }>(
    sql`SELECT seq, data FROM webhook_events WHERE endpoint_id = ${id} AND seq > ${id === afterEndpoint ? afterSeq : 0}
        ORDER BY seq LIMIT ${limit}`,
  );
  const forms = formsOf(number);
  let erased = 0;
  for (const { seq, data } of events) {
    if (!forms.some((form) => data.includes(form))) continue;
    const without = JSON.stringify(withoutPerson(JSON.parse(data), forms));
    // A text that only mentions the number is left as it is. The search reports it.
    if (without === data) continue;
    erased += await transaction.run(
      sql`UPDATE webhook_events SET data = ${without} WHERE endpoint_id = ${id} AND seq = ${seq}`,
    );
  }
  const last = events.at(-1);
  const next: EventPlace = last === undefined || events.length < limit ? [id + 1, 0] : [id, last.seq];
  return { erased, next };
}

/** The recipients of a batch in JSON: the items of its list, parsed a slice at a time. */

import type { Body } from '../../http/body/body.ts';
import type { ListSpan } from '../../http/body/json-scan.ts';
import { parsedSlice, slicesOf } from '../../http/body/json-skim.ts';
import type { Faults } from '../../http/parameters/faults.ts';
import { itemDecoder } from '../../http/parameters/lists.ts';
import { type GivenRecipient, type RecipientList, recipientFields } from './recipient.ts';

export const listName = 'batch';

const decode = itemDecoder(recipientFields);

export class JsonRecipients implements RecipientList {
  readonly withoutText = 'is missing, and there is no common message.';
  readonly #body: Body;
  readonly #list: ListSpan;

  constructor(body: Body, list: ListSpan) {
    this.#body = body;
    this.#list = list;
  }

  *read(faults: Faults): Generator<Iterable<GivenRecipient>> {
    let place = 0;
    for (const slice of slicesOf(this.#body, this.#list)) {
      if (slice === undefined) continue;
      const items = yield* this.#parse(slice.from, slice.to);
      yield recipientsOf(items, place, faults);
      place += items.length;
    }
  }

  nameOf(place: number, field?: keyof typeof recipientFields): string {
    return field === undefined ? `${listName}[${place}]` : `${listName}[${place}].${field}`;
  }

  *#parse(from: number, to: number): Generator<Iterable<GivenRecipient>, readonly unknown[]> {
    const parsing = parsedSlice(this.#body, from, to);
    for (;;) {
      const step = parsing.next();
      if (step.done) return step.value;
      yield [];
    }
  }
}

function* recipientsOf(
  items: readonly unknown[],
  first: number,
  faults: Faults,
): Generator<GivenRecipient, void> {
  let place = first;
  for (const item of items) {
    const faultsBefore = faults.count;
    const given = decode(item, listName, place, faults);
    if (given !== undefined && faults.count === faultsBefore) yield { place, ...given };
    place += 1;
  }
}

/** The first pass over a batch: validates it as a whole before anything is stored (API: /batchsend). */
import { createHash } from 'node:crypto';
import { ServiceError } from '../../foundation/errors.ts';
import { Faults } from '../../http/parameters/faults.ts';
import type { Origin } from '../../routing/route.ts';
import { type RoutingSnapshot, RoutingTable } from '../../routing/routing-table.ts';
import { type CountryRule, countryRule } from '../../wire/country.ts';
import { cleanNumber } from '../../wire/phone-number.ts';
import type { GivenRecipient, RecipientList } from './recipient.ts';

/** What a batch asks for beside its recipients, and what its account is allowed. */
export interface BatchRequest {
  /** The common one. */
  readonly message: string | undefined;
  /** The first label is replaced by the first substitution, and so on. */
  readonly holders: readonly string[];
  readonly conversation: string;
  readonly defaultCountryCode: string | undefined;
  /** Characters outside GSM-7 by similar ones. */
  readonly replacing: boolean;
  readonly origin: Origin;
  readonly routes: RoutingSnapshot;
  /** Undefined is all. */
  readonly countries: readonly string[] | undefined;
  readonly maxRecipients: number;
  /** For the management API, which ignores no name in an item of the list. */
  readonly refusesUnknown: boolean;
  /** All that the caller asks for beside the recipients, as text; undefined: the request is not to be known again. */
  readonly understood: string | undefined;
}

interface Judgement {
  /** As they were given, duplicates too. */
  readonly recipients: number;
  /** The hash of the request as it was understood, whatever its form. */
  readonly requestHash: string | undefined;
  /** What is wrong with it, all together. */
  readonly fault: ServiceError | undefined;
  /** How many things are wrong; the fault tells the first of them. */
  readonly faults: number;
  /** Undefined when there are more recipients than there may be. */
  readonly repeated: ReadonlySet<number> | undefined;
}

/** Pauses at each `yield`. Throws a ServiceError where the list cannot be read at all. */
export function* judgeBatch(list: RecipientList, request: BatchRequest): Generator<void, Judgement> {
  const { understood } = request;
  const hash = understood === undefined ? undefined : createHash('sha256').update(understood);
  const routes = RoutingTable.of(request.routes);
  const ways: NumberRules = {
    hasRoute: (number) => routes.carrierFor(number, request.origin) !== undefined,
    isAllowed: request.countries === undefined ? () => true : countryRule(new Set(request.countries)),
  };
  const faults = new Faults(request.refusesUnknown);
  const numbers = new RepeatedNumbers(request.maxRecipients);
  let recipients = 0;
  let faultsOfJudging = 0;
  for (const some of list.read(faults)) {
    let given = '';
    for (const recipient of some) {
      recipients += 1;
      const faultsBefore = faults.count;
      const number = judge(recipient, list, request, ways, faults);
      faultsOfJudging += faults.count - faultsBefore;
      if (number !== undefined) numbers.add(number);
      if (hash !== undefined) {
        const { t, m, i, s } = recipient;
        given += JSON.stringify([t, m, i, s ?? []]);
      }
    }
    hash?.update(given);
    yield;
  }
  // A request with recipients that cannot be read is another than one without them.
  hash?.update(String(faults.count - faultsOfJudging));
  return {
    recipients,
    requestHash: hash?.digest('base64url'),
    fault: faults.asError() ?? (recipients === 0 ? noRecipients() : undefined),
    faults: faults.count,
    repeated: recipients > request.maxRecipients ? undefined : numbers.repeated(),
  };
}

interface NumberRules {
  readonly hasRoute: (number: string) => boolean;
  readonly isAllowed: CountryRule;
}

/** The number, cleaned; undefined with a fault added. */
function judge(
  { place, t, m }: GivenRecipient,
  list: RecipientList,
  request: BatchRequest,
  ways: NumberRules,
  faults: Faults,
): string | undefined {
  if (m === undefined && request.message === undefined) {
    faults.add(list.nameOf(place, 'm'), 'no_text', list.withoutText);
  }
  const number = cleanNumber(t, request.defaultCountryCode);
  if (!number.ok) {
    faults.addFault(list.nameOf(place, 't'), number);
    return undefined;
  }
  if (!ways.isAllowed(number.value)) {
    const allowed = request.countries?.join(', ') || 'none';
    const sentence = `is ${number.value}, which is not in a country that the account may send to (${allowed}).`;
    faults.add(list.nameOf(place, 't'), 'country_not_allowed', sentence);
  }
  if (!ways.hasRoute(number.value)) {
    faults.add(list.nameOf(place, 't'), 'no_route', `is ${number.value}, to which no route leads.`);
  }
  return number.value;
}

function noRecipients(): ServiceError {
  return new ServiceError('no_recipients', 'The batch names no recipient: give at least one.');
}

const blockNumbers = 16_384;

/**
 * Finds the numbers that a batch has more than once, so that only their texts need be compared: most batches have none,
 * and half a million numbers take four megabytes.
 */
class RepeatedNumbers {
  readonly #most: number;
  readonly #blocks: Float64Array[] = [];
  #count = 0;

  /** Nobody asks for the repeated numbers of a longer list. */
  constructor(most: number) {
    this.#most = most;
  }

  /** It has at most 15 digits and no leading zero, so that a double holds it exactly. */
  add(number: string): void {
    if (this.#count === this.#most) return;
    const at = this.#count % blockNumbers;
    if (at === 0) this.#blocks.push(new Float64Array(blockNumbers));
    const block = this.#blocks.at(-1) as Float64Array;
    block[at] = Number(number);
    this.#count += 1;
  }

  repeated(): ReadonlySet<number> {
    const all = new Float64Array(this.#count);
    for (const [index, block] of this.#blocks.entries()) {
      const from = index * blockNumbers;
      all.set(block.subarray(0, Math.min(blockNumbers, this.#count - from)), from);
    }
    all.sort();
    const repeated = new Set<number>();
    for (let at = 1; at < all.length; at += 1) {
      if (all[at] === all[at - 1]) repeated.add(all[at] as number);
    }
    return repeated;
  }
}

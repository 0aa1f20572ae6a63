/** The first pass over a batch: validates it as a whole before anything is stored (API: /batchsend). */

import { createHash } from 'node:crypto';
import { ServiceError } from '../../foundation/errors.ts';
import { fault } from '../../foundation/result.ts';
import { Faults } from '../../http/parameters/faults.ts';
import type { Origin } from '../../routing/route.ts';
import { type RoutingSnapshot, RoutingTable } from '../../routing/routing-table.ts';
import { type CountryRule, countryRule } from '../../wire/country.ts';
import { cleanNumber } from '../../wire/phone-number.ts';
import { FaultyRecipients } from './faulty.ts';
import type { GivenRecipient, RecipientList } from './recipient.ts';

/** The batch request without its recipients, and the account's limits. */
export interface BatchRequest {
  /** The common message. */
  readonly message: string | undefined;
  /** The first label is replaced by the first substitution, and so on. */
  readonly holders: readonly string[];
  readonly conversation: string;
  readonly defaultCountryCode: string | undefined;
  /** Whether to replace characters outside GSM-7 by similar ones. */
  readonly replacing: boolean;
  readonly origin: Origin;
  readonly routes: RoutingSnapshot;
  /** Undefined allows all countries. */
  readonly countries: readonly string[] | undefined;
  readonly maxRecipients: number;
  /** Set for the management API, which refuses unknown names in an item of the list. */
  readonly refusesUnknown: boolean;
  /** Whether recipients with faults are left out, and the others sent. */
  readonly skipsFaulty: boolean;
  /** Whether a dry run returns the numbers of its messages. */
  readonly listsNumbers?: boolean;
  /** All request values apart from the recipients, as text; undefined when the request need not be recognised later. */
  readonly understood: string | undefined;
}

interface Judgement {
  /** Recipients as given, including duplicates. */
  readonly recipients: number;
  /** A hash of the parsed request, independent of its form. */
  readonly requestHash: string | undefined;
  /** All faults in a single error. */
  readonly fault: ServiceError | undefined;
  /** The total number of faults; the error lists only the first of them. */
  readonly faults: number;
  readonly faulty: FaultyRecipients;
  /** Whether at least one recipient has none. */
  readonly hasSound: boolean;
  /** Undefined when there are too many recipients. */
  readonly repeated: ReadonlySet<number> | undefined;
}

/** Pauses at each `yield`. Throws a ServiceError if the list cannot be read at all. */
export function* judgeBatch(list: RecipientList, request: BatchRequest): Generator<void, Judgement> {
  const { understood } = request;
  const hash = understood === undefined ? undefined : createHash('sha256').update(understood);
  const judge = recipientJudge(list, request);
  const faulty = new FaultyRecipients();
  const faults = new Faults(request.refusesUnknown);
  const numbers = new RepeatedNumbers(request.maxRecipients);
  let recipients = 0;
  let faultsOfJudging = 0;
  for (const some of list.read(faults, faulty.add)) {
    let given = '';
    for (const recipient of some) {
      recipients += 1;
      const faultsBefore = faults.count;
      const number = judge(recipient, faults);
      faultsOfJudging += faults.count - faultsBefore;
      if (number === undefined) faulty.add(recipient.place);
      else numbers.add(number);
      if (hash !== undefined) {
        const { t, m, i, s } = recipient;
        given += JSON.stringify([t, m, i, s ?? []]);
      }
    }
    hash?.update(given);
    yield;
  }
  // A request with unreadable recipients must not have the hash of a request without recipients.
  hash?.update(String(faults.count - faultsOfJudging));
  return {
    recipients,
    requestHash: hash?.digest('base64url'),
    fault: faults.asError() ?? (recipients === 0 ? noRecipients() : undefined),
    faults: faults.count,
    faulty,
    hasSound: numbers.count > 0,
    repeated: recipients > request.maxRecipients ? undefined : numbers.repeated(),
  };
}

interface NumberRules {
  readonly hasRoute: (number: string) => boolean;
  readonly isAllowed: CountryRule;
}

/** Returns the cleaned number, or undefined after adding faults. */
export type RecipientJudge = (recipient: GivenRecipient, faults: Faults) => string | undefined;

export function recipientJudge(list: RecipientList, request: BatchRequest): RecipientJudge {
  const routes = RoutingTable.of(request.routes);
  const ways: NumberRules = {
    hasRoute: (number) => routes.carrierFor(number, request.origin) !== undefined,
    isAllowed: request.countries === undefined ? () => true : countryRule(new Set(request.countries)),
  };
  return (recipient, faults) => judge(recipient, list, request, ways, faults);
}

function judge(
  { place, t, m }: GivenRecipient,
  list: RecipientList,
  request: BatchRequest,
  ways: NumberRules,
  faults: Faults,
): string | undefined {
  const faultsBefore = faults.count;
  if (m === undefined && request.message === undefined) {
    faults.add(list.nameOf(place, 'm'), 'no_text', list.withoutText);
  }
  const number = cleanNumber(t, request.defaultCountryCode);
  if (!number.ok) {
    faults.addFault(list.nameOf(place, 't'), number);
    return undefined;
  }
  if (!ways.isAllowed(number.value)) {
    const allowed = request.countries?.join(', ') ?? '';
    const said = { sentence: 'country_not_allowed', recipient: number.value, countries: allowed } as const;
    faults.addFault(list.nameOf(place, 't'), fault('country_not_allowed', said));
  }
  if (!ways.hasRoute(number.value)) {
    faults.addFault(
      list.nameOf(place, 't'),
      fault('no_route', { sentence: 'no_route', recipient: number.value }),
    );
  }
  return faults.count === faultsBefore ? number.value : undefined;
}

function noRecipients(): ServiceError {
  return new ServiceError('no_recipients', 'The batch has no recipients. Give at least one.');
}

const blockNumbers = 16_384;

/**
 * Finds the numbers that occur more than once in a batch, so that only their texts need comparing. Most batches have none,
 * and half a million numbers take four megabytes.
 */
class RepeatedNumbers {
  readonly #most: number;
  readonly #blocks: Float64Array[] = [];
  count = 0;

  /** Repeated numbers of a longer list are not needed. */
  constructor(most: number) {
    this.#most = most;
  }

  /** A number has at most 15 digits and no leading zero, so a double holds it exactly. */
  add(number: string): void {
    if (this.count === this.#most) return;
    const at = this.count % blockNumbers;
    if (at === 0) this.#blocks.push(new Float64Array(blockNumbers));
    const block = this.#blocks.at(-1) as Float64Array;
    block[at] = Number(number);
    this.count += 1;
  }

  repeated(): ReadonlySet<number> {
    const all = new Float64Array(this.count);
    for (const [index, block] of this.#blocks.entries()) {
      const from = index * blockNumbers;
      all.set(block.subarray(0, Math.min(blockNumbers, this.count - from)), from);
    }
    all.sort();
    const repeated = new Set<number>();
    for (let at = 1; at < all.length; at += 1) {
      if (all[at] === all[at - 1]) repeated.add(all[at] as number);
    }
    return repeated;
  }
}

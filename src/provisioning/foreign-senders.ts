/**
 * Checks the sender ids in a file. A sender id that belongs to another company, or to the reply pool, is a fault, as in a
 * call. When a number leaves its company, whatever else in that company still names the number stays and is reported, since it
 * was set by others, who may not know of the file.
 */
import { groupedBy } from '../foundation/grouped.ts';
import { type OwnedNumber, SenderOwners, senderKey, writtenForms } from '../routing/sender-owners.ts';
import type { Fault, Place } from '../yaml/fault.ts';
import { type AnyKind, kinds, type Objects, ofKind } from './kind-list.ts';
import { companies } from './kinds/companies.ts';
import { numbers } from './kinds/numbers.ts';
import { users } from './kinds/users.ts';
import type { Audience, Scope, View } from './objects/kind.ts';
import { faultAt, type Planned, placeOf } from './objects/planned.ts';

interface OwningView extends View {
  readonly state: { readonly ownedNumbers: readonly OwnedNumber[] };
}

/** Senders are checked against the numbers and lists as the file leaves them, whatever their order in the file. */
export function senderFaults(view: OwningView): readonly Fault[] {
  const named = kinds.flatMap((kind) =>
    [...view.asked(kind)].flatMap(([key, asked]) => namedByFile(kind, asked, view.after(kind).get(key))),
  );
  if (named.length === 0) return [];
  // New companies do not have ids yet.
  const places = new Map([...view.after(companies).keys()].map((name, place) => [name, place]));
  const placeIn = (company: string | undefined) => (company === undefined ? undefined : places.get(company));
  const owners = new SenderOwners({
    numbers: numbersAfter(view).map(({ number, pool, company }) => {
      return { number, pool: pool ? 1 : 0, companyId: placeIn(company) ?? null };
    }),
    listed: [...view.after(companies).values()].map(({ name, senders = [] }) => {
      return { companyId: placeIn(name) as number, senders };
    }),
  });
  return named.flatMap(({ asked, company, field, sender }) => {
    const judged = owners.judge(placeIn(company) ?? Number.NaN, sender);
    return judged.ok ? [] : [faultAt(asked, field, judged.error.replace(/\.$/, ''))];
  });
}

interface NamedSender {
  readonly field: string;
  readonly sender: string;
}

function namedByFile(kind: AnyKind, asked: Planned, after: object | undefined) {
  if (asked.remove || after === undefined) return [];
  return sendersIn(kind, after)
    .filter(({ field }) => field in asked.fieldPlaces)
    .map(({ field, sender }) => ({ asked, company: companyOf(kind, after), field, sender }));
}

/** Empty text means none. */
function sendersIn({ senders }: AnyKind, kept: object): readonly NamedSender[] {
  if (senders === undefined || senders.isIdle?.(kept)) return [];
  const values = kept as Readonly<Record<string, string | readonly string[] | undefined>>;
  return senders.fields.flatMap((field) =>
    [values[field] ?? []]
      .flat()
      .filter((sender) => sender !== '')
      .map((sender) => ({ field, sender })),
  );
}

/** The name of the company that the object belongs to, or of the object if it is a company. */
function companyOf(kind: AnyKind, kept: object): string {
  const { name, company } = kept as { readonly name: string; readonly company: string };
  return kind.within === 'company' ? company : name;
}

interface NumberOwner {
  readonly number: string;
  readonly pool: boolean;
  /** The company's name; undefined when the number belongs to no company. */
  readonly company: string | undefined;
}

function numbersBefore(view: OwningView): ReadonlyMap<string, NumberOwner> {
  const names = new Map([...view.before(companies).values()].map(({ id, name }) => [id, name]));
  return new Map(
    view.state.ownedNumbers.map(({ number, pool, companyId }) => {
      const company = companyId === null ? undefined : names.get(companyId);
      return [number, { number, pool: pool === 1, company }];
    }),
  );
}

function numbersAfter(view: OwningView): readonly NumberOwner[] {
  const before = numbersBefore(view);
  const after = view.after(numbers);
  const untouched = [...before.values()].filter(({ number }) => !view.asked(numbers).has(number));
  const asked = [...view.asked(numbers).keys()].flatMap((number) => {
    const { pool, rentedBy } = after.get(number) ?? {};
    if (pool === undefined) return [];
    if (rentedBy === undefined) return [{ number, pool, company: undefined }];
    // A renter that the file does not name remains the renter.
    const company = view.after(users).get(rentedBy)?.company ?? before.get(number)?.company;
    return [{ number, pool, company }];
  });
  return [...untouched, ...asked];
}

interface LostNumber {
  readonly number: string;
  /** The company that had the number. */
  readonly company: string;
  /** The field of the file that gives the number away. */
  readonly place: Place;
}

/**
 * Numbers that move from one company to another, or to the pool. A number that no longer belongs to any company may be used
 * by all.
 */
function lostNumbers(view: OwningView): readonly LostNumber[] {
  if (view.asked(numbers).size === 0) return [];
  const before = numbersBefore(view);
  return numbersAfter(view).flatMap(({ number, pool, company }) => {
    const asked = view.asked(numbers).get(number);
    const owner = before.get(number);
    if (asked === undefined || owner?.company === undefined || owner.pool) return [];
    if (!pool && (company === undefined || company === owner.company)) return [];
    const place = placeOf(asked, pool ? 'pool' : 'rentedBy');
    return [{ number, company: owner.company, place }];
  });
}

/** A number that its company has lost, and what in that company still names it. */
export interface StaleSender extends LostNumber {
  readonly namers: readonly Namers[];
}

interface Namers {
  readonly names: readonly string[];
  readonly many: string | undefined;
  readonly isPersonal: boolean;
}

/**
 * Reads everything that the company of a lost number has. Numbers seldom move, and other files are not slowed down by this.
 */
export async function staleSenders(
  view: OwningView,
  read: (scope: Scope) => Promise<{ readonly objects: Objects }>,
): Promise<readonly StaleSender[]> {
  const lost = lostNumbers(view);
  if (lost.length === 0) return [];
  const losers = [...new Set(lost.map(({ company }) => company))];
  const { objects } = await read({ companies: { keys: losers, ids: [], removed: losers } });
  const byForm = new Map(lost.flatMap((one) => writtenForms(one.number).map((form) => [form, one])));
  const found = kinds.flatMap((kind) =>
    ofKind<object>(objects, kind).flatMap((kept) => {
      const now = outcomeOf(kind, kept, view);
      const named = now === undefined ? [] : sendersIn(kind, now);
      const theirs = new Set(named.map(({ sender }) => byForm.get(senderKey(sender))));
      return [...theirs]
        .filter((one) => one?.company === companyOf(kind, kept))
        .map((one) => ({ one, kind, name: kind.senders?.nameOf(kept) ?? '' }));
    }),
  );
  const byNumber = groupedBy(found, ({ one }) => one);
  return lost.flatMap((one) => {
    const namers = [...groupedBy(byNumber.get(one) ?? [], ({ kind }) => kind)].map(([kind, some]) => {
      const { many, isPersonal = false } = kind.senders ?? {};
      return { names: some.map(({ name }) => name), many, isPersonal };
    });
    return namers.length === 0 ? [] : [{ ...one, namers }];
  });
}

/** The state of an object after the file, which may not name it at all. */
function outcomeOf(kind: AnyKind, kept: object, view: View): object | undefined {
  const key = kind.keyOf(kept);
  return view.before(kind).has(key) ? view.after(kind).get(key) : kept;
}

/** If more objects of a kind than this name a number, only their count is reported. */
const maxNamed = 10;

/** Formulates the warning. */
export function staleFault({ number, company, place, namers }: StaleSender, audience: Audience): Fault {
  const described = namers.map(({ names, many, isPersonal }) => {
    const isCounted = many !== undefined && (names.length > maxNamed || (isPersonal && audience === 'log'));
    return isCounted ? `${names.length} of ${many}` : names.join(', ');
  });
  const sentence = `${number} is no longer a sender of ${company}, but is still named there by ${described.join(', ')}: SMS from this number are refused until another is named`;
  return { place, sentence };
}

/**
 * Performs the dry run of a call that sends: its recipients, texts, senders, carriers and cost, and which recipients would be
 * rejected and why.
 */
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { findPeople } from '../../contacts/people.ts';
import type { ErrorContent, ServiceError } from '../../foundation/errors.ts';
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { Store } from '../../storage/store.ts';
import { theCaller } from '../../storage/verb.ts';
import { cleanNumber } from '../../wire/phone-number.ts';
import { monthOf, readQuotaLeft } from '../charging.ts';
import { dryRunAccept, type Foreseen } from './accept.ts';
import { toRows } from './accepted-row.ts';
import type { SendRequest } from './parameters.ts';
import {
  type Prepared,
  type PreparedCall,
  type Preparing,
  prepareCall,
  type WaitingCall,
  withCountryCode,
  withoutRecipients,
} from './prepare.ts';
import { carriersOf, optOutTermsOf, type Sending } from './send.ts';
import { overRateError, quotaExceeded } from './send-errors.ts';

export interface PreviewedMessage {
  readonly to: string;
  readonly name: string;
  readonly text: string;
  readonly parts: number;
  readonly sender: string;
  readonly carrier: string;
}

interface PreviewedRejection extends ErrorContent {
  /** As written in the request. */
  readonly to: string;
  readonly name: string;
}

export interface Preview {
  readonly accepted: number;
  readonly rejected: number;
  /** SMS parts in total. */
  readonly parts: number;
  /** What is left of the quotas; null when there are none. */
  readonly quotaLeft: number | null;
  /** Why the call as a whole would send nothing although it has messages; undefined if it would send. */
  readonly refused: ServiceError | undefined;
  /** Undefined for two-way messages, each of which has its own sender. */
  readonly sender: string | undefined;
  readonly sendAt: number | undefined;
  /** The rejections on this page; rejected recipients come before the others. */
  readonly rejections: readonly PreviewedRejection[];
  readonly messages: readonly PreviewedMessage[];
  /** Whether there are recipients after this page. */
  readonly hasMore: boolean;
}

type Previewing = Preparing & Pick<Sending, 'clock' | 'personSecret'>;

interface PreviewPage {
  /** How many recipients precede the page. */
  readonly after: number;
  readonly limit: number;
}

/** Previews must not use up the turns of real messages, so all previews share one copy of each table. */
const copies = new WeakMap<RoutingTable, RoutingTable>();

function copyOf(routes: RoutingTable): RoutingTable {
  const copy = copies.get(routes) ?? routes.copy();
  copies.set(routes, copy);
  return copy;
}

export async function preview(
  previewing: Previewing,
  caller: Caller,
  asked: SendRequest,
  { after, limit }: PreviewPage,
  waiting: WaitingCall,
): Promise<Preview> {
  requireRole(caller, 'send');
  const { store } = previewing;
  const request = withCountryCode(asked, caller);
  const now = previewing.clock.now();
  const routes = copyOf(previewing.routes());
  const call = await prepareCall({ ...previewing, routes: () => routes }, caller, request, now, waiting);
  const { prepared, refused, chosen } = await dryRunAll(previewing, { caller, request, call, now });
  const rejections = rejectionsOf(prepared);
  const { messages } = prepared;
  const rejectedHere = rejections.slice(after, after + limit);
  const first = Math.max(0, after - rejections.length);
  const messagesHere = messages.slice(first, first + limit - rejectedHere.length);
  const names = await namesOf(store, caller, [
    ...messagesHere.map(({ recipient }) => recipient),
    ...rejectedHere.map(({ to }) => digitsOf(to, request)),
  ]);
  return {
    accepted: messages.length,
    rejected: rejections.length,
    parts: partsOf(prepared),
    quotaLeft: await store.read(readQuotaLeft, caller.userId),
    refused,
    sender: request.twoway ? undefined : prepared.sender,
    sendAt: prepared.sendAt,
    rejections: rejectedHere.map((one) => ({ ...one, name: names.get(digitsOf(one.to, request)) ?? '' })),
    messages: messagesHere.map(({ recipient, text, parts, carrierId }, index) => {
      const own = chosen[first + index];
      const carrier = routes.nameOf(own?.carrierId ?? carrierId) ?? '';
      return {
        to: recipient,
        name: names.get(recipient) ?? '',
        text,
        parts,
        sender: own?.sender ?? prepared.sender,
        carrier,
      };
    }),
    hasMore: after + limit < rejections.length + messages.length,
  };
}

const digitsOf = (given: string, { defaultcountrycode }: SendRequest) => {
  const number = cleanNumber(given, defaultcountrycode);
  return number.ok ? number.value : given;
};

const partsOf = ({ messages }: Prepared) => messages.reduce((sum, { parts }) => sum + parts, 0);

/** Each recipient once, with the first reason. */
function rejectionsOf({ errors, refused }: Prepared): readonly Omit<PreviewedRejection, 'name'>[] {
  const rejections = new Map<string, Omit<PreviewedRejection, 'name'>>();
  for (const [place, { code, error, values }] of errors.entries()) {
    const to = refused[place] as string;
    if (!rejections.has(to)) rejections.set(to, { to, code, error, values });
  }
  return [...rejections.values()];
}

interface PreviewedCall {
  readonly caller: Caller;
  readonly request: SendRequest;
  readonly call: PreparedCall;
  readonly now: number;
}

interface DryRun {
  readonly prepared: Prepared;
  readonly refused: ServiceError | undefined;
  readonly chosen: Extract<Foreseen, { kind: 'dryRun' }>['chosen'];
}

async function dryRunAll(
  previewing: Previewing,
  { caller, request, call, now }: PreviewedCall,
): Promise<DryRun> {
  const { prepared } = call;
  if (prepared.messages.length === 0) return { prepared, refused: undefined, chosen: [] };
  const { companyId, userId } = caller;
  const { twoway: twoWay } = request;
  const parts = partsOf(prepared);
  const terms = optOutTermsOf(previewing, { caller, request });
  const dryRun = await previewing.store.read(dryRunAccept, {
    twoWay,
    acceptance: {
      companyId,
      userId,
      parts,
      costCenter: '',
      now,
      month: monthOf(now),
      idempotency: null,
      nodeId: null,
      // The store needs the messages only to choose pool numbers for them and to find opt-outs, which takes no texts.
      rows:
        twoWay || terms.optOuts !== undefined
          ? toRows(caller, request, withoutTexts(prepared), 1, now, null)
          : [],
      ...carriersOf(prepared),
      ...terms,
    },
  });
  if (dryRun.kind !== 'dryRun') {
    const others = withoutRecipients(prepared, { request, selected: call.selected }, dryRun);
    return dryRunAll(previewing, { caller, request, call: { ...call, prepared: others }, now });
  }
  const { refused, chosen } = dryRun;
  return { prepared, chosen, refused: refused && errorOf(refused, { caller, parts, now }) };
}

function withoutTexts(prepared: Prepared): Prepared {
  return { ...prepared, messages: prepared.messages.map((message) => ({ ...message, text: '' })) };
}

/** A dry run records no security events. */
const unrecorded = { record: () => undefined };

function errorOf(
  refused: NonNullable<Extract<Foreseen, { kind: 'dryRun' }>['refused']>,
  cost: { readonly caller: Caller; readonly parts: number; readonly now: number },
): ServiceError {
  return refused.kind === 'quotaExceeded' ? quotaExceeded() : overRateError(refused, cost, unrecorded);
}

/** The names of those numbers that the caller's default address book knows. */
async function namesOf(
  store: Store,
  caller: Caller,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const selection = { numbers, filters: [], savedFilters: [], groups: [] };
  const found = await findPeople(store, { ...theCaller(caller), selections: [selection], limit: 1 });
  if (found.kind !== 'found') return new Map();
  return new Map(found.people.flat().map(({ phone, name }) => [phone ?? '', name]));
}

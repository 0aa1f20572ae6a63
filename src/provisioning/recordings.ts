/**
 * Reads recorded conversations with carriers by HTTP, from a file that also declares these carriers:
 *
 *   carriers: [{ name: own, type: http, … }]      as in a provisioning file, whose other sections are passed over
 *   recorded: [{ carrier: own, message: …, answer: …, receipts: […], incoming: […] }]
 */
import type { CallKind, CarrierCall } from '../carriers/http/call.ts';
import type { HttpAnswer } from '../carriers/http/exchange.ts';
import { declarationOf } from '../carriers/http/presets.ts';
import type { HttpDeclaration, HttpSettings } from '../carriers/http/settings.ts';
import { plain } from '../yaml/by-schema.ts';
import type { Fault } from '../yaml/fault.ts';
import {
  flag,
  type Located,
  list,
  map,
  needed,
  object,
  optional,
  type Read,
  text,
  wholeNumber,
} from '../yaml/fields.ts';
import { parseYaml } from '../yaml/tree.ts';
import { type CarrierPlan, carriers, faultsOfExpressions, faultsTogether } from './kinds/carriers.ts';

export interface RecordedCarrier {
  readonly name: string;
  readonly declaration: HttpDeclaration;
  readonly conversations: readonly Conversation[];
}

export interface Conversation {
  readonly message: RecordedMessage;
  readonly answer: HttpAnswer | undefined;
  readonly calls: readonly RecordedCall[];
}

interface RecordedMessage {
  readonly to?: string | undefined;
  readonly from?: string | undefined;
  readonly text?: string | undefined;
  readonly flash: boolean;
}

interface RecordedCall {
  readonly kind: CallKind;
  /** Without an address if none was recorded. */
  readonly call: Omit<CarrierCall, 'url'> & { readonly url: string | undefined };
  /** When it came, in milliseconds since the epoch. */
  readonly at: number | undefined;
}

type ReadRecordings =
  | { readonly carriers: readonly RecordedCarrier[] }
  | { readonly faults: readonly Fault[] };

const maxRecorded = 100;

const headers: Read<ReadonlyMap<string, string>> = (tree, faults) => {
  const read = map(text())(tree, faults);
  return read && new Map([...read].map(([name, value]) => [name.toLowerCase(), value]));
};
const body: Read<unknown> = (tree) => plain(tree);
const content = {
  headers: optional(headers, new Map<string, string>()),
  /** A text as it was, or an object: the fields of a form if the headers say so, else JSON. */
  body: optional(body, ''),
};

const instant = text((written) =>
  Number.isNaN(Date.parse(written))
    ? { wrong: 'must be a time such as 2026-11-30T08:00:00Z' }
    : { value: written },
);
const url = text((written) =>
  URL.canParse(written) ? { value: written } : { wrong: 'must be the full address that was called' },
);

const call = object({
  ...content,
  method: optional(text(), 'POST'),
  url: optional(url, undefined),
  query: optional(text(), ''),
  address: optional(text(), ''),
  at: optional(instant, undefined),
});

const message = object({
  to: optional(text(), undefined),
  from: optional(text(), undefined),
  text: optional(text(), undefined),
  flash: optional(flag, false),
});

const recorded = object({
  carrier: optional(text(), undefined),
  message: optional(message, { flash: false }),
  answer: optional(object({ ...content, status: needed(wholeNumber(100, 599), 200) }), undefined),
  receipts: optional(list(call, maxRecorded), []),
  incoming: optional(list(call, maxRecorded), []),
});

type Recorded = NonNullable<ReturnType<typeof recorded>>;

export async function readRecordings(file: string): Promise<ReadRecordings> {
  const { tree, faults: yamlFaults } = parseYaml(file);
  if (tree === undefined) return { faults: yamlFaults };
  const faults = [...yamlFaults];
  const keys = tree.kind === 'map' ? [...tree.entries.keys()] : [];
  const table = {
    carriers: needed(list(carriers.read), []),
    recorded: optional(list(recorded, maxRecorded), []),
  };
  const ignored = Object.fromEntries(keys.map((key) => [key, optional(() => true, undefined)]));
  const read: Located<typeof table> | undefined = object({ ...ignored, ...table })(tree, faults);
  if (read === undefined) return { faults };
  const plans = read.carriers as readonly CarrierPlan[];
  const declared = plans.filter(({ type, remove }) => type === 'http' && !remove);
  const expressions = await Promise.all(declared.map(faultsOfExpressions));
  faults.push(...declared.flatMap((plan) => faultsTogether(plan)), ...expressions.flat());
  for (const { carrier, place } of read.recorded)
    if (named(declared, carrier) === undefined)
      faults.push({
        place,
        sentence: 'needs a key "carrier" with the name of a carrier by HTTP in this file',
      });
  if (faults.length > 0) return { faults };
  return {
    carriers: declared.map((plan) => ({
      name: plan.name,
      declaration: declarationOf(plan.settings as HttpSettings),
      conversations: read.recorded
        .filter(({ carrier }) => named(declared, carrier) === plan)
        .map(conversationOf),
    })),
  };
}

/** A single carrier needs not be named. */
function named(declared: readonly CarrierPlan[], carrier: string | undefined): CarrierPlan | undefined {
  if (carrier === undefined && declared.length === 1) return declared[0];
  return declared.find(({ name }) => name === carrier);
}

function conversationOf({ message, answer, receipts, incoming }: Recorded): Conversation {
  return {
    message,
    answer: answer && {
      kind: 'answered',
      status: answer.status,
      retryAfter: answer.headers.get('retry-after'),
      ...contentOf(answer),
    },
    calls: [
      ...receipts.map((one) => callOf('receipts', one)),
      ...incoming.map((one) => callOf('incoming', one)),
    ],
  };
}

type Called = Recorded['receipts'][number];

function callOf(kind: CallKind, called: Called): RecordedCall {
  const { method, url, query, headers, address, at } = called;
  return {
    kind,
    call: {
      method,
      url,
      query: new URLSearchParams(url === undefined ? query : new URL(url).search),
      header: (name) => headers.get(name.toLowerCase()),
      address,
      ...contentOf(called),
    },
    at: at === undefined ? undefined : Date.parse(at),
  };
}

const form = 'application/x-www-form-urlencoded';

function contentOf({ headers, body }: Pick<Called, 'headers' | 'body'>) {
  if (typeof body === 'string') return { contentType: headers.get('content-type') ?? '', body };
  const contentType = headers.get('content-type') ?? 'application/json';
  if (!contentType.startsWith(form)) return { contentType, body: JSON.stringify(body) };
  const fields = Object.entries(body as object).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return { contentType, body: new URLSearchParams(fields).toString() };
}

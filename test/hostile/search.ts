/**
 * Searches for the call that keeps the server busy longest: it builds values for every parameter of every endpoint from
 * tokens, rates them by response time, and mutates the worst ones further.
 */
import { takesBody } from '../../src/http/request-context.ts';
import { between, type Random, seeded } from '../crash/random.ts';
import { describeApi, type JsonSchema, type Operation } from '../fuzz/api-description.ts';
import type { Attack } from './attack.ts';
import { basic } from './forms.ts';
import { bytesOf, call } from './raw-call.ts';
import { mallory, type Site } from './site.ts';
import { untilQuiet } from './trial.ts';

export interface SearchOptions {
  readonly seconds: number;
  readonly seed: number;
}

export interface Found {
  readonly tried: number;
  /** The slowest calls, at most one for each parameter. */
  readonly attacks: readonly Attack[];
}

interface Field {
  readonly operation: Operation;
  readonly path: readonly string[];
  readonly schema: JsonSchema;
}

/** A parameter's value: a prefix, a repeated piece and a suffix. */
interface Genome {
  readonly field: Field;
  readonly head: string;
  readonly repeated: string;
  readonly tail: string;
  readonly bytes: number;
  readonly items: number;
}

const tokens = [
  ...[
    'a',
    'aa',
    '0',
    '1',
    '46',
    'T',
    'Z',
    ':',
    '-',
    '+',
    '.',
    ',',
    ';',
    '|',
    '(',
    ')',
    ' ',
    '\t',
    '\n',
    '\r\n',
  ],
  ...['{Text:', '{DateTime:', '}', '{', '@', '"', '\\', '<', '>', '%', '%2C', '/', '=', '_', '#', '*'],
  ...[
    'å',
    '€',
    '😀',
    'é',
    'ﬀ',
    '‍',
    '\u0000',
    '\ufeff',
    '\u200b',
    '‘',
    '…',
    'team',
    't1',
    '2030-01-01T00:00:00',
  ],
];
const sizes = [200, 2_000, 20_000, 200_000, 2_000_000, 9_000_000];
const counts = [1, 10, 1_000, 10_000, 30_000];
const kept = 8;
const reported = 5;

export async function searchWorst(site: Site, { seconds, seed }: SearchOptions): Promise<Found> {
  const random = seeded(seed);
  const fields = fieldsOf((await describeApi(site.app.baseUrl)).operations);
  const until = performance.now() + seconds * 1_000;
  let best: { readonly genome: Genome; readonly ms: number }[] = [];
  let tried = 0;
  while (performance.now() < until) {
    const parent = random() < 0.4 ? undefined : best[Math.floor(random() * best.length)];
    const genome = parent === undefined ? invent(fields, random) : mutate(parent.genome, random);
    const ms = await timeOf(site, genome);
    tried += 1;
    best = [...best, { genome, ms }].sort((a, b) => b.ms - a.ms);
    best = best.filter(
      (one, place) => place === best.findIndex((other) => other.genome.field === one.genome.field),
    );
    best = best.slice(0, kept);
  }
  await untilQuiet(site);
  const attacks = best.slice(0, reported).map(({ genome, ms }): Attack => {
    const strike = () => call(site.port, { bytes: bytesOf(requestOf(site, genome)) });
    const name = `found: ${nameOf(genome)} (answered after ${Math.round(ms)} ms)`;
    const small = { ...genome, bytes: Math.min(genome.bytes, 2_000), items: Math.min(genome.items, 10) };
    return {
      name,
      by: 'customer',
      cheapest: () => () => call(site.port, { bytes: bytesOf(requestOf(site, small)) }),
      worst: () => strike,
    };
  });
  return { tried, attacks };
}

function fieldsOf(operations: readonly Operation[]): readonly Field[] {
  return operations.flatMap((operation) => {
    const inBody = Object.entries(operation.body?.properties ?? {}).flatMap(([name, schema]) =>
      leaves([name], schema).map(({ path, schema: leaf }) => ({ operation, path, schema: leaf })),
    );
    const inUrl = operation.query.map(({ name, schema }) => ({ operation, path: [name], schema }));
    return takesBody(operation.method) ? inBody : inUrl;
  });
}

function leaves(
  path: readonly string[],
  schema: JsonSchema,
): { path: readonly string[]; schema: JsonSchema }[] {
  if (schema.type === 'array' && schema.items?.properties !== undefined) {
    return Object.entries(schema.items.properties).flatMap(([name, inner]) =>
      leaves([...path, '[]', name], inner),
    );
  }
  return [{ path, schema }];
}

function invent(fields: readonly Field[], random: Random): Genome {
  const some = (most: number) =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(tokens, random)).join('');
  return {
    field: pick(fields, random),
    head: random() < 0.5 ? '' : some(3),
    repeated: some(3),
    tail: random() < 0.5 ? '' : some(3),
    bytes: pick(sizes, random),
    items: pick(counts, random),
  };
}

function mutate(genome: Genome, random: Random): Genome {
  const token = pick(tokens, random);
  switch (Math.floor(random() * 6)) {
    case 0:
      return { ...genome, head: genome.head + token };
    case 1:
      return { ...genome, repeated: genome.repeated + token };
    case 2:
      return { ...genome, repeated: token };
    case 3:
      return { ...genome, tail: token };
    case 4:
      return { ...genome, bytes: Math.min(genome.bytes * 2, 9_000_000) };
    default:
      return { ...genome, items: pick(counts, random) };
  }
}

async function timeOf(site: Site, genome: Genome): Promise<number> {
  const bytes = bytesOf(requestOf(site, genome));
  const startedAt = performance.now();
  await call(site.port, { bytes });
  return performance.now() - startedAt;
}

function textOf({ head, repeated, tail, bytes }: Genome, itemBytes = bytes): string {
  return head + repeated.repeat(Math.max(1, Math.floor(itemBytes / Buffer.byteLength(repeated)))) + tail;
}

function requestOf(site: Site, genome: Genome) {
  const { operation, path, schema } = genome.field;
  const byPassword = operation.path.startsWith('/addressbook') || operation.path.endsWith('/apikey');
  const headers: Record<string, string> = byPassword
    ? basic(mallory.username, mallory.password)
    : { 'x-api-key': site.malloryKey };
  if (!takesBody(operation.method)) {
    const value = encodeURIComponent(wellFormed(textOf(genome, Math.min(genome.bytes, 15_000))));
    return {
      method: operation.method,
      path: `${operation.path}?${path[0]}=${value.slice(0, 60_000)}&T=46731000001&M8=x`,
      headers,
    };
  }
  const itemBytes = Math.max(1, Math.floor(genome.bytes / genome.items));
  const value =
    schema.type === 'array'
      ? Array.from({ length: genome.items }, () => textOf(genome, itemBytes))
      : textOf(genome);
  const usual = { to: ['46731000001'], message: 'x', batchid: site.batchId };
  const fields = { ...usual, ...nested(path, value, genome, itemBytes) };
  return { method: operation.method, path: operation.path, headers, body: JSON.stringify(fields) };
}

function nested(path: readonly string[], value: unknown, genome: Genome, itemBytes: number): object {
  const [name = '', inner, ...rest] = path;
  if (inner === undefined) return { [name]: value };
  const item = { to: '46731000001', t: '46731000001', [rest.at(-1) ?? '']: textOf(genome, itemBytes) };
  return { [name]: Array.from({ length: genome.items }, () => item) };
}

function nameOf({ field, head, repeated, tail, bytes, items }: Genome): string {
  const shown = JSON.stringify(`${head} (${repeated}) ${tail}`).replaceAll('|', '\\|');
  return `${field.operation.method} ${field.operation.path} ${field.path.join('.')}: ${shown}, ${bytes} bytes, ${items} items`;
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[between(random, 0, items.length - 1)] as Item;
}

/** A lone surrogate cannot be encoded in a URL. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

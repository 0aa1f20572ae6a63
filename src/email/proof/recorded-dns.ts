/**
 * DNS from a file of records, for checking an e-mail without network access: one record per line, as `dig +noall
 * +answer` prints them. Time to live and class may be omitted; lines beginning with `;` or `#` are comments.
 */
import { fault, quoted, type Result, success } from '../../foundation/result.ts';
import type { DnsAnswer, ResolveDns } from './bounded-dns.ts';

const types = ['A', 'AAAA', 'CNAME', 'MX', 'PTR', 'TXT'] as const;
type RecordType = (typeof types)[number];

/** RFC 1034, section 3.6.2: a longer chain of names is a loop. */
const maxAliases = 8;

/** Answers only from these records. */
export function recordedDns(text: string): Result<ResolveDns> {
  const records = new Map<string, DnsAnswer[number][]>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*([;#]|$)/.test(line)) continue;
    const record = recordIn(line);
    if (record === undefined)
      return fault(
        'invalid_value',
        `Line ${index + 1} is not a record: ${quoted(line.trim())}. Write a name, a type (${types.join(', ')}) and a value, as in: care.example TXT "v=spf1 ip4:192.0.2.25 -all".`,
      );
    const key = keyOf(record.name, record.type);
    records.set(key, [...(records.get(key) ?? []), record.value]);
  }
  return success(async (name, type) => {
    let at = name;
    for (let aliases = 0; aliases < maxAliases; aliases++) {
      const found = records.get(keyOf(at, type));
      if (found !== undefined) return found;
      const [alias] = records.get(keyOf(at, 'CNAME')) ?? [];
      if (typeof alias !== 'string') break;
      at = alias;
    }
    throw Object.assign(new Error(`no ${type} of ${name}`), { code: 'ENOTFOUND' });
  });
}

interface DnsRecord {
  readonly name: string;
  readonly type: RecordType;
  readonly value: DnsAnswer[number];
}

function recordIn(line: string): DnsRecord | undefined {
  const words = line.trim().split(/\s+/);
  const place = words.findIndex((word, index) => index > 0 && isType(word.toUpperCase()));
  const between = words.slice(1, place);
  const [name] = words;
  if (name === undefined || place < 0 || !between.every((word) => /^([0-9]+|IN)$/i.test(word)))
    return undefined;
  const type = (words[place] as string).toUpperCase() as RecordType;
  const [first, second] = words.slice(place + 1);
  if (first === undefined) return undefined;
  if (type === 'TXT') return { name, type, value: textsIn(behind(line, place)) };
  if (type !== 'MX') return { name, type, value: withoutDot(first) };
  const isExchange = /^[0-9]+$/.test(first) && second !== undefined;
  return isExchange
    ? { name, type, value: { exchange: withoutDot(second), priority: Number(first) } }
    : undefined;
}

/** The rest of the line after the word at this place. */
function behind(line: string, place: number): string {
  let rest = line.trimStart();
  for (let word = 0; word <= place; word++) rest = rest.slice(rest.search(/\s/)).trimStart();
  return rest.trimEnd();
}

/** Quoted texts are returned in pieces, other texts as a single piece. */
function textsIn(value: string): readonly string[] {
  const quote = /"((?:[^"\\]|\\.)*)"\s*/y;
  const pieces: string[] = [];
  // Each match starts where the previous one ended, so an unclosed quote is scanned only once.
  for (let found = quote.exec(value); found !== null; found = quote.exec(value))
    pieces.push((found[1] as string).replace(/\\(.)/g, '$1'));
  return pieces.length > 0 ? pieces : [value];
}

function isType(word: string): word is RecordType {
  return (types as readonly string[]).includes(word);
}

function keyOf(name: string, type: string): string {
  return `${withoutDot(name).toLowerCase()} ${type}`;
}

function withoutDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

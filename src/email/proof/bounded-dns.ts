/** DNS for one e-mail, with a bounded number of queries and a time limit, whatever the domains of a stranger lead to. */

/** Returns what `resolve` of node:dns/promises returns: texts in pieces, names, addresses, or mail exchangers. */
export type ResolveDns = (name: string, type: string) => Promise<DnsAnswer>;

export type DnsAnswer = readonly (
  | string
  | readonly string[]
  | { readonly exchange: string; readonly priority: number }
)[];

export interface BoundedDns {
  readonly resolve: ResolveDns;
  /** The texts found, each joined from its pieces. */
  readonly texts: readonly string[];
}

/** SPF allows 10 queries, and 10 for each list of mail exchangers among them, in pairs (RFC 7208, section 4.6.4). */
const maxQuestions = 120;
/** The most records that a 64 kB answer can hold, if all were addresses. */
const maxRecords = 1_000;
/** The longest RSA key in use takes a third of this. */
const maxTextLength = 4_096;
/** SPF macros (RFC 7208, section 7): each may expand to hundreds of characters, and no record needs more than a few. */
const maxMacros = 20;

/** Codes of errors that a retry would only repeat. */
const permanent: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EBADQUERY']);

export function boundedDns(resolve: ResolveDns, timeoutMs: number): BoundedDns {
  const texts: string[] = [];
  const deadline = performance.now() + timeoutMs;
  let questions = 0;
  /** Set because a timer counts from the start of its event loop turn and may fire before the clock reaches the deadline. */
  let isOver = false;
  return {
    texts,
    async resolve(name, type) {
      questions += 1;
      if (questions > maxQuestions) throw tooMuch('Too many DNS requests');
      const leftMs = deadline - performance.now();
      if (isOver || leftMs <= 0) throw failure('ETIMEOUT', 'DNS does not answer');
      const answer = await beforeDeadline(resolve(name, type), leftMs, () => {
        isOver = true;
      });
      if (answer.length > maxRecords) throw tooMuch('A DNS answer is too long');
      if (type !== 'TXT') return answer;
      const modest = answer.filter((one) => isModest(textOf(one)));
      texts.push(...modest.map(textOf));
      return modest;
    },
  };
}

function isModest(text: string): boolean {
  return text.length <= maxTextLength && text.split('%').length <= maxMacros + 1;
}

export function textOf(record: DnsAnswer[number]): string {
  return Array.isArray(record) ? record.join('') : typeof record === 'string' ? record : '';
}

/** Whether a retry may bring another answer. */
export function isTemporary(error: unknown): boolean {
  return !permanent.has((error as { code?: string } | undefined)?.code ?? '');
}

async function beforeDeadline(
  answer: Promise<DnsAnswer>,
  leftMs: number,
  onLate: () => void,
): Promise<DnsAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      onLate();
      reject(failure('ETIMEOUT', 'DNS does not answer'));
    }, leftMs);
  });
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    // All permanent failures get one code.
    throw isTemporary(error) ? error : Object.assign(new Error('no such record'), { code: 'ENOTFOUND' });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The mark by which mailauth recognizes a permanent SPF error (RFC 7208, section 4.6.4); elsewhere it counts as no
 * answer.
 */
function tooMuch(text: string): Error {
  return Object.assign(failure('ENOTFOUND', text), { spfResult: { error: 'permerror', text } });
}

function failure(code: string, text: string): Error {
  return Object.assign(new Error(text), { code });
}

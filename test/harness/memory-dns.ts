/** An in-memory DNS for tests: names in its zone are found, all others are not. */
import type { DnsAnswer, ResolveDns } from '../../src/email/proof/bounded-dns.ts';

/** An error code such as `ESERVFAIL`, or `hangs`, stands for a missing answer. */
export type Zone = Readonly<Record<string, DnsAnswer | 'ESERVFAIL' | 'EREFUSED' | 'hangs'>>;

export interface MemoryDns {
  readonly resolve: ResolveDns;
  /** The queries as `name TYPE`, in order. */
  readonly asked: string[];
}

/** Keys are `name TYPE`, or just a name for its TXT records, which may be given as strings. */
export function memoryDns(zone: Zone): MemoryDns {
  const asked: string[] = [];
  return {
    asked,
    async resolve(name, type) {
      asked.push(`${name} ${type}`);
      const answer = zone[`${name} ${type}`] ?? (type === 'TXT' ? zone[name] : undefined);
      if (answer === undefined)
        throw Object.assign(new Error(`no ${type} of ${name}`), { code: 'ENOTFOUND' });
      if (answer === 'hangs') return new Promise<never>(() => {});
      if (typeof answer === 'string') throw Object.assign(new Error(answer), { code: answer });
      return type === 'TXT' ? answer.map((one) => (typeof one === 'string' ? [one] : one)) : [...answer];
    },
  };
}

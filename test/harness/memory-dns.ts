/** DNS in memory for tests: what stands in it is found, all else is not. */
import type { DnsAnswer, ResolveDns } from '../../src/email/proof/bounded-dns.ts';

/** An error code such as `ESERVFAIL`, or `hangs`, stands for an answer that does not come. */
export type Zone = Readonly<Record<string, DnsAnswer | 'ESERVFAIL' | 'EREFUSED' | 'hangs'>>;

export interface MemoryDns {
  readonly resolve: ResolveDns;
  /** `name TYPE`, in the order in which they were asked for. */
  readonly asked: string[];
}

/** Keys are `name TYPE`, or a name alone for its texts, which may be given as strings. */
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

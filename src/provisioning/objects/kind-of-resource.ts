/** The kinds of provisioned objects that come from company resources, with the same fields as in calls. */
import { companyIds } from '../../accounts/company-records.ts';
import type { TextField, TextFields, Values } from '../../resources/declaration.ts';
import type { Resource } from '../../resources/resource.ts';
import type { Transaction } from '../../storage/verb.ts';
import { needed, optional, type Read, text } from '../../yaml/fields.ts';
import { givenId, remove, storableText } from './fields.ts';
import { type Kind, namedIn } from './kind.ts';
import { lines } from './line.ts';
import { type Planned, planned } from './planned.ts';

/** An object in a file: it belongs to a company, which is given by name. */
type InFile<F extends TextFields> = Values<F> & { readonly company: string; readonly id: number };

/** A text follows the same rule as in a call. A text that is made safe for phones on sending is stored as written. */
function textOf({ minLength, maxLength, rule }: TextField): Read<string> {
  const storable = storableText(maxLength, minLength);
  return text((written) => {
    const stored = storable(written);
    if ('wrong' in stored) return stored;
    const kept = rule?.(written);
    return kept === undefined || kept.ok ? { value: written } : { wrong: kept.error.replace(/\.$/, '') };
  });
}

type KindOf<F extends TextFields> = Kind<Planned & InFile<F>, InFile<F>>;

/** By section. */
export function kindsOf<All extends Readonly<Record<string, TextFields>>>(
  resources: {
    readonly [Section in keyof All]: Resource<All[Section], number>;
  },
) {
  const kinds = Object.entries(resources).map(
    ([section, resource]) => [section, kindOf(resource as Resource<TextFields, number>)] as const,
  );
  return Object.fromEntries(kinds) as { readonly [Section in keyof All]: KindOf<All[Section]> };
}

function kindOf<F extends TextFields>(resource: Resource<F, number>): KindOf<F> {
  const { noun, plural, fields, news } = resource.declaration;
  const names = Object.keys(fields);
  const byFields = Object.fromEntries(
    names.map((name) => [name, optional(textOf(fields[name] as TextField), '')]),
  );
  const rowsOf = async (transaction: Transaction, objects: readonly InFile<F>[]) => {
    const ids = await companyIds(
      transaction,
      objects.map(({ company }) => company),
    );
    return objects.map((one) => ({ ...one, scopeId: ids.get(one.company) as number, key: one.id }));
  };
  return {
    section: plural,
    within: 'company',
    noun: `this ${noun}`,
    // An object to be removed needs only its id.
    read: planned({ id: needed(givenId, 0), ...byFields, remove }, { needs: names }) as KindOf<F>['read'],
    keyField: 'id' as KindOf<F>['keyField'],
    keyOf: ({ company, id }) => `${id} ${company}`,
    async load(reading, scope) {
      const ids = await companyIds(reading, namedIn(scope, 'companies').keys);
      const companies = new Map([...ids].map(([name, id]) => [id, name]));
      const rows = await resource.readAll(reading, [...companies.keys()]);
      return rows.map((row) => inFile(fields, row, companies.get(row.scopeId) as string));
    },
    after: (asked) => inFile(fields, { ...asked, key: asked.id }, asked.company),
    describe: lines(({ id, company }) => `${noun} ${id} in ${company}`, {
      as: describedFields(fields),
      keys: ['id', 'company'],
      hiddenInLog: longTexts(fields),
    }),
    create: async (transaction, created) => resource.putAll(transaction, await rowsOf(transaction, created)),
    change: async (transaction, after) => resource.putAll(transaction, await rowsOf(transaction, after)),
    remove: async (transaction, removed) =>
      resource.removeAll(transaction, await rowsOf(transaction, removed)),
    ...(news === undefined ? {} : { news: [news] }),
  };
}

function inFile<F extends TextFields>(
  fields: F,
  row: Values<F> & { readonly key: number },
  company: string,
): InFile<F> {
  const values = Object.fromEntries(Object.keys(fields).map((name) => [name, row[name]])) as Values<F>;
  return { company, id: row.key, ...values };
}

/** Fields whose texts may be long, may have several lines, and do not belong in a log. */
function longTexts(fields: TextFields): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name]?.listedLength !== undefined);
}

function describedFields<F extends TextFields>(fields: F) {
  const long = longTexts(fields);
  return (one: InFile<F>) => ({
    ...one,
    ...Object.fromEntries(long.map((name) => [name, JSON.stringify(one[name])])),
  });
}

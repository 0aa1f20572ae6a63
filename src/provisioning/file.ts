/**
 * Turns a provisioning file into a plan: reads it from disk, parses its text, and finds everything in it that contradicts
 * itself.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { StartError } from '../foundation/errors.ts';
import type { Fault } from '../yaml/fault.ts';
import { type Field, type Fields, list, object, optional } from '../yaml/fields.ts';
import { parseYaml } from '../yaml/tree.ts';
import { type AnyKind, forKinds, kinds, ofKind, type Plan } from './kind-list.ts';
import { companies, companyReader } from './kinds/companies.ts';
import { faultAt, type Planned } from './objects/planned.ts';

export interface ProvisioningFile {
  /** An absolute path. */
  readonly path: string;
  readonly content: string;
  readonly contentHash: string;
}

const maxMebibytes = 64;

export function readProvisioningFile(path: string): ProvisioningFile {
  let bytes: Buffer;
  try {
    if (statSync(path).size > maxMebibytes * 2 ** 20) {
      throw new StartError(`The provisioning file ${path} is larger than ${maxMebibytes} MiB.`);
    }
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`The provisioning file ${path} cannot be read: ${(error as Error).message}.`);
  }
  try {
    const content = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { path: resolve(path), content, contentHash: createHash('sha256').update(bytes).digest('hex') };
  } catch {
    // The decoder gives no further details.
    throw new StartError(`The provisioning file ${path} is not UTF-8 text.`);
  }
}

export interface ReadFile {
  /** Undefined when too little of the file can be read to know what it asks for. */
  readonly plan: Plan | undefined;
  /** With any fault, the plan may only be used to find further faults. */
  readonly faults: readonly Fault[];
}

export function readPlan(content: string): ReadFile {
  const { tree, faults: yamlFaults } = parseYaml(content);
  if (tree === undefined) return { plan: undefined, faults: yamlFaults };
  if (tree.kind === 'nothing') {
    return { plan: undefined, faults: [{ place: tree.place, sentence: 'the file is empty' }] };
  }
  const faults = [...yamlFaults];
  const read: Sections | undefined = file(tree, faults);
  if (read === undefined) return { plan: undefined, faults };
  const all = forKinds<Plan>((kind) => objectsOf(kind, read));
  const leaving = new Set(all.companies.flatMap(({ name, remove }) => (remove ? name : [])));
  // Everything in a company that is removed is removed with it.
  const plan = forKinds<Plan>((kind) => {
    const objects = ofKind<{ readonly company: string }>(all, kind);
    return kind.within === 'file' ? objects : objects.filter(({ company }) => !leaving.has(company));
  });
  return { plan, faults: [...faults, ...kinds.flatMap((kind) => contradictions(kind, all))] };
}

/** For content that the server writes itself. `purpose` completes a phrase such as `to remove the user ada`. */
export function planOf(content: string, purpose: string): Plan {
  const { plan, faults } = readPlan(content);
  if (plan === undefined || faults.length > 0)
    throw new Error(
      `the server's own file to ${purpose} has faults: ${faults.map(({ sentence }) => sentence).join('; ')}`,
    );
  return plan;
}

/** The plan of a file that removes one user and nothing else. */
export function planOfRemoval(company: string, username: string): Plan {
  const content = JSON.stringify({ companies: [{ name: company, users: [{ username, remove: true }] }] });
  return planOf(content, `remove the user ${username}`);
}

const company = companyReader(sectionsOf('company'));
const file = object(sectionsOf('file'));

function sectionsOf(within: AnyKind['within']): Fields {
  const some = kinds.filter((kind) => kind.within === within);
  return Object.fromEntries(some.map((kind) => [kind.section, sectionOf(kind)]));
}

function sectionOf(kind: AnyKind): Field<unknown> {
  if (kind.isSingle) return optional(kind.read, undefined);
  return optional(list(kind.section === companies.section ? company : kind.read), []);
}

type Sections = Readonly<Record<string, unknown>>;

/** Objects whose key could be read; faults have already been recorded for the others. */
function objectsOf(kind: AnyKind, read: Sections): readonly Sections[] {
  const section = (from: Sections) => {
    const found = from[kind.section];
    return (kind.isSingle ? [found].filter((one) => one !== undefined) : found) as readonly Sections[];
  };
  const found =
    kind.within === 'file'
      ? section(read)
      : (read.companies as readonly Sections[])
          .filter(({ name }) => name !== '')
          .flatMap((from) => section(from).map((one) => ({ ...one, company: from.name })));
  const isKnown = (key: unknown) => (key !== '' || kind.hasEmptyKey) && key !== 0;
  return found.filter((one) => isKnown(one[kind.keyField]));
}

/** Contradictions within the file, whatever is in the store. */
function contradictions(kind: AnyKind, plan: Plan): readonly Fault[] {
  const { ids, keyField, keyOf, noun } = kind;
  const asked = ofKind<Planned & { readonly id?: number }>(plan, kind);
  return [
    ...duplicates(asked, keyField, keyOf, (first) => `${noun} appears twice in the file, first ${first}`),
    ...(ids === undefined
      ? []
      : duplicates(
          asked,
          'id',
          ({ id }) => id,
          (first) => `this id is already used by the ${ids.noun} ${first}`,
        )),
    ...asked.flatMap((item) => kind.fileFaults?.(item) ?? []),
  ];
}

function duplicates<Item extends Planned>(
  items: readonly Item[],
  field: string,
  valueIn: (item: Item) => unknown,
  sentence: (first: string) => string,
): readonly Fault[] {
  const seen = new Map<unknown, Planned>();
  return items.flatMap((item) => {
    const value = valueIn(item);
    if (value === undefined) return [];
    const first = seen.get(value);
    if (first !== undefined) return [faultAt(item, field, sentence(`at ${first.place.path}`))];
    seen.set(value, item);
    return [];
  });
}

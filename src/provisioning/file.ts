/** How the text of a provisioning file becomes a plan. */
import type { Fault } from '../yaml/fault.ts';
import { type Field, type Fields, list, object, optional } from '../yaml/fields.ts';
import { parseYaml } from '../yaml/tree.ts';
import { checkPlan } from './check-plan.ts';
import { type AnyKind, forKinds, kinds, ofKind, type Plan } from './kind-list.ts';
import { companies, companyReader } from './kinds/companies.ts';

export interface ReadFile {
  /** Undefined when the file is not readable far enough to say what it asks for. */
  readonly plan: Plan | undefined;
  /** With any fault, the plan is good for finding further faults only. */
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
  // What stands in a company that goes, goes with it.
  const plan = forKinds<Plan>((kind) => {
    const objects = ofKind<{ readonly company: string }>(all, kind);
    return kind.within === 'file' ? objects : objects.filter(({ company }) => !leaving.has(company));
  });
  return { plan, faults: [...faults, ...checkPlan(all)] };
}

const inFile = kinds.filter(({ within }) => within === 'file');
const inCompany = kinds.filter(({ within }) => within === 'company');

const company = companyReader(sectionsOf(inCompany));
const file = object(sectionsOf(inFile));

function sectionsOf(some: readonly AnyKind[]): Fields {
  return Object.fromEntries(some.map((kind) => [kind.section, sectionOf(kind)]));
}

function sectionOf(kind: AnyKind): Field<unknown> {
  if (kind.isSingle) return optional(kind.read, undefined);
  return optional(list(kind.section === companies.section ? company : kind.read), []);
}

type Sections = Readonly<Record<string, unknown>>;

/** Those whose key could be read: the others have their faults. */
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

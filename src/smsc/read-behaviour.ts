/** Reads the behaviour of the SMSC for tests from a file and from flags; a flag says it after the file. */
import { readFileSync } from 'node:fs';
import { StartError } from '../foundation/errors.ts';
import { type Fault, faultLine, noPlace, type Place, sortedFaults } from '../yaml/fault.ts';
import { list, object, optional } from '../yaml/fields.ts';
import { parseYaml, type Tree, type YamlResult } from '../yaml/tree.ts';
import type { Behaviour, Treatment } from './behaviour.ts';
import { ruleFields, serverSettings, settings, treatment } from './behaviour-settings.ts';

export function readBehaviourFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StartError(`The behaviour file ${path} cannot be read: ${(error as Error).message}.`);
  }
}

export type ReadBehaviour =
  | { readonly behaviour: Behaviour }
  /** A line for each. */
  | { readonly faults: readonly string[] };

type Flags = Readonly<Record<string, unknown>>;

/** The file's content, if there is one, and flags by the names of the settings; a flag without a value is true. */
export function readBehaviour(content: string | undefined, flags: Flags): ReadBehaviour {
  const { tree, faults: yamlFaults } = parseYaml(content ?? '{}');
  const faults: Fault[] = [...yamlFaults];
  const read = tree && file(asMap(tree), faults);
  const flagFaults: Fault[] = [];
  const flagged = readFlags(flags, flagFaults);
  if (read !== undefined) faults.push(...unreachableRules(read.rules));
  // Each of its values was read by the table that is made for this type; it is used only where all were right.
  const general = { ...read, ...flagged } as unknown as Behaviour;
  if (faults.length + flagFaults.length === 0) faults.push(...halfTls(general));
  if (faults.length + flagFaults.length > 0)
    return { faults: [...sortedFaults(faults), ...flagFaults].map(faultLine) };
  const forAll = given(general) as Treatment;
  const rules = (read?.rules ?? []).map((rule) => ({ ...forAll, ...given(rule), prefix: rule.prefix }));
  return { behaviour: { ...general, rules } };
}

/** An empty file asks for nothing in particular. */
function asMap(tree: Tree): Tree {
  return tree.kind === 'nothing' ? { kind: 'map', place: tree.place, entries: new Map() } : tree;
}

const readRule = object(ruleFields);
type ReadRule = NonNullable<ReturnType<typeof readRule>>;

const file = object({
  ...serverSettings,
  ...treatment,
  rules: optional(list(readRule), []),
});

/** What a rule leaves out is as for all others. */
function given(
  rule: { readonly [Name in keyof Treatment]: Treatment[Name] | undefined },
): Partial<Treatment> {
  return Object.fromEntries(
    Object.keys(treatment).flatMap((name) => {
      const value = rule[name as keyof Treatment];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The first rule that fits is the one: what an earlier one takes never comes to a later. */
function unreachableRules(rules: readonly ReadRule[]): readonly Fault[] {
  return rules.flatMap(({ prefix, fieldPlaces }, index) => {
    if (fieldPlaces.prefix === undefined) return [];
    const earlier = rules.slice(0, index).findIndex((other) => prefix.startsWith(other.prefix));
    if (earlier === -1) return [];
    const sentence = `rules[${earlier}] takes all of these numbers already; put the longer prefix first`;
    return [{ place: fieldPlaces.prefix, sentence }];
  });
}

function halfTls({ tlsCert, tlsKey }: Behaviour): readonly Fault[] {
  if ((tlsCert === undefined) === (tlsKey === undefined)) return [];
  return [{ place: noPlace, sentence: 'tlsCert and tlsKey go together: a certificate, and its key' }];
}

/** As the help names it: `receiptMs` is `--receipt-ms`. */
function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Values of these are what they are, even where they look like a number or a word of YAML. */
const plainTexts: ReadonlySet<string> = new Set([
  'host',
  'systemId',
  'password',
  'tlsCert',
  'tlsKey',
  'reply',
  'err',
] satisfies (keyof Behaviour)[]);

function readFlags(flags: Flags, faults: Fault[]): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(flags)) {
    const written = String(given);
    const plain: YamlResult = { tree: { kind: 'text', place: noPlace, value: written }, faults: [] };
    const { tree, faults: found } = plainTexts.has(name) ? plain : parseYaml(written);
    const all = [...found];
    if (tree !== undefined) values[name] = settings[name]?.read(tree, all);
    faults.push(...all.map((fault) => ({ ...fault, place: placeOfFlag(name, fault.place) })));
  }
  return values;
}

/** Lines and columns are nothing to a flag. */
function placeOfFlag(name: string, { path }: Place): Place {
  return { ...noPlace, path: path === '' ? flagOf(name) : `${flagOf(name)}: ${path}` };
}

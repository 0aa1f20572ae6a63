/** YAML text becomes a tree of plain values that know their place, so that every later fault can name line and column. */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import type { Fault, Place } from './fault.ts';

export type Tree =
  | { readonly kind: 'map'; readonly place: Place; readonly entries: ReadonlyMap<string, Entry> }
  | { readonly kind: 'list'; readonly place: Place; readonly items: readonly Tree[] }
  | { readonly kind: 'text'; readonly place: Place; readonly value: string }
  /** `source` is the number as it was written: a phone number without quotes keeps its zeros. */
  | { readonly kind: 'number'; readonly place: Place; readonly value: number; readonly source: string }
  | { readonly kind: 'flag'; readonly place: Place; readonly value: boolean }
  /** `isNull`: the word was written, rather than nothing at all. */
  | { readonly kind: 'nothing'; readonly place: Place; readonly isNull: boolean };

export interface Entry {
  /** Of the key. */
  readonly place: Place;
  readonly value: Tree;
}

export interface YamlResult {
  /** Undefined when the text is no YAML at all. */
  readonly tree: Tree | undefined;
  readonly faults: readonly Fault[];
}

/** A few lines of aliases in aliases could stand for more values than any memory holds. 100,000 contacts are 2 million. */
const maxValues = 3_000_000;
/** A slip in the form makes the parser stumble over what follows: the first few lines tell where to look. */
const maxSyntaxFaults = 5;

/** For faults that the parser tells to programmers rather than to writers of a file. */
const plainWords: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'the file must hold one YAML document only',
  RESOURCE_EXHAUSTION: 'the file is nested too deeply',
};

export function parseYaml(text: string): YamlResult {
  const lines = new LineCounter();
  // Keys that stand twice are found below, where their path is known.
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false, version: '1.2' } as const;
  const document = parseDocument(text, options);
  const errors = [...document.errors, ...document.warnings].slice(0, maxSyntaxFaults);
  if (errors.length > 0) {
    const faults = errors.map(({ message, code, pos }) => ({
      place: placeAt(lines, '', pos[0]),
      // After the colon stands a piece of the file, which may be a password.
      sentence: plainWords[code] ?? message.replace(/: [\s\S]*/, ''),
    }));
    return { tree: undefined, faults };
  }
  const builder = new TreeBuilder(document, lines);
  const tree = builder.build(document.contents, '', 0);
  return { tree: builder.isTooLarge ? undefined : tree, faults: builder.faults };
}

function placeAt(lines: LineCounter, path: string, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { path, line, column: col };
}

class TreeBuilder {
  readonly faults: Fault[] = [];
  readonly #document: Document.Parsed;
  readonly #lines: LineCounter;
  /** Aliases that are being followed, to see one that leads back to itself. */
  readonly #following = new Set<Node>();
  readonly #targets = new Map<Alias, Node | undefined>();
  #values = 0;

  constructor(document: Document.Parsed, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  get isTooLarge(): boolean {
    return this.#values > maxValues;
  }

  /** `offset` is where the value would stand, for a key that has none. */
  build(node: Node | ParsedNode | null, path: string, offset: number): Tree {
    const place = placeAt(this.#lines, path, node?.range?.[0] ?? offset);
    this.#values += 1;
    if (this.#values === maxValues + 1) {
      this.faults.push({ place, sentence: `the file stands for more than ${maxValues} values` });
    }
    if (this.isTooLarge) return { kind: 'nothing', place, isNull: false };
    if (isAlias(node)) return this.#follow(node, path, place);
    if (isMap(node)) return this.#map(node, path, place);
    if (isSeq(node)) {
      const items = node.items.map((item, index) => this.build(item as Node, `${path}[${index}]`, offset));
      return { kind: 'list', place, items };
    }
    return isScalar(node) ? scalar(node, place) : { kind: 'nothing', place, isNull: false };
  }

  #map(node: YAMLMap, path: string, place: Place): Tree {
    const entries = new Map<string, Entry>();
    for (const { key, value } of node.items) {
      const offset = (key as Node | null)?.range?.[0] ?? 0;
      if (!isScalar(key) || key.value === null) {
        this.faults.push({
          place: placeAt(this.#lines, path, offset),
          sentence: 'a key must be a plain word',
        });
        continue;
      }
      const name = key.source ?? String(key.value);
      const inner = path === '' ? name : `${path}.${name}`;
      const keyPlace = placeAt(this.#lines, inner, offset);
      if (entries.has(name)) {
        this.faults.push({ place: keyPlace, sentence: 'this key stands twice in the same object' });
      }
      entries.set(name, {
        place: keyPlace,
        value: this.build(value as Node | null, inner, offset),
      });
    }
    return { kind: 'map', place, entries };
  }

  /** What the alias stands for, at the place where it is used. */
  #follow(alias: Alias, path: string, place: Place): Tree {
    const target = this.#targetOf(alias);
    if (target === undefined || this.#following.has(target)) {
      this.faults.push({
        place,
        sentence: 'the alias leads nowhere; a text that begins with * needs quotes',
      });
      return { kind: 'nothing', place, isNull: false };
    }
    this.#following.add(target);
    const tree = this.build(target, path, 0);
    this.#following.delete(target);
    return { ...tree, place };
  }

  /** Kept, since the whole document is gone through for it, and one alias may be met a million times. */
  #targetOf(alias: Alias): Node | undefined {
    if (!this.#targets.has(alias)) this.#targets.set(alias, alias.resolve(this.#document));
    return this.#targets.get(alias);
  }
}

function scalar(node: Scalar, place: Place): Tree {
  const { value } = node;
  if (typeof value === 'string') return { kind: 'text', place, value };
  if (typeof value === 'boolean') return { kind: 'flag', place, value };
  if (typeof value === 'number')
    return { kind: 'number', place, value, source: node.source ?? String(value) };
  return { kind: 'nothing', place, isNull: (node.source ?? '') !== '' };
}

/** Parses YAML text into a tree of plain values that know their place, so every later fault can name line and column. */
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
  /** `source` is the number as written, so an unquoted phone number keeps its zeros. */
  | { readonly kind: 'number'; readonly place: Place; readonly value: number; readonly source: string }
  | { readonly kind: 'flag'; readonly place: Place; readonly value: boolean }
  /** `isNull`: the word was written, as opposed to nothing at all. */
  | { readonly kind: 'nothing'; readonly place: Place; readonly isNull: boolean };

export interface Entry {
  /** The place of the key. */
  readonly place: Place;
  readonly value: Tree;
}

export interface YamlResult {
  /** Undefined if the text is not YAML at all. */
  readonly tree: Tree | undefined;
  readonly faults: readonly Fault[];
}

/** A few lines of nested aliases could represent more values than any memory holds. 100,000 contacts are 2 million values. */
const maxValues = 3_000_000;
/** A syntax error makes the parser stumble over everything after it, so the first few lines show where to look. */
const maxSyntaxFaults = 5;

/** For faults whose messages from the parser are meant for programmers rather than for the author of a file. */
const plainWords: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'the file must contain only one YAML document',
  RESOURCE_EXHAUSTION: 'the file is nested too deeply',
};

export function parseYaml(text: string): YamlResult {
  const lines = new LineCounter();
  // Duplicate keys are found below, where their path is known.
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false, version: '1.2' } as const;
  const document = parseDocument(text, options);
  const errors = [...document.errors, ...document.warnings].slice(0, maxSyntaxFaults);
  if (errors.length > 0) {
    const faults = errors.map(({ message, code, pos }) => ({
      place: placeAt(lines, '', pos[0]),
      // The text after the colon is an excerpt of the file, which may be a password.
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
  /** Aliases being followed, used to detect one that leads back to itself. */
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

  /** `offset` is the position of a missing value, for a key that has none. */
  build(node: Node | ParsedNode | null, path: string, offset: number): Tree {
    const place = placeAt(this.#lines, path, node?.range?.[0] ?? offset);
    this.#values += 1;
    if (this.#values === maxValues + 1) {
      this.faults.push({ place, sentence: `the file expands to more than ${maxValues} values` });
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
        this.faults.push({ place: keyPlace, sentence: 'this key appears twice in the same object' });
      }
      entries.set(name, {
        place: keyPlace,
        value: this.build(value as Node | null, inner, offset),
      });
    }
    return { kind: 'map', place, entries };
  }

  /** Returns the value of the alias, with the place where it is used. */
  #follow(alias: Alias, path: string, place: Place): Tree {
    const target = this.#targetOf(alias);
    if (target === undefined || this.#following.has(target)) {
      this.faults.push({
        place,
        sentence: 'the alias refers to nothing; a text that begins with * needs quotes',
      });
      return { kind: 'nothing', place, isNull: false };
    }
    this.#following.add(target);
    const tree = this.build(target, path, 0);
    this.#following.delete(target);
    return { ...tree, place };
  }

  /** Cached because resolving an alias walks through the whole document, and one alias may occur a million times. */
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

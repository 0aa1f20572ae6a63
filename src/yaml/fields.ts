/** Reads a tree by tables of fields, and reports every fault in words that help correct the file. */
import type { Result } from '../foundation/result.ts';
import type { Fault, Place } from './fault.ts';
import type { Tree } from './tree.ts';

/** Returns undefined if the value was wrong; the fault has then been recorded. */
export type Read<Value> = (tree: Tree, faults: Fault[]) => Value | undefined;

export interface Field<Value> {
  readonly read: Read<Value>;
  /** The value of an omitted field. `needed` means that omitting it is a fault. */
  readonly absent: { readonly value: Value } | 'needed';
  /** Replaces a faulty value so that the rest of the file can still be checked. It is never applied. */
  readonly standIn: Value;
}

export function needed<Value>(read: Read<Value>, standIn: NoInfer<Value>): Field<Value> {
  return { read, absent: 'needed', standIn };
}

export function optional<Value, Absent>(read: Read<Value>, absent: Absent): Field<Value | Absent> {
  return { read, absent: { value: absent }, standIn: absent };
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
type Values<Table extends Fields> = {
  readonly [Name in keyof Table]: Table[Name] extends Field<infer Value> ? Value : never;
};

/** The values of an object in the file, and the place of each field. */
export type Located<Table extends Fields> = Values<Table> & {
  readonly place: Place;
  readonly fieldPlaces: Readonly<Record<string, Place>>;
};

export function object<Table extends Fields>(table: Table): Read<Located<Table>> {
  return (tree, faults) => {
    if (tree.kind !== 'map') return wrongKind(tree, 'an object with keys', faults);
    checkKeys(tree, Object.keys(table), faults);
    const values: Record<string, unknown> = {};
    const fieldPlaces: Record<string, Place> = {};
    for (const [name, field] of Object.entries(table)) {
      const entry = tree.entries.get(name);
      if (entry === undefined) {
        if (field.absent === 'needed') faults.push({ place: tree.place, sentence: `needs a key "${name}"` });
        values[name] = field.absent === 'needed' ? field.standIn : field.absent.value;
        continue;
      }
      const value = field.read(entry.value, faults);
      values[name] = value === undefined ? field.standIn : value;
      fieldPlaces[name] = entry.value.place;
    }
    return { ...values, place: tree.place, fieldPlaces } as Located<Table>;
  };
}

const isWord = /^[a-z][\w-]{0,39}$/i;

function checkKeys(tree: Tree & { kind: 'map' }, known: readonly string[], faults: Fault[]): void {
  for (const [name, { place }] of tree.entries) {
    if (known.includes(name)) continue;
    if (!isWord.test(name)) {
      // This is most likely a text without its quotes, and must not be repeated.
      faults.push({
        place: { ...place, path: tree.place.path },
        sentence: `not a key; known keys: ${known.join(', ')}`,
      });
      continue;
    }
    const meant = nearest(name, known);
    const advice = meant === undefined ? `known keys: ${known.join(', ')}` : `did you mean "${meant}"?`;
    faults.push({ place, sentence: `unknown key; ${advice}` });
  }
}

/** Reads a list. A missing value is an empty list, because a section may have lost its last item. */
export function list<Item>(read: Read<Item>, most = Number.POSITIVE_INFINITY): Read<readonly Item[]> {
  return (tree, faults) => {
    if (tree.kind === 'nothing') return [];
    if (tree.kind === 'list' && tree.items.length > most) {
      faults.push({ place: tree.place, sentence: `must have at most ${most} items` });
      return undefined;
    }
    return readItems(tree, read, faults);
  };
}

/** Reads an object with keys of the author's own choice. A missing value is an empty map, as for lists. */
export function map<Value>(read: Read<Value>): Read<ReadonlyMap<string, Value>> {
  return (tree, faults) => {
    if (tree.kind === 'nothing') return new Map();
    if (tree.kind !== 'map') return wrongKind(tree, 'an object with keys', faults);
    const values = new Map<string, Value>();
    for (const [name, entry] of tree.entries) {
      const value = read(entry.value, faults);
      if (value !== undefined) values.set(name, value);
    }
    return values;
  };
}

/** Reads a list for which a missing value is a fault, because omitting it means something different from an empty list. */
export function explicitList<Item>(
  read: Read<Item>,
  leftOut: string,
  maxItems = Number.POSITIVE_INFINITY,
): Read<readonly Item[]> {
  return (tree, faults) => {
    if (tree.kind === 'list' && tree.items.length > maxItems) {
      const sentence = `has ${tree.items.length} items; at most ${maxItems} are allowed`;
      faults.push({ place: tree.place, sentence });
      return undefined;
    }
    if (tree.kind !== 'nothing') return readItems(tree, read, faults);
    faults.push({
      place: tree.place,
      sentence: `has no value; write [] for an empty list, or leave the key out for ${leftOut}`,
    });
    return undefined;
  };
}

function readItems<Item>(tree: Tree, read: Read<Item>, faults: Fault[]): readonly Item[] | undefined {
  if (tree.kind !== 'list') return wrongKind(tree, 'a list', faults);
  return tree.items.flatMap((item) => {
    const value = read(item, faults);
    return value === undefined ? [] : [value];
  });
}

/** An additional rule for a text. It returns the stored form, or a sentence that says what is wrong. */
export type TextRule = (text: string) => { readonly value: string } | { readonly wrong: string };

export function text(rule: TextRule = (written) => ({ value: written })): Read<string> {
  return (tree, faults) => {
    // Unquoted digits are a number in YAML, but count as a text if a text is expected.
    const written = tree.kind === 'text' ? tree.value : tree.kind === 'number' ? tree.source : undefined;
    if (written === undefined) {
      return wrongKind(tree, tree.kind === 'flag' ? 'a text (put it in quotes)' : 'a text', faults);
    }
    const result = rule(written);
    if ('value' in result) return result.value;
    faults.push({ place: tree.place, sentence: result.wrong });
    return undefined;
  };
}

/** Reads a text that follows a rule of the pure grammar, and `before` it another, in the form that the rule returns. */
export function ruled(rule: (written: string) => Result<string>, before?: TextRule): Read<string> {
  return text((written) => {
    const judged = before?.(written);
    if (judged !== undefined && 'wrong' in judged) return judged;
    const result = rule(written);
    return result.ok ? { value: result.value } : { wrong: result.error.replace(/\.$/, '') };
  });
}

/** A text of limited length that both engines can store. */
export function plainText(longest: number): TextRule {
  return (written) => {
    if (written.trim() === '') return { wrong: 'must not be empty' };
    if (written.length > longest) return { wrong: `must have at most ${longest} characters` };
    if (/[\p{Cc}\p{Cs}]/u.test(written)) return { wrong: 'must not contain control characters' };
    return { value: written };
  };
}

export function oneOfWords<Word extends string>(words: readonly Word[]): Read<Word> {
  return (tree, faults) => {
    const written = tree.kind === 'text' ? tree.value : undefined;
    const word = words.find((known) => known === written);
    if (word !== undefined) return word;
    const meant = written === undefined ? undefined : nearest(written, words);
    const advice = meant === undefined ? '' : `; did you mean ${meant}?`;
    faults.push({ place: tree.place, sentence: `must be one of ${words.join(', ')}${advice}` });
    return undefined;
  };
}

export const flag: Read<boolean> = (tree, faults) =>
  tree.kind === 'flag' ? tree.value : wrongKind(tree, 'true or false', faults);

export function wholeNumber(least: number, most: number): Read<number> {
  return (tree, faults) => {
    const value = tree.kind === 'number' ? tree.value : Number.NaN;
    if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
    return wrongKind(tree, `a whole number from ${least} to ${most}`, faults);
  };
}

function wrongKind(tree: Tree, expected: string, faults: Fault[]): undefined {
  faults.push({ place: tree.place, sentence: `must be ${expected}, ${found(tree)}` });
  return undefined;
}

function found(tree: Tree): string {
  switch (tree.kind) {
    case 'map':
      return 'not an object';
    case 'list':
      return 'not a list';
    case 'text':
      return 'not a text';
    case 'number':
      return `not ${tree.source}`;
    case 'flag':
      return `not ${tree.value}`;
    case 'nothing':
      return 'but has no value';
  }
}

/** Returns the word that was probably meant by a mistyped one: the one with the fewest errors, if there are few enough. */
export function nearest(written: string, words: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(written.length / 3));
  let best: { readonly word: string; readonly slips: number } | undefined;
  for (const word of words) {
    const slips = distance(written.toLowerCase(), word.toLowerCase());
    if (slips <= most && slips < (best?.slips ?? Number.POSITIVE_INFINITY)) best = { word, slips };
  }
  return best?.word;
}

/** The Levenshtein distance: letters added, omitted or exchanged. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const exchanged = (row[j] as number) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(exchanged, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

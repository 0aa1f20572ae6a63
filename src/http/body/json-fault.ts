/** Says where a text stops being JSON, which the engine's own parser does not always tell (RFC 8259). */

export interface JsonFault {
  /** Of the first character, or of the word or escape, that cannot stand there; the text's length when it ends too early. */
  readonly offset: number;
  /** What could stand there, in words. */
  readonly expected: string;
}

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const whiteSpace = /[ \t\r\n]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not hold them raw.
const plainCharacters = /[^"\\\u0000-\u001f]*/y;
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Call it with a text that is known not to be JSON. It keeps its own stack: nesting may be millions deep. */
export function findJsonFault(text: string): JsonFault {
  const open: ('{' | '[')[] = [];
  let at = skip(text, whiteSpace, 0);
  for (;;) {
    // Here a value begins.
    const character = text[at];
    if (character === '{' || character === '[') {
      const next = skip(text, whiteSpace, at + 1);
      if (text[next] === (character === '{' ? '}' : ']')) {
        at = next + 1;
      } else {
        open.push(character);
        at = next;
        if (character === '[') continue;
        const key = keyAt(text, at);
        if (typeof key !== 'number') return key;
        at = key;
        continue;
      }
    } else {
      const end = scalarAt(text, at);
      if (typeof end !== 'number') return end;
      at = end;
    }
    // Here a value has ended: close what is closed, up to a comma that begins the next value.
    const next = afterValue(text, at, open);
    if (typeof next !== 'number') return next;
    at = next;
  }
}

function afterValue(text: string, from: number, open: ('{' | '[')[]): number | JsonFault {
  let at = from;
  for (;;) {
    at = skip(text, whiteSpace, at);
    const container = open.at(-1);
    if (container === undefined) return { offset: at, expected: 'the end of the text' };
    const close = container === '{' ? '}' : ']';
    if (text[at] === close) {
      open.pop();
      at += 1;
    } else if (text[at] === ',') {
      at = skip(text, whiteSpace, at + 1);
      return container === '{' ? keyAt(text, at) : at;
    } else {
      return { offset: at, expected: `a comma or "${close}"` };
    }
  }
}

/** Past a key and its colon, where its value begins. */
function keyAt(text: string, at: number): number | JsonFault {
  if (text[at] !== '"') return { offset: at, expected: 'a field name in double quotes' };
  const end = stringAt(text, at);
  if (typeof end !== 'number') return end;
  const colon = skip(text, whiteSpace, end);
  if (text[colon] !== ':') return { offset: colon, expected: 'a colon' };
  return skip(text, whiteSpace, colon + 1);
}

function scalarAt(text: string, at: number): number | JsonFault {
  if (text[at] === '"') return stringAt(text, at);
  const word = ['true', 'false', 'null'].find((candidate) => text.startsWith(candidate, at));
  const end = word === undefined ? skip(text, number, at) : at + word.length;
  return end === at ? { offset: at, expected: 'a value' } : end;
}

function stringAt(text: string, start: number): number | JsonFault {
  let at = start + 1;
  for (;;) {
    at = skip(text, plainCharacters, at);
    if (text[at] === '"') return at + 1;
    if (text[at] !== '\\') {
      return { offset: at, expected: at === text.length ? 'a closing quote' : 'an escape such as \\n' };
    }
    const end = skip(text, escapeSequence, at);
    if (end === at) return { offset: at, expected: 'one of the escapes of JSON' };
    at = end;
  }
}

/** The end of the pattern's match at this place; the place itself when it does not match. */
function skip(text: string, pattern: RegExp, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

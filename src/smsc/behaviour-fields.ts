/** The kinds of value that a behaviour may hold, each with the sentence for one that is wrong. */

import { commandStatus } from '../wire/smpp/command-status.ts';
import { nearest, type Read, type TextRule, text } from '../yaml/fields.ts';
import type { Range, Shares } from './behaviour.ts';

function oneOf(words: readonly string[], shown = words.join(', ')): TextRule {
  return (written) => {
    if (words.includes(written)) return { value: written };
    const meant = nearest(written, words);
    return { wrong: `must be one of ${shown}${meant === undefined ? '' : `; did you mean ${meant}?`}` };
  };
}

const maxMs = 86_400_000;

/** `500`, or `200-900`. */
export const range: Read<Range> = (tree, faults) => {
  const written = text((given) => {
    const [min, max] = bounds(given);
    return min <= max && max <= maxMs
      ? { value: given }
      : { wrong: `must be milliseconds such as 500, or a range such as 200-900, up to ${maxMs}` };
  })(tree, faults);
  if (written === undefined) return undefined;
  const [min, max] = bounds(written);
  return { min, max };
};

/** NaN where it is none. */
function bounds(written: string): readonly [number, number] {
  const [, min = 'none', max = min] = /^(\d+)(?:\s*-\s*(\d+))?$/.exec(written.trim()) ?? [];
  return [Number(min), Number(max)];
}

export const percent: Read<number> = (tree, faults) => {
  if (tree.kind === 'number' && tree.value >= 0 && tree.value <= 100) return tree.value;
  faults.push({
    place: tree.place,
    sentence: 'must be a percentage from 0 to 100, without a sign behind it',
  });
  return undefined;
};

/** One of the words for all, or percent for each of several: `UNDELIV`, `{ UNDELIV: 5, EXPIRED: 1 }`. */
export function shares<Name extends string>(names: readonly Name[], shown?: string): Read<Shares<Name>> {
  const rule = oneOf(names, shown);
  return (tree, faults) => {
    if (tree.kind === 'nothing') return new Map();
    if (tree.kind !== 'map') {
      const name = text(rule)(tree, faults);
      return name === undefined ? undefined : new Map([[name as Name, 100]]);
    }
    const found = new Map<Name, number>();
    for (const [name, { place, value }] of tree.entries) {
      const checked = rule(name);
      if ('wrong' in checked) faults.push({ place, sentence: checked.wrong });
      const share = percent(value, faults);
      if (share !== undefined) found.set(name as Name, share);
    }
    const sum = [...found.values()].reduce((all, share) => all + share, 0);
    if (sum > 100)
      faults.push({ place: tree.place, sentence: `the shares come to ${sum} percent; 100 is all` });
    return found;
  };
}

const refusals = Object.keys(commandStatus).filter((name) => name !== 'ESME_ROK');

/** Each a refusal, by the name of its command_status. */
export const refusalShares = shares(
  refusals,
  'the command_status names such as ESME_RSYSERR or ESME_RINVDSTADR (SMPP 3.4, 5.1.3)',
);

/** Undefined as well: a text that is left empty is none. */
export function textUpTo(longest: number): Read<string> {
  return text((written) =>
    written.length <= longest ? { value: written } : { wrong: `must have at most ${longest} characters` },
  );
}

/** Nothing that a field of a PDU could not carry. */
export function asciiUpTo(longest: number): Read<string> {
  const rule: TextRule = (written) =>
    written.length <= longest && /^[ -~]*$/.test(written)
      ? { value: written }
      : { wrong: `must have at most ${longest} characters of ASCII` };
  return text(rule);
}

export const prefix: Read<string> = text((written) => {
  const digits = written.replace(/^\+/, '').replace(/[\s()-]/g, '');
  return /^\d{0,20}$/.test(digits)
    ? { value: digits }
    : { wrong: 'must be the first digits of numbers, country code first; "" is for all numbers' };
});

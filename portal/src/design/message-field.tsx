/**
 * The text of an SMS as it is typed. Its parts and encoding are counted live, and each character that makes it expensive is
 * marked.
 */
import { Fragment, type ReactNode, useMemo } from 'react';
import { septetCount } from '../../../src/wire/sms/gsm7.ts';
import { normaliseText } from '../../../src/wire/sms/normalise.ts';
import { findOutsiders, type Outsider, replaceCharacters } from '../../../src/wire/sms/replacement.ts';
import { segment } from '../../../src/wire/sms/segments.ts';
import type { FaultContent } from '../api/fault.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';
import { useLaterWords } from './later-texts.ts';
import layout from './layout.module.css';
import styles from './message-field.module.css';

export function MessageField({
  label,
  hint,
  error,
  text,
  onChange,
  readOnly = false,
  ...focus
}: {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: ReactNode | FaultContent;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly readOnly?: boolean;
  /** For a dialog that is opened to write. */
  readonly autoFocus?: boolean;
}) {
  const outsiders = useMemo(() => findOutsiders(text), [text]);
  return (
    <div className={`${layout.stack} ${layout.tight}`}>
      <Field label={label} hint={hint} error={error}>
        {(control) => (
          <div className={`${styles.paper} ${layout.paper}`}>
            <div className={`${styles.mirror} ${layout.verbatim}`} aria-hidden="true">
              <Marked text={text} outsiders={outsiders} />
            </div>
            <textarea
              {...control}
              className={`${styles.text} ${layout.verbatim}`}
              value={text}
              readOnly={readOnly}
              {...focus}
              onChange={(event) => onChange(event.target.value)}
            />
          </div>
        )}
      </Field>
      <PartsMeter text={text} />
      {outsiders.length > 0 && !readOnly && (
        <Replacements text={text} outsiders={outsiders} onChange={onChange} />
      )}
    </div>
  );
}

/** Marking more than anyone looks at would only slow down the typing. */
const maxMarks = 500;

function Marked({ text, outsiders }: { readonly text: string; readonly outsiders: readonly Outsider[] }) {
  let end = 0;
  const pieces = outsiders.slice(0, maxMarks).map(({ at, character }) => {
    const before = text.slice(end, at);
    end = at + character.length;
    return (
      <Fragment key={at}>
        {before}
        <mark>{character}</mark>
      </Fragment>
    );
  });
  // A line break at the end would have no height.
  return (
    <>
      {pieces}
      {text.slice(end)}
      {'\u200B'}
    </>
  );
}

/** The cost of a text: its parts, and how full the last one is. */
export function PartsMeter({ text }: { readonly text: string }) {
  const words = useLaterWords();
  const { encoding, parts, used, room } = useMemo(() => meterOf(text), [text]);
  return (
    <p className={`${layout.row} ${layout.soft}`} role="status">
      <strong>{words.parts(parts)}</strong>
      <span>{words.charactersOf(used, room)}</span>
      <span className={layout.soft} data-tone={encoding === 'ucs2' ? 'failed' : undefined}>
        {words.encodings[encoding]}
      </span>
    </p>
  );
}

/** The room of a part. In a text of more than one part, each has a little less (3GPP TS 23.040). */
const roomOf = { gsm7: [160, 153], ucs2: [70, 67] } as const;

function meterOf(given: string) {
  const text = normaliseText(given);
  const { encoding, parts } = segment(text);
  const used = encoding === 'gsm7' ? septetCount(text) : text.length;
  const [single, multi] = roomOf[encoding];
  const room = parts.length === 1 ? single : multi * parts.length;
  return { encoding, parts: text === '' ? 0 : parts.length, used, room };
}

interface Group {
  readonly character: string;
  readonly replacement: string | undefined;
  readonly count: number;
}

function groupsOf(outsiders: readonly Outsider[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const { character, replacement } of outsiders) {
    const count = (groups.get(character)?.count ?? 0) + 1;
    groups.set(character, { character, replacement, count });
  }
  return [...groups.values()];
}

const maxGroups = 12;

/** The characters that make the text expensive, and their replacements, one by one or all at once. */
function Replacements({
  text,
  outsiders,
  onChange,
}: {
  readonly text: string;
  readonly outsiders: readonly Outsider[];
  readonly onChange: (text: string) => void;
}) {
  const words = useLaterWords();
  const all = replaceCharacters(text);
  const [before, after] = [meterOf(text).parts, meterOf(all).parts];
  return (
    <div className={`${styles.replacements} ${layout.well} ${layout.stack} ${layout.tight}`}>
      <p>{words.dearCharacters}</p>
      <div className={layout.row}>
        {groupsOf(outsiders)
          .slice(0, maxGroups)
          .map(({ character, replacement, count }) => (
            <Button
              key={character}
              small
              aria-label={words.replaceOne(character, replacement ?? '')}
              onClick={() => onChange(text.replaceAll(character, replacement ?? ''))}
            >
              <mark>{shown(character)}</mark>
              {count > 1 && <span>×{count}</span>}
              <span aria-hidden="true">→</span>
              <span>{replacement === undefined || replacement === '' ? words.removeIt : replacement}</span>
            </Button>
          ))}
        {all !== text && (
          <Button small look="main" onClick={() => onChange(all)}>
            {after < before ? words.replaceAllSaves(after, before) : words.replaceAll}
          </Button>
        )}
      </div>
    </div>
  );
}

/** An invisible character is shown by its number. */
function shown(character: string): string {
  const isSeen = character.trim() !== '' && !/^[\p{Cf}\p{Zs}\p{M}]+$/u.test(character);
  return isSeen
    ? character
    : `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

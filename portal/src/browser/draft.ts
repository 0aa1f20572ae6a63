/** Keeps what a user types in a form until it is sent, across a reload and the end of a session. */
import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { keep, kept, whenForgotten } from './kept.ts';

/**
 * Returns the draft, a function that changes it, and a function that forgets it; if that function is given the draft that
 * was sent, it forgets only an unchanged draft. `name` says whose draft it is and of what.
 */
export function useDraft<Draft>(
  name: string,
  blank: Draft,
): readonly [Draft, (next: Draft | ((before: Draft) => Draft)) => void, (sent?: Draft) => void] {
  const key = `draft.${name}`;
  const [draft, setDraft] = useState<Draft>(() => draftIn(kept(key)) ?? blank);
  const change = useCallback(
    (next: Draft | ((before: Draft) => Draft)) =>
      setDraft((before) => {
        const changed = typeof next === 'function' ? (next as (before: Draft) => Draft)(before) : next;
        keep(key, JSON.stringify(changed));
        return changed;
      }),
    [key],
  );
  const forget = useCallback(
    (sent?: Draft) => {
      if (sent === undefined) keep(key, undefined);
      else forgetDraft(name, (now) => JSON.stringify(now) === JSON.stringify(sent));
      setDraft((before) => (sent === undefined || before === sent ? blank : before));
    },
    [name, key, blank],
  );
  // A draft that was sent in another tab, or by a form that this form has replaced, must not stay here to be sent
  // again.
  const blankIf = useEffectEvent((text: string) => {
    if (JSON.stringify(draft) === text) setDraft(blank);
  });
  const blankUnlessKept = useEffectEvent(() => {
    if (kept(key) === undefined) setDraft(blank);
  });
  useEffect(() => {
    // It may have been sent between the first drawing and now.
    blankUnlessKept();
    return whenForgotten((gone, text) => {
      if (gone === key) blankIf(text);
    });
  }, [key]);
  return [draft, change, forget];
}

/**
 * Forgets the stored draft, unless something else has been typed since. For code outside components, or in components
 * no longer shown.
 */
export function forgetDraft<Draft>(name: string, isSent: (draft: Draft) => boolean): void {
  const key = `draft.${name}`;
  const draft = draftIn<Draft>(kept(key));
  if (draft !== undefined && isSent(draft)) keep(key, undefined);
}

function draftIn<Draft>(text: string | undefined): Draft | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Draft;
  } catch {
    // Something else on this origin has overwritten it.
    return undefined;
  }
}

interface Edits<Fields> {
  readonly fields: Fields;
  /** The fields as they were stored when the typing began. */
  readonly before?: Fields;
  /**
   * The version that the typing began with, so that a change saved meanwhile is not overwritten. Undefined for a new object.
   */
  readonly version: string | undefined;
}

/**
 * A user's edits of a stored object, or of a new one. Until something is typed, the fields are as stored. If only other fields of
 * the object have changed since, the edits count as begun with its present version, unless a save may overwrite these too.
 */
export function useEdits<Fields>(name: string, stored: Fields, version?: string, overwritesMore = false) {
  const [typed, write, forget] = useDraft<Edits<Fields> | null>(`edits.${name}`, null);
  const untouched = { fields: stored, before: stored, version };
  const { fields, before, version: begunWith } = typed ?? untouched;
  return {
    fields,
    version: !overwritesMore && JSON.stringify(before) === JSON.stringify(stored) ? version : begunWith,
    isTouched: typed !== null,
    change: (next: (before: Fields) => Fields) =>
      write((before) => {
        const edits = before ?? untouched;
        return { ...edits, fields: next(edits.fields) };
      }),
    /** Forgets the edits once they are saved, unless others have been typed since. */
    saved: () => typed !== null && forget(typed),
    drop: () => forget(),
  };
}

/** Only what differs is sent: a provisioning file may have set the rest. */
export function changesOf<Given extends object>(call: Given, stored: Given): Partial<Given> {
  const isOther = ([name, value]: readonly [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(stored[name as keyof Given]);
  return Object.fromEntries(Object.entries(call).filter(isOther)) as Partial<Given>;
}

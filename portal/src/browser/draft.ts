/** What somebody types in a form, kept until it is sent: over a reload, and over the end of a session. */
import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { keep, kept, whenForgotten } from './kept.ts';

/**
 * The draft, what changes it, and what forgets it: whatever it is, or only as it was when it was sent. `name` says whose
 * and of what it is.
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
  // What was sent in another tab, or by a form that this one has taken the place of, is not left here to be sent again.
  const blankIf = useEffectEvent((text: string) => {
    if (JSON.stringify(draft) === text) setDraft(blank);
  });
  useEffect(
    () =>
      whenForgotten((gone, text) => {
        if (gone === key) blankIf(text);
      }),
    [key],
  );
  return [draft, change, forget];
}

/** Forgets what is kept, unless something else has been typed since. For those who are no component, or no longer shown. */
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
    // Something else of this origin has written over it.
    return undefined;
  }
}

interface Edits<Fields> {
  readonly fields: Fields;
  /** The version that the typing began with, so that a change saved meanwhile is not overwritten. Undefined: it is new. */
  readonly version: string | undefined;
}

/** What somebody changes of a stored object, or writes for a new one; until something is typed, it is as it is stored. */
export function useEdits<Fields>(name: string, stored: Fields, version?: string) {
  const [typed, write, forget] = useDraft<Edits<Fields> | null>(`edits.${name}`, null);
  const untouched = { fields: stored, version };
  const { fields, version: begunWith } = typed ?? untouched;
  return {
    fields,
    version: begunWith,
    isTouched: typed !== null,
    change: (next: (before: Fields) => Fields) =>
      write((before) => {
        const edits = before ?? untouched;
        return { fields: next(edits.fields), version: edits.version };
      }),
    /** It is stored now as it stood here when it was sent. */
    saved: () => typed !== null && forget(typed),
    drop: () => forget(),
  };
}

/** Makes those who have not answered a sending the recipients of the form, when the URL asks for it. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { get } from '../api/client.ts';
import { Fault } from '../api/fault.ts';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { showToast } from '../design/toasts.tsx';
import type { Recipient } from '../sending/recipient.ts';
import type { Draft } from './draft.ts';
import { composeWordsNow, useComposeWords } from './texts.ts';

/** The search parameters in the URL. */
export interface ComposeSearch {
  /** A sending to whose silent people the message goes. */
  readonly silentOf?: string;
}

interface Props {
  readonly draft: Draft;
  readonly setDraft: (next: (before: Draft) => Draft) => void;
}

const route = getRouteApi('/send');

export function SilentPeople(props: Props) {
  const { silentOf }: ComposeSearch = route.useSearch();
  return silentOf === undefined ? null : <Fetching {...props} id={silentOf} />;
}

/** The text that is already in the form stays; the recipients are replaced, which can be undone. */
function Fetching({ draft, setDraft, id }: Props & { readonly id: string }) {
  const words = useComposeWords();
  const navigate = useNavigate({ from: '/send' });
  const [fault, setFault] = useState<Fault | null>(null);
  const take = useEffectEvent(({ recipients, ...way }: Asked) => {
    const texts = composeWordsNow();
    void navigate({ search: {}, replace: true });
    if (recipients.length === 0) return void showToast({ text: texts.silentNone });
    const { recipients: before, from, twoWay, at } = draft;
    setDraft((now) => ({ ...now, ...way, recipients, at: '' }));
    const undo = () => setDraft((now) => ({ ...now, recipients: before, from, twoWay, at }));
    showToast({ text: texts.silentTaken(recipients.length), ...(before.length > 0 && { undo }) });
  });
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try fetches again.
  useEffect(() => {
    const ending = new AbortController();
    setFault(null);
    silentOf(id, ending.signal).then(take, (error: unknown) => {
      if (!ending.signal.aborted && error instanceof Fault) setFault(error);
    });
    return () => ending.abort();
  }, [id, tries]);
  if (fault !== null) return <FaultNotice fault={fault} tryAgain={() => setTries(tries + 1)} />;
  return <Notice>{words.silentLoading}</Notice>;
}

/** They can answer this message as they could the first. */
interface Asked extends Pick<Draft, 'from' | 'twoWay'> {
  readonly recipients: readonly Recipient[];
}

const pageSize = 200;

async function silentOf(id: string, signal: AbortSignal): Promise<Asked> {
  const { from } = await get('/api/v1/sendings/{id}', { id }, { signal });
  const recipients: Recipient[] = [];
  let after: string | undefined;
  do {
    const query = { id, meaning: 'silent', limit: pageSize, after } as const;
    const { people, next } = await get('/api/v1/sendings/{id}/people', query, { signal });
    for (const { to: value, name } of people)
      recipients.push({ kind: 'number', value, ...(name && { name }) });
    after = next;
  } while (after !== undefined);
  return { recipients, from: from ?? '', twoWay: from === undefined };
}

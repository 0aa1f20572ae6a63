/** The page on one's own sign-in, of users and of operators: the sessions, the second factors and the password. */
import { useState } from 'react';
import { ownPath } from '../api/client.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, useRead, useRemoval } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Button } from '../design/button.tsx';
import { CursorList, type CursorListState } from '../design/cursor-list.tsx';
import { PasswordField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { Page, Section } from '../design/page.tsx';
import { showToast } from '../design/toasts.tsx';
import { Factors } from './factors.tsx';
import { useSecurityWords } from './security-texts.ts';
import { When } from './when.tsx';

/** `managed`: says who sets the password, if it can't be changed here. */
export function Security({ managed }: { readonly managed: string | false }) {
  const words = useSecurityWords();
  const query = useRead(`${ownPath}/sessions` as const, {}, { live: ['sessions'] });
  const others = useRemoval(`${ownPath}/sessions` as const);
  const sessions = query.data?.sessions ?? [];
  const list = {
    items: sessions,
    fault: query.error,
    isLoading: query.isPending,
    reload: () => void query.refetch(),
    hasMore: false,
    isLoadingMore: false,
    isBehind: false,
    loadMore: () => undefined,
  };
  const onSuccess = ({ ended }: Ended) => showToast({ text: words.signedOut(ended) });
  const signOutOthers = sessions.length > 1 && (
    <Button busy={others.isPending} onClick={() => others.mutate({ parameters: {} }, { onSuccess })}>
      {words.signOutOthers}
    </Button>
  );
  return (
    <Page title={words.sessions} lead={words.sessionsLead} actions={signOutOthers}>
      <FaultNotice fault={others.error} />
      <SessionList list={list} />
      <Factors />
      <Section title={words.password}>{managed ? <p>{managed}</p> : <PasswordForm />}</Section>
    </Page>
  );
}

interface Ended {
  readonly ended: number;
}

type ListedSession = AnswerOf<'GET', '/portal/api/sessions'>['sessions'][number];

function SessionList({ list }: { readonly list: CursorListState<ListedSession> }) {
  const words = useSecurityWords();
  return (
    <CursorList
      label={words.sessions}
      list={list}
      keyOf={({ id }) => id}
      empty={null}
      columns={[
        {
          title: words.browser,
          cell: ({ browser, current }) =>
            `${browser === '' ? words.unknownBrowser : browser}${current ? ` · ${words.here}` : ''}`,
          width: 'minmax(0, 2fr)',
          place: 'main',
        },
        { title: words.network, cell: ({ network }) => network, width: 'minmax(0, 1.6fr)', place: 'below' },
        {
          title: words.used,
          cell: ({ used }) => <When at={used} />,
          width: '5.5rem',
          place: 'below',
          isNamed: true,
        },
        { title: words.since, cell: ({ created }) => <When at={created} />, width: '5.5rem' },
        {
          title: words.signOut,
          cell: (session) => !session.current && <SignOut session={session} />,
          width: '6.5rem',
          place: 'aside',
        },
      ]}
    />
  );
}

function SignOut({ session: { id, browser } }: { readonly session: ListedSession }) {
  const words = useSecurityWords();
  const { mutate, isPending } = useRemoval(`${ownPath}/sessions/{id}` as const);
  const onSuccess = ({ ended }: Ended) => showToast({ text: words.signedOut(ended) });
  // If the session has ended meanwhile, the list shows it.
  const signOut = () => mutate({ parameters: { id } }, { onSuccess });
  return (
    <Button small look="quiet" aria-label={`${words.signOut} ${browser}`} busy={isPending} onClick={signOut}>
      {words.signOut}
    </Button>
  );
}

function PasswordForm() {
  const words = useSecurityWords();
  const blank = { current: '', password: '' };
  const act = useAct(`${ownPath}/password` as const);
  const form = formOf(act, useState(blank));
  const submit = () =>
    act.mutate(
      { parameters: form.values },
      {
        onSuccess: () => {
          form.set(blank);
          showToast({ text: words.changed });
        },
      },
    );
  return (
    <div className={layout.narrow}>
      <ActForm form={form} submit={submit} label={words.change}>
        <PasswordField
          label={words.current}
          autoComplete="current-password"
          required
          {...form.field('current')}
        />
        <PasswordField
          label={words.next}
          hint={words.nextHint}
          autoComplete="new-password"
          required
          {...form.field('password')}
        />
      </ActForm>
    </div>
  );
}

/** One phone number across all rooms: who has it, the messages in both directions, and what its owner may request of us. */
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { fileAddress } from '../api/client.ts';
import type { AnswerOf, PathFor } from '../api/endpoints.ts';
import { useAct, useList, useRead } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Answered } from '../design/answered.tsx';
import { DialogButton } from '../design/confirm-dialog.tsx';
import { CursorList, RowLink } from '../design/cursor-list.tsx';
import { Dialog } from '../design/dialog.tsx';
import { DownloadLink } from '../design/download-link.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { Page, Section } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { TextWithTimes, Time } from '../design/time.tsx';
import { showToast } from '../design/toasts.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { groupedNumber } from '../words/numbers.ts';
import styles from './people.module.css';
import { useNumberWords } from './texts.ts';

type Answer<Path extends PathFor<'GET'>> = AnswerOf<'GET', Path>;
type Person = Answer<'/api/v1/people/{number}'>;

export function NumberPage() {
  const { number } = useParams({ from: '/people/by-number/$number' });
  const words = useNumberWords();
  const isAdministrator = hasOneOf(useSession(), ['companyAdmin']);
  const live = ['messages', 'conversations', 'contacts', 'people', 'optouts'];
  const read = useRead('/api/v1/people/{number}', { number }, { live });
  const name = read.data?.contacts.find((contact) => contact.name !== '')?.name;
  return (
    <Page
      title={name ?? groupedNumber(number)}
      lead={name === undefined ? words.lead : <PhoneNumber number={number} />}
      actions={
        isAdministrator && (
          <>
            <DownloadLink href={fileAddress('/api/v1/people/{number}/export', { number })}>
              {words.export}
            </DownloadLink>
            <Erasing number={number} />
          </>
        )
      }
    >
      <Answered read={read} rows={3}>
        {({ erasure, optOuts, nearMisses, contacts, conversations, moreConversations }) => (
          <>
            <div className={`${layout.stack} ${layout.tight}`}>
              {erasure !== undefined && <Erasure {...erasure} />}
              {optOuts.length > 0 && <OptOuts optOuts={optOuts} number={number} />}
              {nearMisses.some(({ optsOut }) => optsOut === undefined) && (
                <Notice tone="warning">
                  {words.mayOptOut} <Link to="/admin/opt-outs">{words.seeOptOuts}</Link>
                </Notice>
              )}
            </div>
            <Contacts contacts={contacts} />
            <Conversations
              conversations={conversations}
              moreConversations={moreConversations}
              number={number}
            />
            <Sent number={number} />
            <Received number={number} />
          </>
        )}
      </Answered>
    </Page>
  );
}

function Erasure({ done, erased, optOuts, kept }: NonNullable<Person['erasure']>) {
  const words = useNumberWords();
  if (done !== undefined)
    return (
      <Notice tone="good">
        <TextWithTimes text={words.done(done)} />
        {optOuts > 0 && <p>{words.heldOn}</p>}
      </Notice>
    );
  return (
    <Notice tone="warning">
      <p role="status">{words.underWay(erased)}</p>
      {kept.length > 0 && <p>{words.waits(kept.map(({ by, count }) => words.kept[by](count)).join(', '))}</p>}
    </Notice>
  );
}

function OptOuts({ optOuts, number }: Pick<Person, 'optOuts'> & { readonly number: string }) {
  const words = useNumberWords();
  const isAdministrator = hasOneOf(useSession(), ['companyAdmin']);
  return (
    <Notice tone="warning">
      {words.optedOut}{' '}
      {optOuts.map(({ category, since }) => (
        <span key={category + since}>
          {words.optOutOf[category]} (<Time at={since} />){' '}
        </span>
      ))}
      {isAdministrator && (
        <Link to="/admin/opt-outs" search={{ number }}>
          {words.seeOptOuts}
        </Link>
      )}
    </Notice>
  );
}

function Contacts({ contacts }: Pick<Person, 'contacts'>) {
  const words = useNumberWords();
  return (
    <Section title={words.contacts}>
      {contacts.length === 0 && <p className={layout.soft}>{words.noContacts}</p>}
      <ul className={`${styles.list} ${layout.stack} ${layout.tight}`}>
        {contacts.map(({ id, name, phone = '', addressBook, addressBookName }) => (
          <li key={id}>
            <Link to="/people/$book/person/$id" params={{ book: addressBook, id }}>
              <bdi>{name || phone}</bdi>
            </Link>{' '}
            <span className={layout.soft}>{addressBookName}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Conversations({
  conversations,
  moreConversations,
  number: phone,
}: Pick<Person, 'conversations' | 'moreConversations'> & { readonly number: string }) {
  const words = useNumberWords();
  if (conversations.length === 0) return null;
  return (
    <Section title={words.conversations}>
      <ul className={`${styles.list} ${layout.stack} ${layout.tight}`}>
        {conversations.map(({ id, number, username, last, unread }) => (
          <li key={id}>
            <Link to="/conversations" search={{ open: id, search: phone }}>
              {words.with(groupedNumber(number), username)}
            </Link>{' '}
            <span className={layout.soft}>
              <Time at={last} />
              {unread > 0 && ` · ${words.unread(unread)}`}
            </span>
          </li>
        ))}
      </ul>
      {moreConversations && (
        <Link to="/conversations" search={{ search: phone }}>
          {words.earlierConversations}
        </Link>
      )}
    </Section>
  );
}

function Sent({ number }: { readonly number: string }) {
  const words = useNumberWords();
  const path = '/api/v1/people/{number}/sent';
  const list = useList(path, 'sent', { number, limit: 20 }, { live: ['messages'] });
  return (
    <Section title={words.sent}>
      <CursorList
        label={words.sent}
        list={list}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon="messages" title={words.noSent}>
            {words.noSentText}
          </EmptyState>
        }
        columns={[
          {
            title: words.time,
            place: 'main',
            width: '9rem',
            cell: ({ id, accepted }) => (
              <RowLink to="/messages/$id" params={{ id }}>
                <Time at={accepted} />
              </RowLink>
            ),
          },
          {
            title: words.status,
            cell: ({ status, simulated }) => <StatusBadge status={status} simulated={simulated} />,
            place: 'aside',
          },
          { title: words.what, cell: (message) => <PartOf message={message} />, place: 'below' },
        ]}
      />
    </Section>
  );
}

function PartOf({
  message: { batchId, batchName, run },
}: {
  readonly message: Answer<'/api/v1/people/{number}/sent'>['sent'][number];
}) {
  const words = useNumberWords();
  if (run !== undefined)
    return (
      <>
        <bdi>{run.name}</bdi> · {words.answers[run.state]}
      </>
    );
  if (batchId === undefined) return null;
  return (
    <Link to="/batches/$id" params={{ id: batchId }}>
      <bdi>{batchName ?? words.batch}</bdi>
    </Link>
  );
}

function Received({ number }: { readonly number: string }) {
  const words = useNumberWords();
  const path = '/api/v1/people/{number}/received';
  const list = useList(path, 'received', { number, limit: 20 }, { live: ['incoming', 'conversations'] });
  return (
    <Section title={words.received}>
      <CursorList
        label={words.received}
        list={list}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon="conversations" title={words.noReceived}>
            {words.noReceivedText}
          </EmptyState>
        }
        columns={[
          { title: words.time, cell: ({ time }) => <Time at={time} />, place: 'aside', width: '9rem' },
          {
            title: words.message,
            place: 'main',
            width: 'minmax(0, 3fr)',
            cell: ({ message, username }) =>
              message === undefined ? words.others(username) : <span dir="auto">{message}</span>,
          },
        ]}
      />
    </Section>
  );
}

const path = '/api/v1/people/{number}/erase';

/** Erases everything about the number, once the user has typed the number. */
function Erasing({ number }: { readonly number: string }) {
  return (
    <DialogButton look="danger" label={useNumberWords().erase}>
      {(close) => <Question number={number} close={close} />}
    </DialogButton>
  );
}

function Question({ number, close }: { readonly number: string; readonly close: () => void }) {
  const words = useNumberWords();
  const erase = useAct(path);
  const form = formOf(erase, useState({ typed: '' }));
  const parameters = { number };
  const begin = () => {
    const onSuccess = () => {
      close();
      showToast({ text: words.begun });
    };
    erase.mutate({ parameters }, { onSuccess });
  };
  return (
    <Dialog title={words.eraseTitle} close={close}>
      <ActForm
        form={form}
        submit={begin}
        label={words.erase}
        look="danger"
        lacks={form.values.typed.replace(/\D/g, '') !== number}
        close={close}
        call={{ method: 'POST', path, parameters }}
      >
        <p>{words.eraseText}</p>
        <TextField
          label={words.confirm}
          hint={<PhoneNumber number={number} />}
          inputMode="tel"
          autoComplete="off"
          autoFocus
          {...form.field('typed')}
        />
      </ActForm>
    </Dialog>
  );
}

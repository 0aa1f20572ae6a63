/** The list of e-mail senders: a search, who decides for an address, and acts on several entries. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { fileAddress, patch, remove } from '../api/client.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import type { Fault } from '../api/fault.ts';
import { useList, useRead } from '../api/queries.ts';
import { useTypedSearch } from '../browser/typed-search.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { DialogButton } from '../design/confirm-dialog.tsx';
import { RowLink } from '../design/cursor-list.tsx';
import { DownloadLink } from '../design/download-link.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { TextField } from '../design/field.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { type BulkAct, SelectableList } from '../design/selectable-list.tsx';
import { Badge } from '../design/status-badge.tsx';
import { language } from '../words/language.ts';
import { EmailPage } from './email-page.tsx';
import { useEmailWords } from './texts.ts';

const route = getRouteApi('/admin/email');
const path = '/api/v1/email/senders/{email}';

type Sender = AnswerOf<'GET', '/api/v1/email/senders'>['senders'][number];

const ImportDialog = lazy(async () => ({ default: (await import('./import-dialog.tsx')).ImportDialog }));

export function SendersPage() {
  const words = useEmailWords();
  return (
    <EmailPage
      actions={
        <ButtonLink to="/admin/email/new" look="main" icon={<Icon name="plus" />}>
          {words.make}
        </ButtonLink>
      }
    >
      <Senders />
    </EmailPage>
  );
}

function Senders() {
  const words = useEmailWords();
  const { q } = route.useSearch();
  const navigate = useNavigate({ from: '/admin/email' });
  const [typed, setTyped] = useTypedSearch(
    q ?? '',
    (next) => void navigate({ search: next === '' ? {} : { q: next }, replace: true }),
  );
  const among = q === undefined ? {} : { q };
  const list = useList('/api/v1/email/senders', 'senders', among, { live: ['emailsenders'] });
  return (
    <>
      <div className={`${layout.above} ${layout.grid} ${layout.wide}`}>
        <TextField
          type="search"
          label={words.search}
          hint={words.searchHint}
          value={typed}
          maxLength={254}
          onChange={({ target }) => setTyped(target.value)}
        />
        <WhoDecides />
      </div>
      <div className={`${layout.row} ${layout.tight} ${layout.above}`}>
        <DownloadLink href={fileAddress('/api/v1/email/senders.csv', { ...among, language })}>
          {words.csvOut}
        </DownloadLink>
        <DialogButton label={words.csvIn} icon={<Icon name="upload" size={16} />}>
          {(close) => (
            <Suspense>
              <ImportDialog close={close} />
            </Suspense>
          )}
        </DialogButton>
      </div>
      <SelectableList
        label={words.senders}
        list={list}
        keyOf={({ email }) => email}
        nameOf={({ email }) => email}
        empty={
          q === undefined ? (
            <EmptyState icon="mail" title={words.noSenders}>
              {words.noSendersText}
            </EmptyState>
          ) : (
            <EmptyState icon="search">{words.nothingFound(q)}</EmptyState>
          )
        }
        acts={useActs()}
        columns={[
          {
            title: words.address,
            width: 'minmax(0, 2fr)',
            place: 'main',
            cell: (sender) => <Address sender={sender} />,
          },
          {
            title: words.state,
            width: '8rem',
            place: 'aside',
            cell: ({ blocked }) => (
              <Badge tone={blocked ? 'failed' : 'delivered'}>{blocked ? words.blocked : words.allowed}</Badge>
            ),
          },
          { title: words.names.payingUser, place: 'below', cell: (sender) => <PaidBy sender={sender} /> },
          {
            title: words.names.sender,
            width: '9rem',
            cell: ({ sender }) => <bdi>{sender === '' ? words.none.sender : sender}</bdi>,
          },
          { title: words.maxSms, width: '6rem', cell: ({ maxSms }) => String(maxSms) },
        ]}
      />
    </>
  );
}

function Address({ sender: { email, managed } }: { readonly sender: Sender }) {
  const words = useEmailWords();
  return (
    <>
      <RowLink to="/admin/email/$email" params={{ email }}>
        <bdi className={layout.wraps}>{email}</bdi>
      </RowLink>
      {(email.startsWith('@') || managed) && (
        <span className={`${layout.soft} ${layout.clip} ${layout.wraps}`}>
          {[email.startsWith('@') && words.wholeDomain, managed && words.managedField]
            .filter(Boolean)
            .join(' · ')}
        </span>
      )}
    </>
  );
}

function PaidBy({ sender: { payingUser, payerProblem } }: { readonly sender: Sender }) {
  const words = useEmailWords();
  return (
    <>
      <bdi>{payingUser}</bdi>
      {payerProblem !== undefined && (
        <span className={`${layout.soft} ${layout.wraps}`} data-tone="failed">
          {' '}
          {words.cannotPay}
        </span>
      )}
    </>
  );
}

function useActs(): readonly BulkAct<Sender>[] {
  const words = useEmailWords();
  const set = (blocked: boolean) => (sender: Sender) =>
    sender.blocked === blocked ? Promise.resolve() : patch(path, { email: sender.email, blocked });
  return [
    { label: words.block, question: words.blockQuestion, act: set(true), done: words.blockDone },
    { label: words.allow, question: words.allowQuestion, act: set(false), done: words.allowDone },
    {
      label: words.remove,
      look: 'danger',
      question: words.removeQuestion,
      act: removed,
      done: words.removeDone,
    },
  ];
}

/** If the answer to an earlier try was lost, the entry is gone already. */
async function removed({ email, version }: Sender): Promise<void> {
  try {
    await remove(path, { email }, { version });
  } catch (error) {
    if ((error as Fault).code !== 'not_found') throw error;
  }
}

function WhoDecides() {
  const words = useEmailWords();
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState('');
  const { data, error } = useRead(
    '/api/v1/email/lookup',
    { email: asked },
    { enabled: asked !== '', live: ['emailsenders'] },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(typed.trim());
  };
  const isShown = asked !== '' && typed.trim() === asked;
  const fault = isShown ? error?.of('email') : undefined;
  return (
    <form className={`${layout.stack} ${layout.tight}`} onSubmit={submit}>
      <div className={layout.line}>
        <TextField
          label={words.whoDecides}
          placeholder="anna@lab.care.example"
          maxLength={320}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          error={fault}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Button type="submit">{words.ask}</Button>
      </div>
      <div role="status">{isShown && data !== undefined && <Decision asked={asked} decision={data} />}</div>
      {isShown && fault === undefined && <FaultNotice fault={error} />}
    </form>
  );
}

function Decision({
  asked,
  decision: { decision, entry = '', payingUser = '', payerProblem },
}: {
  readonly asked: string;
  readonly decision: AnswerOf<'GET', '/api/v1/email/lookup'>;
}) {
  const words = useEmailWords();
  const own = entry.startsWith('@') ? words.byDomain(entry) : words.byAddress(entry);
  const isGood = decision === 'allowed' && payerProblem === undefined;
  return (
    <Notice tone={isGood ? 'good' : 'warning'}>
      {decision === 'notListed' && words.notListed(asked)}
      {decision === 'otherCompany' && words.otherCompany(asked)}
      {decision === 'allowed' && `${words.isAllowed} ${own} ${words.pays(payingUser)}`}
      {decision === 'blocked' && `${words.isBlocked} ${own}`}
      {decision === 'allowed' && payerProblem !== undefined && (
        <> {words.payerProblems[payerProblem](payingUser)}</>
      )}
    </Notice>
  );
}

/** One company as operators see it: its settings, its users, and the way to one of its messages. */
import { useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useList, useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { BackLink, Button } from '../design/button.tsx';
import { CursorList } from '../design/cursor-list.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Facts } from '../design/facts.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { Card, Page, Section } from '../design/page.tsx';
import { useRoleNames } from '../design/role-names.ts';
import { Badge } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { useNumbers } from '../words/words.ts';
import { CompanyState, useCounted, useQuota } from './companies-page.tsx';
import { useOperatorWords } from './texts.ts';

const tones = { active: 'delivered', noPassword: 'waiting', inactive: 'cancelled' } as const;

export function CompanyPage() {
  const words = useOperatorWords();
  const { id } = useParams({ from: '/operator/companies/$id' });
  const [counted, quota, written] = [useCounted(), useQuota(), useNumbers()];
  const read = useRead('/api/v1/operator/companies/{id}', { id }, { live: ['companies'] });
  const listOf = (items: readonly string[] | undefined) => items?.join(', ') ?? words.any;
  return (
    <Page
      title={read.data?.name ?? words.company}
      lead={read.data && <CompanyState active={read.data.active} />}
      back={<BackLink to="/operator">{words.companies}</BackLink>}
    >
      <div className={layout.stack}>
        <Answered read={read}>
          {(company) => (
            <Card>
              <Facts
                facts={[
                  [words.quota, quota(company)],
                  [words.sentToday, counted(company.sentToday)],
                  [words.perMinute, company.partsPerMinute && written(company.partsPerMinute)],
                  [words.perDay, company.partsPerDay && written(company.partsPerDay)],
                  [words.sender, company.defaultSender],
                  [words.senders, listOf(company.senders)],
                  [words.countries, listOf(company.countries)],
                  [words.countryCode, company.countryCode],
                ]}
              />
            </Card>
          )}
        </Answered>
        <FindMessage id={id} />
      </div>
      <Users id={id} />
    </Page>
  );
}

function FindMessage({ id }: { readonly id: string }) {
  const words = useOperatorWords();
  const navigate = useNavigate();
  const [message, setMessage] = useState('');
  const show = (event: FormEvent) => {
    event.preventDefault();
    void navigate({
      to: '/operator/companies/$id/messages/$message',
      params: { id, message: message.trim() },
    });
  };
  return (
    <form className={layout.line} onSubmit={show}>
      <TextField
        label={words.messageId}
        inputMode="numeric"
        pattern=" *[0-9]{1,19} *"
        required
        value={message}
        onChange={(event) => setMessage(event.target.value)}
      />
      <Button type="submit">{words.show}</Button>
    </form>
  );
}

function Users({ id }: { readonly id: string }) {
  const words = useOperatorWords();
  const roleNames = useRoleNames();
  return (
    <Section title={words.users}>
      <CursorList
        label={words.users}
        list={useList('/api/v1/operator/companies/{id}/users', 'users', { id }, { live: ['companies'] })}
        keyOf={(user) => user.id}
        empty={<EmptyState icon="people">{words.never}</EmptyState>}
        columns={[
          { title: words.user, place: 'main', cell: ({ username }) => <bdi>{username}</bdi> },
          {
            title: words.roles,
            place: 'below',
            cell: ({ roles }) => roles.map((role) => roleNames[role]).join(', '),
          },
          {
            title: words.lastSignIn,
            width: '9rem',
            place: 'below',
            isNamed: true,
            cell: ({ lastSignIn }) =>
              lastSignIn === undefined ? (
                <span className={layout.soft}>{words.never}</span>
              ) : (
                <Time at={lastSignIn} />
              ),
          },
          {
            title: words.state,
            width: '10rem',
            place: 'aside',
            cell: ({ active, hasPassword }) => {
              const state = !active ? 'inactive' : hasPassword ? 'active' : 'noPassword';
              return <Badge tone={tones[state]}>{words.userStates[state]}</Badge>;
            },
          },
        ]}
      />
    </Section>
  );
}

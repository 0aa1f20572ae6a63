/** One person: name, tags, the messages sent to them, and what to do when two users change the person at once. */
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct, useChange, useList, useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { BackLink, ButtonLink } from '../design/button.tsx';
import { Removal } from '../design/confirm-dialog.tsx';
import { CursorList, RowLink } from '../design/cursor-list.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Facts } from '../design/facts.tsx';
import { textControl } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { Card, Page, Section } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { showFault, showToast } from '../design/toasts.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import styles from './people.module.css';
import { type Person, PersonForm } from './person-form.tsx';
import { TagChips } from './tags.tsx';
import { useNumberWords, usePeopleWords } from './texts.ts';

const path = '/api/v1/addressbooks/{book}/contacts/{id}';

export function NewPersonPage() {
  const words = usePeopleWords();
  const { book } = useParams({ from: '/people/$book/new' });
  const navigate = useNavigate();
  const make = useAct('/api/v1/addressbooks/{book}/contacts');
  return (
    <Page title={words.newPerson} width="narrow" back={<Back book={book} />}>
      <Card>
        <PersonForm
          draft={`person.${book}.new`}
          person={nobody}
          fault={make.error}
          busy={make.isPending}
          call={(fields) => ({
            method: 'POST',
            path: '/api/v1/addressbooks/{book}/contacts',
            parameters: { book, ...fields },
          })}
          save={(fields, done) =>
            make.mutate(
              { parameters: { book, ...fields } },
              {
                onSuccess: ({ id }, isShown) => {
                  done();
                  showToast({ text: words.made });
                  if (isShown) void navigate({ to: '/people/$book/person/$id', params: { book, id } });
                },
              },
            )
          }
        />
      </Card>
    </Page>
  );
}

const nobody = { name: '', tags: [] };

function Back({ book }: { readonly book: string }) {
  const words = usePeopleWords();
  return (
    <BackLink to="/people" search={{ book }}>
      {words.back}
    </BackLink>
  );
}

export function PersonPage() {
  const words = usePeopleWords();
  const { book, id } = useParams({ from: '/people/$book/person/$id' });
  const read = useRead(path, { book, id });
  const person = read.data;
  if (person !== undefined) return <OnePerson key={id} book={book} person={person} />;
  return (
    <Page title={words.title} back={<Back book={book} />}>
      <Answered read={read}>{() => null}</Answered>
    </Page>
  );
}

type StoredPerson = Person & { readonly id: string; readonly version: string; readonly managed: boolean };

function OnePerson({ book, person }: { readonly book: string; readonly person: StoredPerson }) {
  const words = usePeopleWords();
  const isAdministrator = hasOneOf(useSession(), ['companyAdmin']);
  const canChange = isAdministrator && !person.managed;
  return (
    <Page
      title={person.name === '' ? (person.phone ?? words.noName) : person.name}
      back={<Back book={book} />}
      actions={
        <>
          <Everything phone={person.phone} />
          {isAdministrator && <GroupJoining book={book} id={person.id} />}
          {canChange && (
            <Removal
              path={path}
              parameters={{ book, id: person.id }}
              label={words.remove}
              question={words.removeSure(`\u2068${person.name || (person.phone ?? words.noName)}\u2069`)}
              removed={words.removed}
              next={{ to: '/people', search: { book } }}
            />
          )}
        </>
      }
    >
      <div className={layout.columns}>
        <Card className={layout.stack}>
          {person.managed && <Notice>{words.managed}</Notice>}
          {canChange ? <Editing book={book} person={person} /> : <Shown person={person} />}
        </Card>
        <Messages phone={person.phone} />
      </div>
    </Page>
  );
}

function Shown({ person }: { readonly person: Person }) {
  const words = usePeopleWords();
  const { name, phone, email, app, externalId } = person;
  return (
    <Facts
      facts={[
        [words.name, name],
        [words.number, phone && <PhoneNumber key="phone" number={phone} />],
        [words.email, email],
        [words.externalId, externalId],
        [words.app, app],
        [words.tags, <TagChips key="tags" tags={person.tags} />],
      ]}
    />
  );
}

/** A change keeps the version that the typing began with, however often the page reads the person again. */
function Editing({ book, person }: { readonly book: string; readonly person: StoredPerson }) {
  const words = usePeopleWords();
  // Used until the page has read the person again.
  const [saved, setSaved] = useState<{ readonly person: StoredPerson; readonly over: StoredPerson }>();
  const change = useChange(path);
  const theirs =
    change.error?.code === 'changed_meanwhile' ? (change.error.body.contact as StoredPerson) : undefined;
  return (
    <PersonForm
      draft={`person.${book}.${person.id}`}
      person={saved?.over === person ? saved.person : person}
      fault={theirs === undefined ? change.error : null}
      busy={change.isPending}
      call={(fields) => ({ method: 'PATCH', path, parameters: { book, id: person.id, ...fields } })}
      save={(fields, done, version) =>
        change.mutate(
          { parameters: { book, id: person.id, ...fields }, version },
          {
            onSuccess: (changed) => {
              done();
              setSaved({ person: changed, over: person });
              showToast({ text: words.changed });
            },
          },
        )
      }
      {...(theirs !== undefined && { theirs, take: change.reset })}
    />
  );
}

/** Offers only groups that no provisioning file manages; nobody can be added to the others here. */
function GroupJoining({ book, id }: { readonly book: string; readonly id: string }) {
  const words = usePeopleWords();
  const groups =
    useRead('/api/v1/addressbooks/{book}/groups', { book, limit: 200 }, { live: ['groups'] }).data?.groups ??
    [];
  const own = groups.filter(({ managed }) => !managed);
  const change = useChange('/api/v1/addressbooks/{book}/groups/{name}');
  if (own.length === 0) return null;
  const join = (name: string) =>
    change.mutate(
      { parameters: { book, name, add: [`contact ${id}`] } },
      {
        onSuccess: () => showToast({ text: words.addedToGroup(name) }),
        onError: showFault,
      },
    );
  return (
    <select
      aria-label={words.addToGroup}
      className={`${textControl} ${styles.joining}`}
      value=""
      onChange={({ target }) => join(target.value)}
    >
      <option value="" disabled>
        {words.addToGroup}
      </option>
      {own.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

const readers = ['send', 'jobs', 'companyAdmin'] as const;

function Everything({ phone }: { readonly phone: string | undefined }) {
  const words = useNumberWords();
  const session = useSession();
  if (phone === undefined || !hasOneOf(session, readers)) return null;
  return (
    <ButtonLink to="/people/by-number/$number" params={{ number: phone }}>
      {words.toAll}
    </ButtonLink>
  );
}

function Messages({ phone }: { readonly phone: string | undefined }) {
  const words = usePeopleWords();
  const canRead = hasOneOf(useSession(), readers);
  const list = useList(
    '/api/v1/messages',
    'messages',
    { to: phone, limit: 10 },
    { live: ['messages'], enabled: phone !== undefined && canRead },
  );
  if (phone === undefined || !canRead) return null;
  return (
    <Section
      title={words.messages}
      actions={
        <ButtonLink small look="quiet" to="/conversations" search={{ search: phone }}>
          {words.toConversation}
        </ButtonLink>
      }
    >
      <CursorList
        label={words.messages}
        list={list}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon="messages" title={words.noMessages}>
            {words.noMessagesText}
          </EmptyState>
        }
        columns={[
          {
            title: words.accepted,
            place: 'main',
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
        ]}
      />
    </Section>
  );
}

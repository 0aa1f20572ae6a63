/** One user: the settings, where the user is signed in, the API keys, the SMPP login, and the end of the account. */
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct, useList, useRead, useRemoval } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { BackLink, Button, ButtonLink } from '../design/button.tsx';
import { ConfirmButton, Removal } from '../design/confirm-dialog.tsx';
import { CursorList, ItemTable } from '../design/cursor-list.tsx';
import { Facts } from '../design/facts.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Card, Page, Section } from '../design/page.tsx';
import { useRoleNames } from '../design/role-names.ts';
import { SecretOnce } from '../design/secret-once.tsx';
import { useStoredEdits } from '../design/stored-edits.tsx';
import { Time } from '../design/time.tsx';
import { showFault, showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import { useOwn } from './own.ts';
import { SmppLogin } from './smpp-login.tsx';
import { StateBadge, type User } from './state.tsx';
import { useUserWords } from './texts.ts';
import { fieldsOf, rowsOf, settingsOf, UserForm } from './user-form.tsx';

const path = '/api/v1/users/{id}';

export function UserPage() {
  const words = useUserWords();
  const { id } = useParams({ from: '/admin/users/$id' });
  const read = useRead(path, { id }, { live: ['users'] });
  const own = useOwn();
  const user = read.data;
  return (
    <Page
      title={user?.username ?? words.title}
      lead={user && <StateBadge user={user} />}
      back={<BackLink to="/admin/users">{words.back}</BackLink>}
      actions={user && <Actions user={user} />}
    >
      <Answered read={read}>
        {(shown) => (
          <Answered read={own}>
            {({ users: [administrator] }) =>
              administrator && <OneUser key={id} user={shown} own={administrator} />
            }
          </Answered>
        )}
      </Answered>
    </Page>
  );
}

function Actions({ user: { id, username } }: { readonly user: User }) {
  const words = useUserWords();
  return (
    <>
      <ButtonLink to="/messages" search={{ username }}>
        {words.sent}
      </ButtonLink>
      <ButtonLink to="/admin/users/new" search={{ like: id }}>
        {words.like}
      </ButtonLink>
    </>
  );
}

interface OneProps {
  readonly user: User;
  readonly own: User;
}

function OneUser({ user, own }: OneProps) {
  return (
    <div className={layout.columns}>
      <Card>
        <Editing user={user} own={own} />
      </Card>
      <div>
        <SignIn user={user} />
        <Keys id={user.id} />
        <SmppLogin user={user} />
        <Danger user={user} />
      </div>
    </div>
  );
}

/** A change keeps the version that the typing began with, however often the page reads the user again. */
function Editing({ user, own }: OneProps) {
  const words = useUserWords();
  const { username } = useSession();
  const { id, version } = user;
  const stored = fieldsOf(user);
  const roleNames = useRoleNames();
  const edits = useStoredEdits({
    path,
    of: { id },
    draft: `user.${id}.${username}`,
    stored,
    version,
    rows: (fields) => rowsOf(fields, words, roleNames),
  });
  const { save, call, conflict } = edits.saving(settingsOf(edits.fields, stored));
  return (
    <UserForm
      fields={edits.fields}
      change={edits.change}
      act={edits.act}
      submit={save}
      label={words.save}
      own={own}
      user={user}
      call={call}
      aside={edits.discard}
    >
      {conflict}
    </UserForm>
  );
}

function SignIn({ user }: { readonly user: User }) {
  const words = useUserWords();
  const { id, active, lastSignIn, username } = user;
  const sessions = useRead('/api/v1/users/{id}/sessions', { id }, { live: ['sessions'] });
  const removal = useRemoval('/api/v1/users/{id}/sessions');
  const own = useSession().username;
  const reset = useRemoval('/api/v1/users/{id}/factors');
  const release = useRemoval('/api/v1/users/{id}/identities');
  const providers = sessions.data?.identities.map(({ provider }) => provider).join(', ') ?? '';
  const others = sessions.data?.sessions.some(({ current }) => !current) === true;
  return (
    <Section
      title={words.signIn}
      actions={
        <span className={`${layout.row} ${layout.tight}`}>
          {active && <NewLink id={id} username={username} />}
          {username !== own && (
            <ConfirmButton
              small
              look="quiet"
              label={words.resetFactors}
              question={words.resetSure}
              act={reset}
              parameters={{ id }}
              done={({ removed }) => showToast({ text: removed ? words.factorsGone : words.noFactors })}
            />
          )}
          {others && (
            <ConfirmButton
              small
              look="quiet"
              label={words.endAll}
              question={words.endAllSure}
              act={removal}
              parameters={{ id }}
              done={({ ended }) => showToast({ text: words.ended(ended) })}
            />
          )}
        </span>
      }
    >
      <div className={layout.above}>
        <Facts
          facts={[
            [words.lastSignIn, lastSignIn === undefined ? words.never : <Time key="last" at={lastSignIn} />],
            ...(providers === '' ? [] : ([[words.knownBy, providers]] as const)),
          ]}
        />
        {providers !== '' && (
          <ConfirmButton
            small
            look="quiet"
            label={words.release}
            question={words.releaseSure}
            act={release}
            parameters={{ id }}
            done={() => showToast({ text: words.released })}
          />
        )}
      </div>
      <Answered read={sessions} rows={2}>
        {({ sessions: items }) =>
          items.length === 0 ? (
            <p className={layout.soft}>{words.nowhere}</p>
          ) : (
            <ItemTable
              label={words.signIn}
              items={items}
              keyOf={(session) => session.id}
              columns={[
                {
                  title: words.browser,
                  place: 'main',
                  cell: ({ browser, network, current }) => (
                    <>
                      {browser === '' ? words.unknownBrowser : browser}
                      <span className={layout.soft}>
                        {' · '}
                        {network}
                        {current && ` · ${words.here}`}
                      </span>
                    </>
                  ),
                },
                { title: words.used, place: 'aside', width: '7rem', cell: ({ used }) => <Time at={used} /> },
              ]}
            />
          )
        }
      </Answered>
    </Section>
  );
}

function NewLink({ id, username }: Pick<User, 'id' | 'username'>) {
  const words = useUserWords();
  const act = useAct('/api/v1/users/{id}/link');
  const [link, setLink] = useState<string>();
  const make = () =>
    act.mutate(
      { parameters: { id } },
      { onSuccess: (made, isShown) => isShown && setLink(made.link), onError: showFault },
    );
  return (
    <>
      <Button small busy={act.isPending} onClick={make}>
        {words.newLink}
      </Button>
      {link !== undefined && (
        <SecretOnce title={words.linkFor(username)} secret={link} close={() => setLink(undefined)}>
          {words.linkText}
        </SecretOnce>
      )}
    </>
  );
}

function Keys({ id }: Pick<User, 'id'>) {
  const words = useUserWords();
  const list = useList('/api/v1/users/{id}/apikeys', 'apiKeys', { id }, { live: ['apikeys'] });
  const act = useAct('/api/v1/users/{id}/apikeys/{key}/revoke');
  return (
    <Section title={words.keys}>
      <CursorList
        label={words.keys}
        list={list}
        keyOf={(key) => key.id}
        empty={<p className={layout.soft}>{words.noKeys}</p>}
        columns={[
          {
            title: words.key,
            place: 'main',
            cell: ({ name, state }) => (
              <>
                <bdi>{name}</bdi>
                {state !== 'enabled' && <span className={layout.soft}> · {words.keyStates[state]}</span>}
              </>
            ),
          },
          {
            title: words.used,
            place: 'below',
            width: '7rem',
            cell: ({ used }) => (used === undefined ? words.never : <Time at={used} />),
          },
          {
            title: words.acts,
            place: 'aside',
            width: '5rem',
            cell: ({ id: key, name, state }) =>
              state === 'enabled' && (
                <ConfirmButton
                  small
                  look="quiet"
                  label={words.revoke}
                  aria-label={`${words.revoke} ${name}`}
                  question={words.revokeSure}
                  act={act}
                  parameters={{ id, key }}
                  done={() => showToast({ text: words.revoked(name) })}
                />
              ),
          },
        ]}
      />
    </Section>
  );
}

function Danger({ user }: { readonly user: User }) {
  const words = useUserWords();
  const { id, username, active, managed, managedKeys } = user;
  const deactivate = useAct('/api/v1/users/{id}/deactivate');
  const activate = useAct('/api/v1/users/{id}/activate');
  if (useSession().username === username)
    return (
      <Section title={words.danger}>
        <p>{words.dangerOwn}</p>
      </Section>
    );
  const canClose = !managedKeys.includes('active');
  return (
    <Section title={words.danger}>
      <div className={`${layout.stack} ${layout.tight}`}>
        {managed && <Notice>{words.managedText}</Notice>}
        <FaultNotice fault={activate.error} />
        <div className={layout.row}>
          {canClose && active && (
            <ConfirmButton
              label={words.close}
              title={words.closeTitle(username)}
              question={words.closeSure}
              act={deactivate}
              parameters={{ id }}
              done={() => showToast({ text: words.closed(username) })}
            />
          )}
          {canClose && !active && (
            <Button
              busy={activate.isPending}
              onClick={() =>
                activate.mutate(
                  { parameters: { id } },
                  { onSuccess: () => showToast({ text: words.opened(username) }) },
                )
              }
            >
              {words.open}
            </Button>
          )}
          {!managed && (
            <Removal
              path={path}
              parameters={{ id }}
              label={words.remove}
              title={words.removeTitle(username)}
              question={words.removeSure}
              removed={words.removed(username)}
              next={{ to: '/admin/users' }}
            />
          )}
        </div>
      </div>
    </Section>
  );
}

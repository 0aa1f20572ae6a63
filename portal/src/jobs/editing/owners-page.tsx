/** The owners of saved jobs, and one of them: where the events of its jobs are posted, and the secret that signs them. */
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnswerOf } from '../../api/endpoints.ts';
import { useAct, useList, useRead } from '../../api/queries.ts';
import { Answered } from '../../design/answered.tsx';
import { BackLink, ButtonLink } from '../../design/button.tsx';
import { ConfirmButton, Removal } from '../../design/confirm-dialog.tsx';
import { RowLink } from '../../design/cursor-list.tsx';
import { CheckField, TextField } from '../../design/field.tsx';
import { Icon } from '../../design/icons.tsx';
import layout from '../../design/layout.module.css';
import { ManagedMark } from '../../design/managed-mark.tsx';
import { Page, Section } from '../../design/page.tsx';
import { ResourcePage } from '../../design/resource-page.tsx';
import { SecretOnce } from '../../design/secret-once.tsx';
import { NewForm, type Shown, StoredForm } from './edit-form.tsx';
import { Parts } from './saved-jobs-page.tsx';
import { useOwnerWords } from './texts.ts';

const all = '/api/v1/systemusers';
const path = '/api/v1/systemusers/{name}';

type Owner = AnswerOf<'GET', typeof path>;

export function OwnersPage() {
  const words = useOwnerWords();
  return (
    <ResourcePage
      title={words.title}
      lead={words.lead}
      make={
        <ButtonLink to="/admin/saved-jobs/owners/new" look="main" icon={<Icon name="plus" />}>
          {words.make}
        </ButtonLink>
      }
      above={<Parts />}
      list={useList(all, 'systemUsers', {}, { live: ['systemusers'] })}
      keyOf={({ name }) => name}
      none={{ icon: 'alarm', title: words.none, text: words.lead }}
      columns={[
        {
          title: words.name,
          place: 'main',
          cell: ({ name }) => (
            <RowLink to="/admin/saved-jobs/owners/$name" params={{ name }}>
              <bdi className={layout.wraps}>{name}</bdi>
            </RowLink>
          ),
        },
        {
          title: words.callback,
          place: 'below',
          cell: ({ callback: { url } }) => <bdi>{url === undefined ? words.nowhere : new URL(url).host}</bdi>,
        },
        {
          title: '',
          place: 'aside',
          width: '11rem',
          cell: ({ managed }) => managed && <ManagedMark name="systemUsers" />,
        },
      ]}
    />
  );
}

const events = ['JOB_WARNING', 'JOB_REPLY', 'JOB_ESCALATE', 'JOB_UNASSIGN'] as const;
type Event = (typeof events)[number];

interface Fields {
  readonly name: string;
  readonly posts: boolean;
  readonly url: string;
  readonly secret: string;
  readonly events: readonly Event[];
}

const blank: Fields = { name: '', posts: false, url: '', secret: '', events: [] };

function fieldsOf({ name, callback }: Owner): Fields {
  const { type, url = '', events } = callback;
  return { name, posts: type === 'POST', url, secret: '', events };
}

const callbackOf = ({ posts, url, secret, events }: Fields) =>
  posts ? { type: 'POST', url, secret, events } : { type: 'NONE' };

export function NewOwnerPage() {
  const words = useOwnerWords();
  const navigate = useNavigate();
  const [made, setMade] = useState<AnswerOf<'POST', typeof all>>();
  const leave = (name: string) => void navigate({ to: '/admin/saved-jobs/owners/$name', params: { name } });
  return (
    <Page title={words.make} width="narrow" back={<Back />}>
      <NewForm
        path={all}
        draft="systemuser.new"
        fields={blank}
        callOf={(fields) => ({ name: fields.name, callback: callbackOf(fields) })}
        done={(answer, isShown) => {
          if (answer.secret !== undefined) setMade(answer);
          else if (isShown) leave(answer.name);
        }}
      >
        {(shown) => (
          <>
            <TextField
              label={words.name}
              hint={words.nameHint}
              required
              maxLength={200}
              autoCapitalize="none"
              autoComplete="off"
              value={shown.fields.name}
              error={shown.fault?.of('name')}
              onChange={({ target }) => shown.set({ name: target.value })}
            />
            <CallbackFields {...shown} isManaged={false} />
          </>
        )}
      </NewForm>
      {made?.secret !== undefined && (
        <Secret name={made.name} secret={made.secret} close={() => leave(made.name)} />
      )}
    </Page>
  );
}

export function OwnerPage() {
  const { name } = useParams({ from: '/admin/saved-jobs/owners/$name' });
  const read = useRead(path, { name }, { live: ['systemusers'] });
  return (
    <Page title={name} width="narrow" back={<Back />}>
      <Answered read={read}>{(owner) => <One key={name} owner={owner} />}</Answered>
    </Page>
  );
}

function One({ owner }: { readonly owner: Owner }) {
  const words = useOwnerWords();
  const { name, managed, managedKeys, callback } = owner;
  const [secret, setSecret] = useState<string>();
  const rotate = useAct('/api/v1/webhooks/{id}/rotate');
  const isManaged = managedKeys.includes('callback');
  const { webhookId } = callback;
  return (
    <div className={`${layout.stack} ${layout.loose}`}>
      <StoredForm
        path={path}
        of={{ name }}
        draft={`systemuser.${name}`}
        version={owner.version}
        fields={fieldsOf(owner)}
        callOf={(fields) => ({ callback: callbackOf(fields) })}
        rows={(fields) => [
          [words.url, fields.posts ? fields.url : words.nowhere],
          [words.events, fields.events.map((one) => words.eventNames[one]).join(', ')],
        ]}
        done={(answer) => setSecret(answer.secret)}
      >
        {(shown) => <CallbackFields {...shown} isManaged={isManaged} />}
      </StoredForm>
      {webhookId !== undefined && (
        <Section title={words.signing}>
          <div className={layout.stack}>
            <p>{callback.isSigned ? words.signed : words.unsigned}</p>
            <div className={layout.row}>
              {!isManaged && (
                <ConfirmButton
                  look="plain"
                  label={words.rotate}
                  question={words.rotateSure}
                  act={rotate}
                  parameters={{ id: webhookId }}
                  done={(answer) => setSecret(answer.secret)}
                />
              )}
              <Link to="/admin/webhooks/$id" params={{ id: webhookId }}>
                {words.attempts}
              </Link>
            </div>
          </div>
        </Section>
      )}
      {!managed && (
        <Removal
          path={path}
          parameters={{ name }}
          label={words.remove}
          question={words.removeSure}
          removed={words.removed(name)}
          next={{ to: '/admin/saved-jobs/owners' }}
        />
      )}
      {secret !== undefined && <Secret name={name} secret={secret} close={() => setSecret(undefined)} />}
    </div>
  );
}

function Back() {
  return <BackLink to="/admin/saved-jobs/owners">{useOwnerWords().title}</BackLink>;
}

interface SecretProps {
  readonly name: string;
  readonly secret: string;
  readonly close: () => void;
}

function Secret({ name, ...shown }: SecretProps) {
  const words = useOwnerWords();
  return (
    <SecretOnce title={words.secretTitle(name)} {...shown}>
      {words.secretText}
    </SecretOnce>
  );
}

function CallbackFields({ fields, set, fault, isManaged }: Shown<Fields> & { readonly isManaged: boolean }) {
  const words = useOwnerWords();
  return (
    <fieldset className={layout.stack} disabled={isManaged}>
      <legend>
        {words.callback} {isManaged && <ManagedMark name="callback" />}
      </legend>
      <CheckField
        label={words.posts}
        hint={words.postsHint}
        checked={fields.posts}
        onChange={({ target }) => set({ posts: target.checked })}
      />
      {fields.posts && (
        <>
          <TextField
            label={words.url}
            type="url"
            required
            maxLength={2_000}
            value={fields.url}
            error={fault?.of('callback.url')}
            onChange={({ target }) => set({ url: target.value })}
          />
          <TextField
            label={words.secret}
            hint={words.secretHint}
            optional
            maxLength={100}
            autoComplete="off"
            value={fields.secret}
            error={fault?.of('callback.secret')}
            onChange={({ target }) => set({ secret: target.value })}
          />
          {events.map((one) => (
            <CheckField
              key={one}
              label={words.eventNames[one]}
              checked={fields.events.includes(one)}
              onChange={({ target }) =>
                set({
                  events: events.filter((event) =>
                    event === one ? target.checked : fields.events.includes(event),
                  ),
                })
              }
            />
          ))}
        </>
      )}
    </fieldset>
  );
}

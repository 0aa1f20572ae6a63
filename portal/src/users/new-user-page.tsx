/** Makes a user, and shows the link with which the user chooses a password. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct, useRead } from '../api/queries.ts';
import { useEdits } from '../browser/draft.ts';
import { Answered } from '../design/answered.tsx';
import { BackLink, Button, ButtonLink } from '../design/button.tsx';
import { SelectField } from '../design/field.tsx';
import { Notice } from '../design/notice.tsx';
import { Card, Page } from '../design/page.tsx';
import { SecretOnce } from '../design/secret-once.tsx';
import { showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import { useOwn } from './own.ts';
import type { User } from './state.tsx';
import { useUserWords } from './texts.ts';
import { fieldsOf, settingsOf, type UserFields, UserForm } from './user-form.tsx';

export function NewUserPage() {
  const words = useUserWords();
  const { like } = useSearch({ from: '/admin/users/new' });
  const read = useOwn();
  return (
    <Page title={words.make} width="narrow" back={<BackLink to="/admin/users">{words.back}</BackLink>}>
      <Answered read={read}>
        {({ users: [own] }) =>
          own && (like === undefined ? <Making own={own} /> : <MakingLike own={own} like={like} />)
        }
      </Answered>
    </Page>
  );
}

function MakingLike({ own, like }: { readonly own: User; readonly like: string }) {
  const read = useRead('/api/v1/users/{id}', { id: like });
  return <Answered read={read}>{(user) => <Making key={user.id} own={own} like={user} />}</Answered>;
}

/** A new user begins with the limits of the administrator, or with everything that another user has. */
function blankLike(own: User, like: User | undefined): UserFields {
  const fields = { ...fieldsOf(like ?? own), name: '', email: '' };
  if (like === undefined)
    return { ...fields, roles: [], defaultSender: '', replaceCharacters: false, smtpSplit: false };
  const mayGive = (role: User['roles'][number]) => own.roles.includes(role) || role === 'emailAdmin';
  return { ...fields, roles: fields.roles.filter(mayGive) };
}

function Making({ own, like }: { readonly own: User; readonly like?: User }) {
  const words = useUserWords();
  const navigate = useNavigate();
  const { username } = useSession();
  const edits = useEdits(
    `user.new.${username}${like === undefined ? '' : `.${like.id}`}`,
    blankLike(own, like),
  );
  const act = useAct('/api/v1/users');
  // The name of an attempt that was not answered: the user may exist.
  const [unanswered, setUnanswered] = useState<string>();
  const [made, setMade] = useState<{
    readonly id: string;
    readonly username: string;
    readonly link: string;
  }>();
  const { fields } = edits;
  const parameters = { name: fields.name.trim(), ...settingsOf(fields) };
  const submit = () =>
    act.mutate(
      { parameters },
      {
        onSuccess(user, isShown) {
          edits.saved();
          if (isShown) setMade(user);
          else showToast({ text: words.madeWithout(user.username), lastsMs: 60_000 });
        },
        onError: ({ status }) => status === 0 && setUnanswered(parameters.name),
      },
    );
  const isPerhapsMade = act.error?.code === 'name_taken' && unanswered === parameters.name;
  return (
    <Card>
      <UserForm
        fields={fields}
        change={edits.change}
        act={act}
        submit={submit}
        label={words.makeIt}
        own={own}
        call={{ method: 'POST', path: '/api/v1/users', parameters }}
        aside={
          edits.isTouched && (
            <Button look="quiet" onClick={edits.drop}>
              {words.drop}
            </Button>
          )
        }
      >
        {isPerhapsMade && (
          <Notice
            tone="warning"
            action={
              <ButtonLink small to="/admin/users" search={{ q: parameters.name }}>
                {words.look}
              </ButtonLink>
            }
          >
            {words.perhapsMade}
          </Notice>
        )}
        <CopyFrom like={like} own={own} change={edits.change} />
      </UserForm>
      {made !== undefined && (
        <SecretOnce
          title={words.linkFor(made.username)}
          secret={made.link}
          close={() => void navigate({ to: '/admin/users/$id', params: { id: made.id } })}
        >
          {words.linkText}
        </SecretOnce>
      )}
    </Card>
  );
}

interface CopyFromProps {
  readonly like: User | undefined;
  readonly own: User;
  readonly change: (next: (before: UserFields) => UserFields) => void;
}

/** Offers the first users by name; others are copied from their own pages. Name and address stay as typed. */
function CopyFrom({ like, own, change }: CopyFromProps) {
  const words = useUserWords();
  const [chosen, setChosen] = useState(like?.id ?? '');
  const listed = useRead('/api/v1/users', { limit: 200 }).data?.users ?? [];
  const users = like === undefined || listed.some(({ id }) => id === like.id) ? listed : [like, ...listed];
  const choose = (id: string) => {
    setChosen(id);
    const copied = blankLike(
      own,
      users.find((user) => user.id === id),
    );
    change(({ name, email }) => ({ ...copied, name, email }));
  };
  return (
    <SelectField label={words.copyFrom} value={chosen} onChange={({ target }) => choose(target.value)}>
      <option value="">{words.nobody}</option>
      {users.map(({ id, username }) => (
        <option key={id} value={id}>
          {username}
        </option>
      ))}
    </SelectField>
  );
}

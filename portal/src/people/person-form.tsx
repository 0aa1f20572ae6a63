/** The form of a person. What is typed is kept until it is saved; what somebody else saved meanwhile stands beside it. */
import type { FormEvent } from 'react';
import type { CurlCall } from '../api/as-curl.ts';
import type { Fault } from '../api/fault.ts';
import { useDraft } from '../browser/draft.ts';
import { AsCurl } from '../design/as-curl.tsx';
import { Button } from '../design/button.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { useSession } from '../session/session.ts';
import styles from './people.module.css';
import type { Tag } from './tag-chips.tsx';
import { TagEditor } from './tag-editor.tsx';
import { usePeopleWords } from './texts.ts';

export interface Person {
  readonly name: string;
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  readonly app?: string | undefined;
  readonly externalId?: string | undefined;
  readonly tags: readonly Tag[];
}

/** As they are sent: an empty text clears. */
type Fields = Readonly<Record<'name' | 'phone' | 'email' | 'app' | 'externalId', string>> & {
  readonly tags: readonly { readonly type: string; readonly value: string }[];
};

function fieldsOf({ name, phone = '', email = '', app = '', externalId = '', tags }: Person): Fields {
  return { name, phone, email, app, externalId, tags: tags.map(({ type, value }) => ({ type, value })) };
}

interface Draft {
  readonly fields: Fields;
  /** Of what the typing began with; undefined: of nothing, the person is new. */
  readonly version?: string | undefined;
}

interface PersonFormProps {
  /** By which what is typed is kept. */
  readonly draft: string;
  readonly person: Person & { readonly version?: string | undefined };
  readonly fault: Fault | null;
  readonly busy: boolean;
  readonly call: (fields: Fields) => CurlCall;
  /** Calls `done` when it is saved. `version`: of what the change is of. */
  readonly save: (fields: Fields, done: () => void, version: string | undefined) => void;
  /** What somebody else has saved since the form began. */
  readonly theirs?: Person & { readonly version: string };
  readonly take?: () => void;
}

export function PersonForm({ draft: name, person, fault, busy, call, save, theirs, take }: PersonFormProps) {
  const words = usePeopleWords();
  const { username } = useSession();
  const [typed, write, forget] = useDraft<Draft | null>(`${name}.${username}`, null);
  const { fields, version } = typed ?? { fields: fieldsOf(person), version: person.version };
  const change = (next: Fields) => write({ fields: next, version });
  const set = (field: keyof Fields) => ({
    value: fields[field] as string,
    dir: 'auto',
    error: fault?.of(field),
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      change({ ...fields, [field]: target.value }),
  });
  const done = () => forget(typed ?? undefined);
  const drop = () => {
    forget();
    take?.();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save(fields, done, version);
  };
  return (
    <form className={layout.stack} onSubmit={submit}>
      {theirs !== undefined && (
        <Difference
          mine={fields}
          theirs={fieldsOf(theirs)}
          keep={() => save(fields, done, theirs.version)}
          take={drop}
        />
      )}
      <TextField label={words.name} autoComplete="off" maxLength={200} {...set('name')} />
      <TextField
        label={words.number}
        hint={words.numberHint}
        type="tel"
        autoComplete="off"
        {...set('phone')}
      />
      <TextField label={words.email} optional type="email" autoComplete="off" {...set('email')} />
      <TagEditor tags={fields.tags} change={(tags) => change({ ...fields, tags })} />
      <TextField label={words.externalId} hint={words.externalIdHint} optional {...set('externalId')} />
      <TextField label={words.app} optional {...set('app')} />
      <FaultNotice fault={fault} />
      <div className={layout.buttons}>
        <Button type="submit" look="main" busy={busy}>
          {words.save}
        </Button>
        {typed !== null && <Unsaved drop={drop} />}
      </div>
      <AsCurl call={{ ...call(fields), version }} username={username} />
    </form>
  );
}

function Unsaved({ drop }: { readonly drop: () => void }) {
  const words = usePeopleWords();
  return (
    <>
      <Button look="quiet" onClick={drop}>
        {words.dropDraft}
      </Button>
      <span>{words.notSaved}</span>
    </>
  );
}

interface DifferenceProps {
  readonly mine: Fields;
  readonly theirs: Fields;
  readonly keep: () => void;
  readonly take: () => void;
}

/** Both, field by field, where they differ. */
function Difference({ mine, theirs, keep, take }: DifferenceProps) {
  const words = usePeopleWords();
  const titles = {
    name: words.name,
    phone: words.number,
    email: words.email,
    externalId: words.externalId,
    app: words.app,
    tags: words.tags,
  };
  const textOf = (fields: Fields, name: keyof Fields) =>
    name === 'tags'
      ? fields.tags.map(({ type, value }) => `${type}:${value}`).join(', ')
      : (fields[name] as string);
  const differing = (Object.keys(titles) as (keyof Fields)[]).filter(
    (name) => textOf(mine, name) !== textOf(theirs, name),
  );
  return (
    <div role="alert">
      <Notice tone="warning">
        <strong>{words.somebodyFirst}</strong>
        <p>{words.somebodyFirstText}</p>
        <table className={styles.difference}>
          <thead>
            <tr>
              <td />
              <th scope="col">{words.yours}</th>
              <th scope="col">{words.theirs}</th>
            </tr>
          </thead>
          <tbody>
            {differing.map((name) => (
              <tr key={name}>
                <th scope="row">{titles[name]}</th>
                <td>
                  <bdi>{textOf(mine, name)}</bdi>
                </td>
                <td>
                  <bdi>{textOf(theirs, name)}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <div className={layout.buttons}>
          <Button onClick={take}>{words.takeTheirs}</Button>
          <Button onClick={keep}>{words.keepMine}</Button>
        </div>
      </Notice>
    </div>
  );
}

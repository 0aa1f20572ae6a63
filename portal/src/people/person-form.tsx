/**
 * The form of a person. Typed values are kept until they are saved, and what another user saved meanwhile is shown
 * beside them.
 */
import type { CurlCall } from '../api/as-curl.ts';
import type { Fault } from '../api/fault.ts';
import { useEdits } from '../browser/draft.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Button } from '../design/button.tsx';
import { Conflict } from '../design/conflict.tsx';
import { TextField } from '../design/field.tsx';
import { useSession } from '../session/session.ts';
import { type Tag, TagEditor } from './tags.tsx';
import { usePeopleWords } from './texts.ts';

export interface Person {
  readonly name: string;
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  readonly app?: string | undefined;
  readonly externalId?: string | undefined;
  readonly tags: readonly Tag[];
}

/** The fields as they are sent; an empty text clears a field. */
type Fields = Readonly<Record<'name' | 'phone' | 'email' | 'app' | 'externalId', string>> & {
  readonly tags: readonly { readonly type: string; readonly value: string }[];
};

function fieldsOf({ name, phone = '', email = '', app = '', externalId = '', tags }: Person): Fields {
  return { name, phone, email, app, externalId, tags: tags.map(({ type, value }) => ({ type, value })) };
}

interface PersonFormProps {
  /** The name under which the typed values are kept. */
  readonly draft: string;
  readonly person: Person & { readonly version?: string | undefined };
  readonly fault: Fault | null;
  readonly busy: boolean;
  readonly call: (fields: Fields) => CurlCall;
  /** Calls `done` once the person is saved. `version` is the version that the change is based on. */
  readonly save: (fields: Fields, done: () => void, version: string | undefined) => void;
  /** What another user has saved since the form was opened. */
  readonly theirs?: Person & { readonly version: string };
  readonly take?: () => void;
}

export function PersonForm({ draft, person, fault, busy, call, save, theirs, take }: PersonFormProps) {
  const words = usePeopleWords();
  const { username, company } = useSession();
  const edits = useEdits(`${draft}.${username}`, fieldsOf(person), person.version);
  const { fields, version, change } = edits;
  const form = formOf({ error: fault, isPending: busy }, [fields, change]);
  const text = (name: Exclude<keyof Fields, 'tags'>) => ({ ...form.field(name), dir: 'auto' });
  const drop = () => {
    edits.drop();
    take?.();
  };
  return (
    <ActForm
      form={form}
      submit={() => save(fields, edits.saved, version)}
      label={words.save}
      aside={edits.isTouched && <Unsaved drop={drop} />}
      call={{ ...call(fields), version }}
    >
      {theirs !== undefined && (
        <Conflict
          fields={differing(fields, fieldsOf(theirs), words)}
          take={[words.takeTheirs, drop]}
          keep={[words.keepMine, () => save(fields, edits.saved, theirs.version)]}
          busy={busy}
        >
          <strong>{words.somebodyFirst}</strong>
          <p>{words.somebodyFirstText}</p>
        </Conflict>
      )}
      <TextField label={words.name} autoComplete="off" maxLength={200} {...text('name')} />
      <TextField
        label={words.number}
        hint={words.numberHint(company.countryCode)}
        type="tel"
        autoComplete="off"
        {...text('phone')}
      />
      <TextField label={words.email} optional type="email" autoComplete="off" {...text('email')} />
      <TagEditor tags={fields.tags} change={(tags) => change((before) => ({ ...before, tags }))} />
      <TextField label={words.externalId} hint={words.externalIdHint} optional {...text('externalId')} />
      <TextField label={words.app} optional {...text('app')} />
    </ActForm>
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

/** Both versions, field by field. */
function differing(mine: Fields, theirs: Fields, words: ReturnType<typeof usePeopleWords>) {
  const tagsOf = ({ tags }: Fields) => tags.map(({ type, value }) => `${type}:${value}`).join(', ');
  return [
    [words.name, mine.name, theirs.name],
    [words.number, mine.phone, theirs.phone],
    [words.email, mine.email, theirs.email],
    [words.externalId, mine.externalId, theirs.externalId],
    [words.app, mine.app, theirs.app],
    [words.tags, tagsOf(mine), tagsOf(theirs)],
  ] as const;
}

/** The company's address books: made, renamed and removed, with who may read each and whose default it is. */
import { useId, useState } from 'react';
import { useCompanyUsers } from '../api/company-users.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, useChange, useList, useRead, useRemoval } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Answered } from '../design/answered.tsx';
import { Button } from '../design/button.tsx';
import { DialogButton } from '../design/confirm-dialog.tsx';
import { Conflict } from '../design/conflict.tsx';
import { RowLink } from '../design/cursor-list.tsx';
import { Dialog } from '../design/dialog.tsx';
import { FaultText } from '../design/fault-text.tsx';
import { CheckField, TextField } from '../design/field.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { ManagedMark } from '../design/managed-mark.tsx';
import { FaultNotice } from '../design/notice.tsx';
import { ResourcePage } from '../design/resource-page.tsx';
import { showToast } from '../design/toasts.tsx';
import { useNumbers } from '../words/words.ts';
import styles from './books.module.css';
import { useBookWords } from './texts.ts';

const all = '/api/v1/addressbooks';
const path = '/api/v1/addressbooks/{book}';

type Listed = AnswerOf<'GET', typeof all>['addressBooks'][number];
type Book = AnswerOf<'GET', typeof path>;

/** The server counts contacts no further than to one more. */
const maxCounted = 10_000;

export function BooksPage() {
  const words = useBookWords();
  // The page keeps the chosen book, because its row changes or goes while a dialog is open.
  const [changed, change] = useState<Listed>();
  const [removed, remove] = useState<Listed>();
  return (
    <>
      <ResourcePage
        title={words.title}
        lead={words.lead}
        make={
          <DialogButton look="main" icon={<Icon name="plus" />} label={words.make}>
            {(close) => (
              <Dialog title={words.make} close={close}>
                <BookForm close={close} />
              </Dialog>
            )}
          </DialogButton>
        }
        list={useList(all, 'addressBooks', {}, { live: ['addressbooks', 'users'] })}
        keyOf={({ id }) => id}
        none={{ icon: 'people', title: words.none, text: words.noneText }}
        columns={[
          {
            title: words.book,
            place: 'main',
            cell: ({ id, name }) => (
              <RowLink to="/people" search={{ book: id }}>
                <bdi className={layout.wraps}>{name}</bdi>
              </RowLink>
            ),
          },
          {
            title: words.readBy,
            place: 'below',
            cell: ({ readerCount = 0 }) =>
              readerCount === 0 ? (
                <span className={layout.soft}>{words.onlyAdministrators}</span>
              ) : (
                words.users(readerCount)
              ),
          },
          {
            title: words.acts,
            place: 'aside',
            width: '13.5rem',
            cell: (book) => <Acts book={book} change={() => change(book)} remove={() => remove(book)} />,
          },
        ]}
      />
      {changed !== undefined && <ChangeDialog listed={changed} close={() => change(undefined)} />}
      {removed !== undefined && <RemoveDialog listed={removed} close={() => remove(undefined)} />}
    </>
  );
}

interface ActsProps {
  readonly book: Listed;
  readonly change: () => void;
  readonly remove: () => void;
}

function Acts({ book: { name, managed }, change, remove }: ActsProps) {
  const words = useBookWords();
  return (
    <div className={`${layout.row} ${layout.tight}`}>
      <Button small onClick={change} aria-label={words.changeBook(name)}>
        {words.change}
      </Button>
      {managed ? (
        <ManagedMark name="addressBooks" />
      ) : (
        <Button small look="quiet" onClick={remove} aria-label={words.removeBook(name)}>
          {words.remove}
        </Button>
      )}
    </div>
  );
}

interface DialogProps {
  readonly listed: Listed;
  readonly close: () => void;
}

function ChangeDialog({ listed: { id, name }, close }: DialogProps) {
  const words = useBookWords();
  const read = useRead(path, { book: id }, { live: ['addressbooks'] });
  return (
    <Dialog title={words.changeBook(name)} close={close}>
      <Answered read={read} rows={4}>
        {(book) => <BookForm book={book} close={close} />}
      </Answered>
    </Dialog>
  );
}

interface Fields {
  readonly name: string;
  readonly readers: readonly string[];
  readonly defaultOf: readonly string[];
}

function fieldsOf({ name = '', readers = [], defaultOf = [] }: Partial<Book> = {}): Fields {
  return { name, readers, defaultOf };
}

const isSame = (one: readonly string[], other: readonly string[]) =>
  [...one].sort().join('\n') === [...other].sort().join('\n');

/** Only what differs is sent, so that what a provisioning file sets is left alone. */
function changesOf({ name, readers, defaultOf }: Fields, before: Fields): Partial<Fields> {
  return {
    ...(name.trim() === before.name ? {} : { name: name.trim() }),
    ...(isSame(readers, before.readers) ? {} : { readers }),
    ...(isSame(defaultOf, before.defaultOf) ? {} : { defaultOf }),
  };
}

/** Without a book, a new one is made. */
function BookForm({ book, close }: { readonly book?: Book; readonly close: () => void }) {
  const words = useBookWords();
  const make = useAct(all);
  const change = useChange(path);
  const stored = fieldsOf(book);
  const [fields, set] = useState(stored);
  // What was changed is based on the version that was shown when the dialog opened.
  const [version, setVersion] = useState(book?.version);
  const [basis, setBasis] = useState(stored);
  const form = formOf(book === undefined ? make : change, [fields, set]);
  const changes = changesOf(fields, basis);
  const onSuccess = ({ name }: { readonly name: string }) => {
    close();
    showToast({ text: book === undefined ? words.made(name) : words.saved(name) });
  };
  const save = (over = version) => {
    if (book === undefined) make.mutate({ parameters: { ...changes, name: fields.name } }, { onSuccess });
    else change.mutate({ parameters: { book: book.id, ...changes }, version: over }, { onSuccess });
  };
  const takeTheirs = () => {
    set(stored);
    setBasis(stored);
    setVersion(book?.version);
    change.reset();
  };
  const isBehind = book !== undefined && book.version !== version && !change.isSuccess;
  const isManaged = book?.managed === true;
  const call =
    book === undefined
      ? { method: 'POST' as const, path: all, parameters: { ...changes, name: fields.name } }
      : { method: 'PATCH' as const, path, parameters: { book: book.id, ...changes }, version };
  return (
    <ActForm
      form={form}
      submit={() => save()}
      label={book === undefined ? words.make : words.save}
      lacks={isBehind || (book !== undefined && Object.keys(changes).length === 0)}
      close={close}
      call={call}
    >
      {isBehind && (
        <Conflict
          fields={[
            [words.name, fields.name, stored.name],
            [words.readers, fields.readers.join(', '), stored.readers.join(', ')],
            [words.isDefault, fields.defaultOf.join(', '), stored.defaultOf.join(', ')],
          ]}
          take={[words.takeTheirs, takeTheirs]}
          keep={[words.keepMine, () => save(book.version)]}
          busy={change.isPending}
        >
          {words.somebodyFirst}
        </Conflict>
      )}
      <TextField
        label={words.name}
        required
        autoFocus
        maxLength={100}
        dir="auto"
        disabled={isManaged}
        hint={isManaged && <ManagedMark name="name" />}
        {...form.field('name')}
      />
      <Readers form={form} />
    </ActForm>
  );
}

/** From so many users on, they can be searched by name. */
const manyUsers = 10;
/** More than these have to be searched. */
const maxShown = 100;

function Readers({ form }: { readonly form: ReturnType<typeof formOf<Fields>> }) {
  const words = useBookWords();
  const id = useId();
  const users = useCompanyUsers();
  const [sought, seek] = useState('');
  const { values } = form;
  const managed = new Map(users.all.map(({ username, managedKeys }) => [username, managedKeys]));
  const names = [...new Set([...users.all.map(({ username }) => username), ...values.readers])];
  const found = names.filter((name) => name.toLowerCase().includes(sought.trim().toLowerCase()));
  const fault = form.field('readers').error ?? form.field('defaultOf').error;
  const toggle = (list: 'readers' | 'defaultOf', name: string) => {
    const { readers, defaultOf } = values;
    const without = {
      readers: readers.filter((one) => one !== name),
      defaultOf: defaultOf.filter((one) => one !== name),
    };
    const has = values[list].includes(name);
    if (list === 'readers')
      form.set(has ? { ...values, ...without } : { ...values, readers: [...readers, name] });
    else form.set({ ...values, defaultOf: has ? without.defaultOf : [...defaultOf, name] });
  };
  return (
    <fieldset className={`${layout.stack} ${layout.close}`} aria-describedby={id}>
      <legend>{words.readers}</legend>
      <div id={id} className={layout.soft}>
        {words.readersHint}
      </div>
      {names.length > manyUsers && (
        <TextField
          type="search"
          label={words.find}
          value={sought}
          maxLength={100}
          dir="auto"
          onChange={({ target }) => seek(target.value)}
        />
      )}
      <ul className={styles.users}>
        {found.slice(0, maxShown).map((name) => (
          <Reader
            key={name}
            name={name}
            isReader={values.readers.includes(name)}
            isDefault={values.defaultOf.includes(name)}
            managedKeys={managed.get(name) ?? []}
            toggle={toggle}
          />
        ))}
      </ul>
      {sought !== '' && found.length === 0 && <p className={layout.soft}>{words.nobodyFound}</p>}
      {fault && (
        <div className={layout.soft} data-tone="failed" role="alert">
          <FaultText fault={fault} />
        </div>
      )}
      <FaultNotice fault={users.fault} tryAgain={users.tryAgain} />
    </fieldset>
  );
}

interface ReaderProps {
  readonly name: string;
  readonly isReader: boolean;
  readonly isDefault: boolean;
  readonly managedKeys: readonly string[];
  readonly toggle: (list: 'readers' | 'defaultOf', name: string) => void;
}

function Reader({ name, isReader, isDefault, managedKeys, toggle }: ReaderProps) {
  const words = useBookWords();
  const setsDefault = managedKeys.includes('defaultAddressBook');
  const setsReading = managedKeys.includes('addressBooks') || (isDefault && setsDefault);
  return (
    <li className={`${layout.row} ${layout.apart}`}>
      <CheckField
        label={<bdi className={layout.wraps}>{name}</bdi>}
        checked={isReader}
        disabled={setsReading}
        onChange={() => toggle('readers', name)}
      />
      {(setsReading || setsDefault) && (
        <ManagedMark name={setsReading ? 'addressBooks' : 'defaultAddressBook'} />
      )}
      {isReader && (
        <CheckField
          label={words.isDefault}
          aria-label={words.defaultOf(name)}
          checked={isDefault}
          disabled={setsDefault}
          onChange={() => toggle('defaultOf', name)}
        />
      )}
    </li>
  );
}

function RemoveDialog({ listed: { id, name }, close }: DialogProps) {
  const words = useBookWords();
  const read = useRead(path, { book: id });
  return (
    <Dialog title={words.removeBook(name)} close={close}>
      <Answered read={read} rows={2}>
        {(book) => <RemoveForm book={book} close={close} />}
      </Answered>
    </Dialog>
  );
}

function RemoveForm({ book, close }: { readonly book: Book; readonly close: () => void }) {
  const words = useBookWords();
  const written = useNumbers();
  const removal = useRemoval(path);
  const [isSure, setSure] = useState(false);
  const { id, name, contacts } = book;
  const parameters = contacts === 0 ? { book: id } : { book: id, withContacts: isSure };
  const onSuccess = () => {
    close();
    showToast({ text: words.removed(name) });
  };
  return (
    <ActForm
      form={{ isPending: removal.isPending, fault: removal.error }}
      submit={() => removal.mutate({ parameters }, { onSuccess })}
      label={words.remove}
      look="danger"
      lacks={contacts > 0 && !isSure}
      close={close}
      call={{ method: 'DELETE', path, parameters }}
    >
      <p>{words.removeSure}</p>
      {contacts > 0 && (
        <CheckField
          label={contacts > maxCounted ? words.withMany(written(maxCounted)) : words.withPeople(contacts)}
          checked={isSure}
          onChange={() => setSure(!isSure)}
        />
      )}
    </ActForm>
  );
}

/** Who wants no SMS, SMS that may mean so, and adding, removing, importing and exporting opt-outs. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { fileAddress, postFile } from '../api/client.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import type { Fault } from '../api/fault.ts';
import { useAct, useList, useRemoval } from '../api/queries.ts';
import { useTypedSearch } from '../browser/typed-search.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Button } from '../design/button.tsx';
import { DialogButton } from '../design/confirm-dialog.tsx';
import { CursorList } from '../design/cursor-list.tsx';
import { Dialog } from '../design/dialog.tsx';
import { DownloadLink } from '../design/download-link.tsx';
import { SelectField, TextField } from '../design/field.tsx';
import { FileDrop } from '../design/file-drop.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Section } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { ResourcePage } from '../design/resource-page.tsx';
import { Time } from '../design/time.tsx';
import { showToast } from '../design/toasts.tsx';
import { language } from '../words/language.ts';
import { groupedNumber } from '../words/numbers.ts';
import { useOptOutWords } from './texts.ts';

const route = getRouteApi('/admin/opt-outs');
const path = '/api/v1/optouts';
const live = { live: ['optouts'] };

type OptOut = AnswerOf<'GET', typeof path>['optOuts'][number];
type NearMiss = AnswerOf<'GET', `${typeof path}/nearmisses`>['nearMisses'][number];
type Filters = ReturnType<typeof route.useSearch>;
type Category = OptOut['category'];
type Source = OptOut['source'];

export function OptOutsPage() {
  const words = useOptOutWords();
  const filters = route.useSearch();
  const among = parametersOf(filters);
  const isNarrowed = Object.keys(filters).length > 0;
  return (
    <ResourcePage
      title={words.title}
      lead={words.lead}
      actions={
        <DialogButton look="main" icon={<Icon name="plus" />} label={words.add}>
          {(close) => <AddDialog close={close} />}
        </DialogButton>
      }
      above={
        <>
          <NearMisses />
          <Narrowing filters={filters} />
          <div className={`${layout.row} ${layout.tight}`}>
            <DownloadLink href={fileAddress(`${path}.csv`, { ...among, language })}>
              {words.csvOut}
            </DownloadLink>
            <DialogButton label={words.csvIn} icon={<Icon name="upload" size={16} />}>
              {(close) => <ImportDialog close={close} />}
            </DialogButton>
          </div>
        </>
      }
      list={useList(path, 'optOuts', among, live)}
      keyOf={({ id }) => id}
      none={
        isNarrowed
          ? { icon: 'search', title: words.nothing, text: words.nothingText }
          : { icon: 'stop', title: words.none, text: words.noneText }
      }
      columns={[
        { title: words.number, place: 'main', cell: (one) => <Who {...one} /> },
        {
          title: words.category,
          place: 'below',
          width: '8rem',
          cell: ({ category }) => words.categories[category],
        },
        {
          title: words.since,
          place: 'below',
          isNamed: true,
          width: '8rem',
          cell: ({ since }) => <Time at={since} />,
        },
        {
          title: words.proof,
          place: 'below',
          isNamed: true,
          width: 'minmax(0, 2fr)',
          cell: ({ proof, source, addedBy }) => (
            <>
              <span className={layout.wraps} dir="auto">
                {proof}
              </span>
              <div className={layout.soft}>
                {words.sources[source]} <bdi>{addedBy}</bdi>
              </div>
            </>
          ),
        },
        {
          title: words.acts,
          place: 'aside',
          width: '7rem',
          cell: (one) => (
            <DialogButton small label={words.remove} aria-label={words.removeOf(nameOf(one, words.erased))}>
              {(close) => <RemoveDialog optOut={one} close={close} />}
            </DialogButton>
          ),
        },
      ]}
    />
  );
}

/** Too few digits are no number yet. */
function parametersOf({ number = '', category, source }: Filters) {
  const isNumber = number.replace(/\D/g, '').length >= 7;
  return {
    ...(isNumber && { number }),
    ...(category !== undefined && { category: category as Category }),
    ...(source !== undefined && { source: source as Source }),
  };
}

const nameOf = ({ name, number }: Pick<OptOut, 'name' | 'number'>, erased: string) =>
  name ?? (number === undefined ? erased : groupedNumber(number));

function Who({ number, name }: Pick<OptOut, 'number' | 'name'>) {
  const words = useOptOutWords();
  if (number === undefined) return words.erased;
  return (
    <Link to="/people/by-number/$number" params={{ number }}>
      <bdi>{name}</bdi> <PhoneNumber number={number} />
    </Link>
  );
}

function Narrowing({ filters }: { readonly filters: Filters }) {
  const words = useOptOutWords();
  const navigate = useNavigate({ from: '/admin/opt-outs' });
  const change = (name: keyof Filters, value: string) => {
    const { [name]: _, ...others } = filters;
    const search: Filters = value === '' ? others : { ...others, [name]: value };
    void navigate({ search, replace: true });
  };
  const [typed, setTyped] = useTypedSearch(filters.number ?? '', (text) => change('number', text));
  return (
    <search className={layout.grid}>
      <TextField
        type="search"
        inputMode="tel"
        label={words.number}
        value={typed}
        maxLength={100}
        onChange={({ target }) => setTyped(target.value)}
      />
      {(['category', 'source'] as const).map((name) => (
        <SelectField
          key={name}
          label={words[name]}
          value={filters[name] ?? ''}
          onChange={({ target }) => change(name, target.value)}
        >
          <option value="">{words.any}</option>
          <Options of={name === 'category' ? words.categories : words.sources} />
        </SelectField>
      ))}
    </search>
  );
}

function Options({ of }: { readonly of: Readonly<Record<string, string>> }) {
  return Object.entries(of).map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}

function NearMisses() {
  const words = useOptOutWords();
  const list = useList(`${path}/nearmisses`, 'nearMisses', {}, live);
  if (list.items.length === 0) return null;
  return (
    <Section title={words.near}>
      <p className={`${layout.soft} ${layout.above}`}>{words.nearText}</p>
      <CursorList
        label={words.near}
        list={list}
        keyOf={({ id }) => id}
        empty={null}
        columns={[
          { title: words.number, place: 'main', cell: (one) => <Who {...one} /> },
          {
            title: words.message,
            place: 'below',
            width: 'minmax(0, 2fr)',
            cell: ({ message }) => (
              <span className={layout.wraps} dir="auto">
                {message}
              </span>
            ),
          },
          { title: words.when, place: 'aside', width: '8rem', cell: ({ time }) => <Time at={time} /> },
          { title: words.acts, place: 'below', width: '15rem', cell: (one) => <Settle nearMiss={one} /> },
        ]}
      />
    </Section>
  );
}

function Settle({ nearMiss: { id, ...who } }: { readonly nearMiss: NearMiss }) {
  const words = useOptOutWords();
  const settle = useAct(`${path}/nearmisses/{id}/settle`);
  return (
    <span className={`${layout.beside} ${layout.tight}`}>
      {([true, false] as const).map((optsOut) => {
        const label = optsOut ? words.isOut : words.isNot;
        return (
          <Button
            key={label}
            small
            busy={settle.isPending}
            aria-label={words.settles(label, nameOf(who, words.erased))}
            onClick={() => settle.mutate({ parameters: { id, optsOut } })}
          >
            {label}
          </Button>
        );
      })}
      <FaultNotice fault={settle.error} />
    </span>
  );
}

interface Closing {
  readonly close: () => void;
}

function AddDialog({ close }: Closing) {
  const words = useOptOutWords();
  const add = useAct(path);
  const form = formOf(
    add,
    useState<{ number: string; category: string; proof: string }>({ number: '', category: 'all', proof: '' }),
  );
  const parameters = { ...form.values, category: form.values.category as Category };
  const submit = () =>
    add.mutate(
      { parameters },
      {
        onSuccess({ number = '', added }) {
          close();
          showToast({ text: (added ? words.added : words.before)(groupedNumber(number)) });
        },
      },
    );
  return (
    <Dialog title={words.addTitle} close={close}>
      <ActForm
        form={form}
        submit={submit}
        label={words.add}
        lacks={form.values.number.trim() === ''}
        close={close}
        call={{ method: 'POST', path, parameters }}
      >
        <TextField
          label={words.number}
          inputMode="tel"
          autoComplete="off"
          autoFocus
          {...form.field('number')}
        />
        <SelectField label={words.category} {...form.field('category')}>
          <Options of={words.categories} />
        </SelectField>
        <TextField label={words.proof} hint={words.proofHint} maxLength={2_000} {...form.field('proof')} />
      </ActForm>
    </Dialog>
  );
}

function RemoveDialog({ optOut, close }: Closing & { readonly optOut: OptOut }) {
  const words = useOptOutWords();
  const remove = useRemoval(`${path}/{id}`);
  const form = formOf(remove, useState({ reason: '' }));
  const parameters = { id: optOut.id, ...form.values };
  const submit = () =>
    remove.mutate(
      { parameters },
      {
        onSuccess() {
          close();
          showToast({ text: words.removed });
        },
      },
    );
  return (
    <Dialog title={words.removeOf(nameOf(optOut, words.erased))} close={close}>
      <ActForm
        form={form}
        submit={submit}
        label={words.remove}
        look="danger"
        lacks={form.values.reason.trim().length < 3}
        close={close}
        call={{ method: 'DELETE', path: `${path}/{id}`, parameters }}
      >
        <p>{words.removeText}</p>
        <TextField
          label={words.reason}
          hint={words.reasonHint}
          maxLength={150}
          autoFocus
          {...form.field('reason')}
        />
      </ActForm>
    </Dialog>
  );
}

type Checked = AnswerOf<'POST', `${typeof path}/import`>;

/** Checks the file first; rows with problems are left out. */
function ImportDialog({ close }: Closing) {
  const words = useOptOutWords();
  const [file, setFile] = useState<File>();
  const [checked, setChecked] = useState<Checked>();
  const [fault, setFault] = useState<Fault>();
  const [isBusy, setBusy] = useState(false);
  const call = async (given: File, dryRun: boolean, then: (answer: Checked) => void) => {
    setBusy(true);
    setFault(undefined);
    try {
      then(await postFile(`${path}/import`, { dryRun, skipFaulty: true }, given));
    } catch (error) {
      setFault(error as Fault);
    }
    setBusy(false);
  };
  const take = (given: File) => {
    setFile(given);
    setChecked(undefined);
    void call(given, true, setChecked);
  };
  const bring = () => {
    if (file === undefined) return;
    void call(file, false, ({ added }) => {
      close();
      showToast({ text: words.imported(added) });
    });
  };
  return (
    <Dialog title={words.csvIn} close={close}>
      <div className={layout.stack}>
        <p>{words.csvText}</p>
        <FileDrop take={take} label={words.choose} hint={file?.name ?? words.drop} />
        <FaultNotice fault={fault} />
        {checked !== undefined && <p role="status">{words.found(checked.added, checked.unchanged)}</p>}
        {checked !== undefined && checked.faulty > 0 && (
          <Notice tone="warning">
            {words.faulty(checked.faulty)}
            <ul className={layout.scrolls}>
              {checked.faults.map(({ line, cause }) => (
                <li key={line}>
                  {words.line(line)}: {words.causes[cause]}
                </li>
              ))}
            </ul>
          </Notice>
        )}
        <div className={layout.buttons}>
          <Button
            look="main"
            busy={isBusy}
            disabled={checked === undefined || checked.added === 0}
            onClick={bring}
          >
            {words.bring}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

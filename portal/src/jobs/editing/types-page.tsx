/** The types of saved jobs, and one of them: how its runs proceed, and what people are told. */
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { AnswerOf } from '../../api/endpoints.ts';
import { useList, useRead } from '../../api/queries.ts';
import { Answered } from '../../design/answered.tsx';
import { BackLink, ButtonLink } from '../../design/button.tsx';
import { ChipsField } from '../../design/chips-field.tsx';
import { Removal } from '../../design/confirm-dialog.tsx';
import { RowLink } from '../../design/cursor-list.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../design/field.tsx';
import { Icon } from '../../design/icons.tsx';
import layout from '../../design/layout.module.css';
import { ManagedMark } from '../../design/managed-mark.tsx';
import { Page } from '../../design/page.tsx';
import { ResourcePage } from '../../design/resource-page.tsx';
import { language } from '../../words/language.ts';
import { NewForm, type Shown, StoredForm } from './edit-form.tsx';
import { Parts } from './saved-jobs-page.tsx';
import { useJobTypeWords, useSavedJobWords } from './texts.ts';

const all = '/api/v1/jobtypes';
const path = '/api/v1/jobtypes/{name}';

export function JobTypesPage() {
  const words = useJobTypeWords();
  const { generics } = useSavedJobWords();
  return (
    <ResourcePage
      title={words.title}
      lead={words.lead}
      make={
        <ButtonLink to="/admin/saved-jobs/types/new" look="main" icon={<Icon name="plus" />}>
          {words.make}
        </ButtonLink>
      }
      above={<Parts />}
      list={useList(all, 'types', {}, { live: ['jobtypes'] })}
      keyOf={({ name }) => name}
      none={{ icon: 'alarm', title: words.title, text: words.lead }}
      columns={[
        {
          title: words.name,
          place: 'main',
          cell: ({ name, builtIn }) =>
            builtIn ? (
              <RowLink to="/admin/saved-jobs/types/new" search={{ like: name }}>
                {name}
              </RowLink>
            ) : (
              <RowLink to="/admin/saved-jobs/types/$name" params={{ name }}>
                <bdi className={layout.wraps}>{name}</bdi>
              </RowLink>
            ),
        },
        { title: words.generic, place: 'below', cell: ({ generic }) => generics[generic] },
        {
          title: '',
          place: 'aside',
          width: '11rem',
          cell: ({ builtIn, managed }) =>
            builtIn ? (
              <span className={layout.soft}>{words.builtIn}</span>
            ) : (
              managed && <ManagedMark name="jobTypes" />
            ),
        },
      ]}
    />
  );
}

type JobType = AnswerOf<'GET', typeof path>;
type ListedType = AnswerOf<'GET', typeof all>['types'][number];

const numbers = [
  'expiryMinutes',
  'warningMinutes',
  'reminderMinutes',
  'reserve',
  'wave',
  'waveMinutes',
] as const;
const flags = ['tellUnneeded', 'openEarly', 'digits'] as const;
const lists = ['yes', 'no'] as const;
const texts = [
  ...(['assignedText', 'declinedText', 'filledText', 'reserveText', 'promotedText', 'lateText'] as const),
  ...(['unneededText', 'helpText', 'reminderText', 'canceledText', 'codeText', 'whichText'] as const),
];
const languages = ['en', 'sv', 'no', 'da', 'fi', 'de'];
const namesOfLanguages = new Intl.DisplayNames(language, { type: 'language' });
/** Some languages write the names of languages small, but not at the beginning. */
const nameOfLanguage = (of: string) => {
  const name = namesOfLanguages.of(of) ?? of;
  return name.slice(0, 1).toLocaleUpperCase(language) + name.slice(1);
};

/** By the keys of a provisioning file; the empty text stands for what is as usual. */
type Fields = Readonly<
  Record<(typeof numbers)[number] | (typeof texts)[number], string> &
    Record<(typeof flags)[number], boolean> &
    Record<(typeof lists)[number], readonly string[]> &
    Record<'globalTagFilter' | 'language' | 'category', string> &
    Pick<ListedType, 'name' | 'generic' | 'poolExhausted'>
>;

function fieldsOf(type: ListedType & Partial<JobType>): Fields {
  const { name, generic, poolExhausted, language, globalTagFilter = '', category = '' } = type;
  const { tellUnneeded, openEarly, digits, yes = [], no = [] } = type;
  const text = (one: (typeof numbers)[number] | (typeof texts)[number]) => String(type[one] ?? '');
  const written = Object.fromEntries(
    [...numbers, ...texts].map((one) => [one, text(one)] as const),
  ) as Record<(typeof numbers)[number] | (typeof texts)[number], string>;
  const others = { name, generic, poolExhausted, language, globalTagFilter, category };
  return { ...written, ...others, tellUnneeded, openEarly, digits, yes, no };
}

export function NewJobTypePage() {
  const words = useJobTypeWords();
  const search = useSearch({ from: '/admin/saved-jobs/types/new' });
  const { like = 'QuickAssign' } = search;
  const isLike = search.like !== undefined;
  const navigate = useNavigate();
  return (
    <Page title={words.make} width="narrow" back={<Back />}>
      <Answered read={useRead(all, { limit: 200 })}>
        {({ types }) => {
          const model = types.find(({ name }) => name === like) ?? types[0];
          return (
            model && (
              <NewForm
                key={like}
                path={all}
                draft={`jobtype.new.${isLike ? like : ''}`}
                fields={{ ...fieldsOf(model), name: isLike ? model.name : '' }}
                callOf={(fields) => fields}
                done={({ name }, isShown) => {
                  if (isShown) void navigate({ to: '/admin/saved-jobs/types/$name', params: { name } });
                }}
              >
                {(shown) => <TypeFields {...shown} managedKeys={[]} isNew />}
              </NewForm>
            )
          );
        }}
      </Answered>
    </Page>
  );
}

export function JobTypePage() {
  const words = useJobTypeWords();
  const { name } = useParams({ from: '/admin/saved-jobs/types/$name' });
  const read = useRead(path, { name }, { live: ['jobtypes'] });
  return (
    <Page title={name} width="narrow" back={<Back />}>
      <Answered read={read}>
        {(type) => (
          <div key={name} className={`${layout.stack} ${layout.loose}`}>
            <StoredForm
              path={path}
              of={{ name }}
              draft={`jobtype.${name}`}
              version={type.version}
              fields={fieldsOf({ ...type, builtIn: false })}
              callOf={({ name: _, ...settings }) => settings}
              rows={(fields) => rowsOf(words, fields)}
            >
              {(shown) => <TypeFields {...shown} managedKeys={type.managedKeys} />}
            </StoredForm>
            {!type.managed && (
              <Removal
                path={path}
                parameters={{ name }}
                label={words.remove}
                question={words.removeSure}
                removed={words.removed(name)}
                next={{ to: '/admin/saved-jobs/types' }}
              />
            )}
          </div>
        )}
      </Answered>
    </Page>
  );
}

function Back() {
  return <BackLink to="/admin/saved-jobs/types">{useJobTypeWords().title}</BackLink>;
}

function rowsOf(words: ReturnType<typeof useJobTypeWords>, fields: Fields) {
  const names = Object.keys(fields).filter((name) => name !== 'name') as Exclude<keyof Fields, 'name'>[];
  return names.map((name) => [words[name], String(fields[name])] as const);
}

interface TypeFieldsProps extends Shown<Fields> {
  readonly managedKeys: readonly string[];
  readonly isNew?: boolean;
}

function TypeFields({ fields, set, fault, managedKeys, isNew = false }: TypeFieldsProps) {
  const words = useJobTypeWords();
  const { generics } = useSavedJobWords();
  type Name = { [Key in keyof Fields]: Fields[Key] extends string ? Key : never }[keyof Fields];
  const markOf = (name: keyof Fields) =>
    managedKeys.includes(name) ? <ManagedMark name={name} /> : undefined;
  const field = (name: Name, hint?: string) => ({
    label: words[name],
    value: fields[name],
    error: fault?.of(name),
    hint: markOf(name) ?? hint,
    disabled: managedKeys.includes(name),
    onChange: ({ target }: { readonly target: { readonly value: string } }) => set({ [name]: target.value }),
  });
  return (
    <>
      {isNew && <TextField required maxLength={100} dir="auto" {...field('name', words.nameHint)} />}
      <SelectField
        {...field('generic')}
        onChange={({ target }) =>
          set({ generic: target.value as Fields['generic'], tellUnneeded: target.value === 'GMA' })
        }
      >
        {(['GMA', 'GMM'] as const).map((one) => (
          <option key={one} value={one}>
            {`${one}: ${generics[one]}`}
          </option>
        ))}
      </SelectField>
      <div className={`${layout.grid} ${layout.wide}`}>
        {numbers.map((name) => (
          <TextField key={name} optional inputMode="numeric" maxLength={5} {...field(name)} />
        ))}
      </div>
      <TextField optional {...field('globalTagFilter', words.filterHint)} />
      {flags.map((name) => (
        <CheckField
          key={name}
          label={words[name]}
          hint={markOf(name)}
          disabled={managedKeys.includes(name)}
          checked={fields[name]}
          onChange={({ target }) => set({ [name]: target.checked })}
        />
      ))}
      <div className={`${layout.grid} ${layout.wide}`}>
        <SelectField {...field('language')}>
          {languages.map((one) => (
            <option key={one} value={one}>
              {nameOfLanguage(one)}
            </option>
          ))}
        </SelectField>
        <SelectField {...field('category')}>
          <option value="">{words.ofStarter}</option>
          {(['essential', 'notification', 'marketing'] as const).map((one) => (
            <option key={one} value={one}>
              {words.categories[one]}
            </option>
          ))}
        </SelectField>
        <SelectField {...field('poolExhausted')}>
          {(['partial', 'refuse'] as const).map((one) => (
            <option key={one} value={one}>
              {words.exhausted[one]}
            </option>
          ))}
        </SelectField>
      </div>
      {lists.map((name) => (
        <fieldset key={name} className={layout.stack} disabled={managedKeys.includes(name)}>
          <ChipsField
            label={words[name]}
            hint={markOf(name) ?? words.wordsHint}
            items={fields[name]}
            error={fault?.of(name)}
            change={(items) => set({ [name]: items })}
            maxLength={40}
          />
        </fieldset>
      ))}
      <details>
        <summary>{words.texts}</summary>
        <div className={layout.stack}>
          <p className={layout.soft}>{words.textsHint}</p>
          {texts.map((name) => (
            <TextArea key={name} optional rows={2} {...field(name)} />
          ))}
        </div>
      </details>
    </>
  );
}

/** The settings of a user as a form: what the administrator may give, and what a provisioning file has set. */
import type { ReactNode } from 'react';
import type { Role } from '../../../src/accounts/role.ts';
import type { CurlCall } from '../api/as-curl.ts';
import type { ParametersOf } from '../api/endpoints.ts';
import { type Act, useRead } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { ChipsField } from '../design/chips-field.tsx';
import { FaultText } from '../design/fault-text.tsx';
import { CheckField, SelectField, TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { ManagedMark } from '../design/managed-mark.tsx';
import { useRoleNames } from '../design/role-names.ts';
import { inNameOrder, language } from '../words/language.ts';
import { useNumbers } from '../words/words.ts';
import type { User } from './state.tsx';
import { useUserWords } from './texts.ts';

const roles = ['send', 'jobs', 'emailAdmin', 'companyAdmin'] as const satisfies readonly Role[];
const counts = ['partsPerDay', 'partsPerMinute', 'quotaParts', 'maxBatch'] as const;
type Count = (typeof counts)[number];

/** The fields as they are typed; null for a list that limits nothing. */
export interface UserFields extends Readonly<Record<Count, string>> {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly defaultSender: string;
  readonly senders: readonly string[] | null;
  readonly countries: readonly string[] | null;
  readonly replaceCharacters: boolean;
  readonly smtpSplit: boolean;
  readonly email: string;
  readonly category: User['category'];
  readonly addressBooks: readonly string[];
  readonly defaultAddressBook: string;
  readonly systemUser: string;
}

export function fieldsOf(user: User): UserFields {
  const count = (name: Count) => user[name]?.toString() ?? '';
  return {
    name: user.username,
    roles: user.roles,
    defaultSender: user.defaultSender ?? '',
    senders: user.senders ?? null,
    countries: user.countries ?? null,
    replaceCharacters: user.replaceCharacters,
    smtpSplit: user.smtpSplit,
    email: user.email ?? '',
    category: user.category,
    addressBooks: user.addressBooks,
    defaultAddressBook: user.defaultAddressBook ?? '',
    systemUser: user.systemUser ?? '',
    partsPerDay: count('partsPerDay'),
    partsPerMinute: count('partsPerMinute'),
    quotaParts: count('quotaParts'),
    maxBatch: count('maxBatch'),
  };
}

/** The settings of a call; those that are equal to what is stored are left out. */
export function settingsOf(fields: UserFields, stored?: UserFields) {
  const { name: _, systemUser, ...others } = fields;
  const settings = startsJobs(fields, stored) ? { ...others, systemUser } : others;
  const changed = Object.entries(settings).filter(
    ([name, value]) =>
      stored === undefined || JSON.stringify(value) !== JSON.stringify(stored[name as keyof UserFields]),
  );
  // The empty text clears a setting.
  const given = changed.map(([name, value]) => [
    name,
    counts.some((one) => one === name) && value !== '' ? Number(value) : (value ?? ''),
  ]);
  return Object.fromEntries(given) as Omit<ParametersOf<'PATCH', '/api/v1/users/{id}'>, 'id'>;
}

/** As people read them. */
export function rowsOf(
  fields: UserFields,
  words: ReturnType<typeof useUserWords>,
  roleNames: ReturnType<typeof useRoleNames>,
) {
  const yes = (value: boolean) => (value ? words.yes : words.no);
  const list = (items: readonly string[] | null) => items?.join(', ') ?? words.any;
  return [
    [words.roles, fields.roles.map((role) => roleNames[role]).join(', ')],
    [words.defaultSender, fields.defaultSender],
    [words.senders, list(fields.senders)],
    ...counts.map((name) => [words[name], fields[name]] as const),
    [words.countries, list(fields.countries)],
    [words.replaceCharacters, yes(fields.replaceCharacters)],
    [words.smtpSplit, yes(fields.smtpSplit)],
    [words.category, words.categories[fields.category]],
    [words.books, list(fields.addressBooks)],
    [words.defaultBook, fields.defaultAddressBook],
    [words.systemUser, fields.systemUser],
    [words.email, fields.email],
  ] as const;
}

interface UserFormProps {
  readonly fields: UserFields;
  readonly change: (next: (before: UserFields) => UserFields) => void;
  readonly act: Pick<Act<never, unknown>, 'error' | 'isPending'>;
  readonly submit: () => void;
  readonly label: string;
  readonly call: CurlCall;
  readonly aside?: ReactNode;
  /** The administrator, who can give no more than this. */
  readonly own: User;
  /** The user as stored; absent for a new one. */
  readonly user?: User;
  /** Above the fields. */
  readonly children?: ReactNode;
}

export function UserForm(props: UserFormProps) {
  const { fields, change, act, submit, label, call, aside, children } = props;
  const form = formOf(act, [fields, change]);
  // The parts are drawn later than the form, which has to know which faults they show.
  for (const name of namesShown(fields, props.user)) form.field(name);
  const part = {
    ...props,
    form,
    set: (next: Partial<UserFields>) => change((before) => ({ ...before, ...next })),
  };
  return (
    <ActForm form={form} submit={submit} label={label} call={call} aside={aside}>
      {children}
      <NameField {...part} />
      <RoleFields {...part} />
      {startsJobs(fields, props.user) && <OwnerField {...part} />}
      <SenderFields {...part} />
      <LimitFields {...part} />
      <BookFields {...part} />
      <OtherFields {...part} />
    </ActForm>
  );
}

/** A user who has lost the role may still have a system user, which can’t be removed until the user has another. */
function startsJobs({ roles }: UserFields, stored?: { readonly systemUser?: string }): boolean {
  return roles.includes('jobs') || (stored?.systemUser ?? '') !== '';
}

function namesShown(fields: UserFields, user: User | undefined): readonly (keyof UserFields)[] {
  const isHidden = (name: keyof UserFields) =>
    fields[name] === null ||
    (name === 'name' && user !== undefined) ||
    (name === 'systemUser' && !startsJobs(fields, user)) ||
    (name === 'defaultAddressBook' && fields.addressBooks.length === 0);
  return (Object.keys(fields) as (keyof UserFields)[]).filter((name) => !isHidden(name));
}

interface PartProps extends UserFormProps {
  readonly form: ReturnType<typeof formOf<UserFields>>;
  readonly set: (next: Partial<UserFields>) => void;
}

/** The mark of a field that a file has set. */
function markOf({ user }: Pick<PartProps, 'user'>, key: string): ReactNode {
  return user?.managedKeys.includes(key) ? <ManagedMark name={key} /> : undefined;
}

function NameField({ user, form }: PartProps) {
  const words = useUserWords();
  if (user !== undefined) return null;
  return (
    <TextField
      label={words.name}
      hint={words.nameHint}
      required
      maxLength={200}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      {...form.field('name')}
    />
  );
}

function RoleFields(part: PartProps) {
  const words = useUserWords();
  const roleNames = useRoleNames();
  const { own, user, fields, set, form } = part;
  const mark = markOf(part, 'roles');
  const reasonOf = (role: Role) => {
    if (user?.roles.includes(role))
      return user.id === own.id && role === 'companyAdmin' ? words.roleOwn : undefined;
    // An administrator may do everything that this role may.
    return own.roles.includes(role) || role === 'emailAdmin' ? undefined : words.roleLacking;
  };
  const { error } = form.field('roles');
  return (
    <fieldset className={`${layout.stack} ${layout.tight}`}>
      <legend>{words.roles}</legend>
      {mark && <div className={layout.soft}>{mark}</div>}
      {roles.map((role) => {
        const reason = mark === undefined ? reasonOf(role) : undefined;
        const others = fields.roles.filter((one) => one !== role);
        return (
          <CheckField
            key={role}
            label={roleNames[role]}
            hint={`${words.roleTexts[role]}${reason === undefined ? '' : ` ${reason}`}`}
            checked={fields.roles.includes(role)}
            disabled={mark !== undefined || reason !== undefined}
            onChange={({ target }) =>
              set({
                roles: target.checked ? roles.filter((one) => one === role || others.includes(one)) : others,
              })
            }
          />
        );
      })}
      {error && (
        <div className={layout.soft} data-tone="failed" role="alert">
          <FaultText fault={error} />
        </div>
      )}
    </fieldset>
  );
}

/** Whose saved jobs the user may start. */
function OwnerField(part: PartProps) {
  const words = useUserWords();
  const { data, error } = useRead('/api/v1/systemusers', { limit: 200 });
  const mark = markOf(part, 'systemUser');
  const { systemUser } = part.fields;
  const names = (data?.systemUsers ?? []).map(({ name }) => name);
  const field = part.form.field('systemUser');
  return (
    <SelectField
      label={words.systemUser}
      disabled={mark !== undefined}
      {...field}
      hint={mark ?? words.systemUserHint}
      error={field.error ?? error}
    >
      <option value="">{words.noSystemUser}</option>
      {[...new Set([...(systemUser === '' ? [] : [systemUser]), ...names])].map((name) => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  );
}

function SenderFields(part: PartProps) {
  const words = useUserWords();
  const { fields, form, own, user, set } = part;
  const mark = markOf(part, 'senders');
  const ofSender = markOf(part, 'defaultSender');
  const { senders } = fields;
  return (
    <>
      <TextField
        label={words.defaultSender}
        hint={ofSender ?? words.defaultSenderHint}
        readOnly={ofSender !== undefined}
        optional
        maxLength={60}
        autoComplete="off"
        {...form.field('defaultSender')}
      />
      <CheckField
        label={words.onlySenders}
        hint={mark ?? words.onlySendersHint}
        checked={senders !== null}
        disabled={mark !== undefined || isForced(own.senders, user, user?.senders)}
        onChange={({ target }) => set({ senders: target.checked ? (own.senders ?? []) : null })}
      />
      {senders !== null && mark === undefined && (
        <ChipsField
          label={words.senders}
          items={senders}
          maxLength={60}
          error={form.field('senders').error}
          change={(items) => set({ senders: items })}
        />
      )}
      {senders !== null && mark && <p>{senders.join(', ')}</p>}
    </>
  );
}

/** Whether a list must limit the user, because one limits the administrator, and the user has not been without. */
function isForced(
  own: readonly string[] | undefined,
  user: User | undefined,
  had: readonly string[] | undefined,
) {
  return own !== undefined && (user === undefined || had !== undefined);
}

function LimitFields(part: PartProps) {
  const words = useUserWords();
  const number = useNumbers();
  const { fields, form, own, user, set } = part;
  const ofLimits = markOf(part, 'limits');
  const { countries } = fields;
  return (
    <>
      <div className={layout.grid}>
        {counts.map((name) => {
          const mark = name.startsWith('parts') ? ofLimits : markOf(part, name);
          const most = own[name];
          const free = name === 'maxBatch' ? words.standard : words.unlimited;
          return (
            <TextField
              key={name}
              label={words[name]}
              hint={mark ?? (most === undefined ? free : words.atMost(number(most)))}
              readOnly={mark !== undefined}
              inputMode="numeric"
              maxLength={16}
              autoComplete="off"
              {...form.field(name)}
              onChange={({ target }) => set({ [name]: target.value.replace(/\D/g, '') })}
            />
          );
        })}
      </div>
      <CheckField
        label={words.onlyCountries}
        hint={ofLimits ?? words.onlyCountriesHint}
        checked={countries !== null}
        disabled={ofLimits !== undefined || isForced(own.countries, user, user?.countries)}
        onChange={({ target }) => set({ countries: target.checked ? (own.countries ?? []) : null })}
      />
      {countries !== null && (
        <Countries
          countries={countries}
          isManaged={ofLimits !== undefined}
          error={form.field('countries').error}
          change={(items) => set({ countries: items })}
        />
      )}
    </>
  );
}

function Countries({
  countries,
  isManaged,
  error,
  change,
}: {
  readonly countries: readonly string[];
  readonly isManaged: boolean;
  readonly error: ReturnType<ReturnType<typeof formOf<UserFields>>['field']>['error'];
  readonly change: (countries: readonly string[]) => void;
}) {
  const words = useUserWords();
  const names = namedCountries();
  if (isManaged) return <p>{countries.map((code) => names.get(code) ?? code).join(', ')}</p>;
  return (
    <ChipsField
      label={words.countries}
      hint={words.countriesHint}
      items={countries}
      options={names}
      maxLength={60}
      error={error}
      change={change}
    />
  );
}

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** The browser also names some groups of countries and codes for no country. */
const noCountries = ['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ'];
let named: ReadonlyMap<string, string> | undefined;

/** The names of countries as the browser knows them, by their codes. */
function namedCountries(): ReadonlyMap<string, string> {
  if (named !== undefined) return named;
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
  const codes = letters.flatMap((one) => letters.map((other) => one + other));
  const countries = codes.flatMap((code) => {
    const name = noCountries.includes(code) ? undefined : names.of(code);
    return name === undefined ? [] : [[code, name] as const];
  });
  named = new Map(inNameOrder(countries, ([, name]) => name));
  return named;
}

function BookFields(part: PartProps) {
  const words = useUserWords();
  const { fields, form, own, user, set } = part;
  const mark = markOf(part, 'addressBooks');
  const ofDefault = markOf(part, 'defaultAddressBook');
  const all = new Set([...own.addressBooks, ...(user?.addressBooks ?? [])]);
  const books = inNameOrder([...all], (name) => name);
  const { addressBooks, defaultAddressBook } = fields;
  const { error } = form.field('addressBooks');
  const give = (name: string, isGiven: boolean) => {
    const others = addressBooks.filter((one) => one !== name);
    set({
      addressBooks: isGiven ? [...others, name].sort() : others,
      defaultAddressBook: !isGiven && defaultAddressBook === name ? '' : defaultAddressBook,
    });
  };
  return (
    <>
      <fieldset className={`${layout.stack} ${layout.tight}`}>
        <legend>{words.books}</legend>
        {mark && <div className={layout.soft}>{mark}</div>}
        {books.length === 0 && <p className={layout.soft}>{words.noBooks}</p>}
        {books.map((name) => (
          <CheckField
            key={name}
            label={<bdi>{name}</bdi>}
            checked={addressBooks.includes(name)}
            disabled={mark !== undefined || (ofDefault !== undefined && name === defaultAddressBook)}
            onChange={({ target }) => give(name, target.checked)}
          />
        ))}
        {error && (
          <div className={layout.soft} data-tone="failed" role="alert">
            <FaultText fault={error} />
          </div>
        )}
      </fieldset>
      {addressBooks.length > 0 && (
        <SelectField
          label={words.defaultBook}
          hint={ofDefault}
          disabled={ofDefault !== undefined}
          {...form.field('defaultAddressBook')}
        >
          <option value="">{words.noDefaultBook}</option>
          {addressBooks.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
      )}
    </>
  );
}

function OtherFields(part: PartProps) {
  const words = useUserWords();
  const { fields, form, own, user, set } = part;
  const ofReplacing = markOf(part, 'replaceCharacters');
  const ofSplit = markOf(part, 'smtpSplit');
  const ofCategory = markOf(part, 'category');
  const ofEmail = markOf(part, 'email') ?? (user?.id === own.id ? words.emailOwn : undefined);
  const lacksSplit = !own.smtpSplit && !user?.smtpSplit;
  return (
    <>
      <CheckField
        label={words.replaceCharacters}
        hint={ofReplacing ?? words.replaceCharactersHint}
        checked={fields.replaceCharacters}
        disabled={ofReplacing !== undefined}
        onChange={({ target }) => set({ replaceCharacters: target.checked })}
      />
      <CheckField
        label={words.smtpSplit}
        hint={ofSplit ?? (lacksSplit ? `${words.smtpSplitHint} ${words.splitLacking}` : words.smtpSplitHint)}
        checked={fields.smtpSplit}
        disabled={ofSplit !== undefined || lacksSplit}
        onChange={({ target }) => set({ smtpSplit: target.checked })}
      />
      <SelectField
        label={words.category}
        hint={ofCategory ?? words.categoryHint}
        disabled={ofCategory !== undefined}
        {...form.field('category')}
      >
        {(['essential', 'notification', 'marketing'] as const).map((one) => (
          <option key={one} value={one}>
            {words.categories[one]}
          </option>
        ))}
      </SelectField>
      <TextField
        label={words.email}
        hint={ofEmail ?? words.emailHint}
        readOnly={ofEmail !== undefined}
        optional
        type="email"
        maxLength={254}
        autoComplete="off"
        {...form.field('email')}
      />
    </>
  );
}

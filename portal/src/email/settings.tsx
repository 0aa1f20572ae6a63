/** The settings of an e-mail sender as a form has them: the same for an entry, and for the defaults of the company. */
import { type ReactNode, useId } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import type { FaultContent } from '../api/fault.ts';
import { useRead } from '../api/queries.ts';
import { useSettled } from '../browser/settled.ts';
import { Button } from '../design/button.tsx';
import { SelectField, TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { CostCenterField } from '../sending/cost-centers.tsx';
import { useEmailWords } from './texts.ts';

export const texts = ['payingUser', 'sender', 'costCenter', 'defaultCountryCode', 'maxSms'] as const;
export const flags = [
  ...(['includeSubject', 'checkMobile', 'senderLogic'] as const),
  ...(['splitCallback', 'onlyNonDelivery', 'origMsg'] as const),
] as const;
export const names = [...texts, ...flags] as const;
type Name = (typeof names)[number];

/** As typed and chosen: a flag is `yes`, `no` or empty, and what is empty is not set. */
export type Settings = Readonly<Record<Name, string>>;

/** As the server has them. */
type Stored = Partial<Pick<AnswerOf<'GET', '/api/v1/email/defaults'>, Name>>;

const written = (value: string | number | boolean | undefined) =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value ?? '');

export function settingsOf(stored: Stored): Settings {
  return Object.fromEntries(names.map((name) => [name, written(stored[name])])) as Settings;
}

/** What a call has to give so that the stored settings become these: a setting that is not given stays as it is. */
export function changesOf(settings: Settings, stored: Settings): Readonly<Record<string, unknown>> {
  const changed = names.filter((name) => settings[name] !== stored[name]);
  return Object.fromEntries(changed.map((name) => [name, givenOf(name, settings[name])]));
}

function givenOf(name: Name, text: string): string | number | boolean | null {
  if ((flags as readonly string[]).includes(name)) return text === '' ? null : text === 'yes';
  const digits = text.trim();
  return name === 'maxSms' && /^\d+$/.test(digits) ? Number(digits) : digits;
}

export const noSettings = settingsOf({});

type Payer = AnswerOf<'GET', '/api/v1/email/payers'>['payers'][number];

/** Users who can pay, by what is typed of a name, and the one of exactly that name. */
export function usePayers(typed: string): {
  readonly payers: readonly Payer[];
  readonly payer: Payer | undefined;
} {
  const q = useSettled(typed.trim());
  const { data } = useRead('/api/v1/email/payers', { q, limit: 50 }, { keepsPrevious: true });
  const payers = data?.payers ?? [];
  return { payers, payer: payers.find(({ username }) => username === typed.trim()) };
}

interface SettingsFieldsProps {
  readonly kind: 'new' | 'entry' | 'defaults';
  readonly form: {
    readonly values: Settings;
    field(name: Name): {
      readonly value: string;
      readonly error: FaultContent | undefined;
      onChange(typed: { readonly target: { readonly value: string } }): void;
    };
  };
  readonly set: (name: Name, value: string) => void;
  /** What a new entry takes for what is left out. */
  readonly defaults: Settings;
  readonly managed: readonly string[];
  readonly payers: readonly Payer[];
  /** The payer lacks SMTPSPLIT. */
  readonly lacksSplit: boolean;
}

const most: Readonly<Record<(typeof texts)[number], number>> = {
  payingUser: 200,
  sender: 11,
  costCenter: 100,
  defaultCountryCode: 4,
  maxSms: 3,
};

export function SettingsFields(props: SettingsFieldsProps) {
  const { kind, form, set, defaults, managed, payers, lacksSplit } = props;
  const words = useEmailWords();
  const list = useId();
  const ofTexts: Readonly<Partial<Record<Name, string>>> = words.none;
  const none = (name: Name) => (kind === 'defaults' ? words.noDefault : (ofTexts[name] ?? words.noFlag));
  const placeholder = (name: Name) => {
    const value = kind === 'new' ? defaults[name] : '';
    return value === '' ? none(name) : words.companyDefault(flagged(value));
  };
  const flagged = (value: string) => (value === 'yes' ? words.yes : value === 'no' ? words.no : value);
  const hintOf = (name: Name): ReactNode =>
    managed.includes(name)
      ? words.managedField
      : name === 'splitCallback' && lacksSplit
        ? words.lacksSplit(form.values.payingUser.trim() || defaults.payingUser)
        : words.hints[name];
  const clear = (name: Name) =>
    kind === 'defaults' &&
    form.values[name] !== '' &&
    !managed.includes(name) && (
      <Button
        small
        look="quiet"
        className={layout.start}
        aria-label={`${words.clear} ${words.names[name]}`}
        onClick={() => set(name, '')}
      >
        {words.clear}
      </Button>
    );
  return (
    <div className={layout.grid}>
      <datalist id={list}>
        {payers.map(({ username }) => (
          <option key={username} value={username} />
        ))}
      </datalist>
      {texts.map((name) => {
        const Field = name === 'costCenter' ? CostCenterField : TextField;
        return (
          <div key={name} className={`${layout.stack} ${layout.close}`}>
            <Field
              {...form.field(name)}
              label={words.names[name]}
              hint={hintOf(name)}
              readOnly={managed.includes(name)}
              placeholder={placeholder(name)}
              maxLength={most[name]}
              inputMode={name === 'maxSms' || name === 'defaultCountryCode' ? 'numeric' : 'text'}
              autoComplete="off"
              list={name === 'payingUser' ? list : undefined}
            />
            {clear(name)}
          </div>
        );
      })}
      {flags.map((name) => {
        const isOff = name === 'splitCallback' && lacksSplit && !managed.includes(name);
        return (
          <div key={name} className={`${layout.stack} ${layout.close}`}>
            <SelectField
              {...form.field(name)}
              {...(isOff && { value: 'no' })}
              label={words.names[name]}
              hint={hintOf(name)}
              disabled={isOff || managed.includes(name)}
            >
              {kind !== 'entry' && <option value="">{placeholder(name)}</option>}
              <option value="yes">{words.yes}</option>
              <option value="no">{words.no}</option>
            </SelectField>
            {!isOff && clear(name)}
          </div>
        );
      })}
    </div>
  );
}

/** The settings as people compare them. */
export function useRows() {
  const words = useEmailWords();
  const shown = (value: string) => (value === 'yes' ? words.yes : value === 'no' ? words.no : value);
  return (settings: Settings) => names.map((name) => [words.names[name], shown(settings[name])] as const);
}

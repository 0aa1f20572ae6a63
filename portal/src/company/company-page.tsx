/** The company's settings for its administrators; those that the operator sets are shown, but can't be changed. */
import { useMemo, useState } from 'react';
import { isCountryCode } from '../../../src/wire/phone-number.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { useRead } from '../api/queries.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Answered } from '../design/answered.tsx';
import { ButtonLink } from '../design/button.tsx';
import { Facts } from '../design/facts.tsx';
import { Choice, SelectField, TextArea, TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { ManagedMark } from '../design/managed-mark.tsx';
import { Card, Page, Section } from '../design/page.tsx';
import { useStoredEdits } from '../design/stored-edits.tsx';
import { currentSession, useSession } from '../session/session.ts';
import { timeZone } from '../words/times.ts';
import { useNumbers } from '../words/words.ts';
import { useCompanyWords } from './texts.ts';

const path = '/api/v1/company';
type Company = AnswerOf<'GET', typeof path>;

export function CompanyPage() {
  const words = useCompanyWords();
  const { company } = useSession();
  const read = useRead(path, {}, { live: ['company'] });
  return (
    <Page title={words.title} lead={words.lead(company.name)} width="narrow">
      <Answered read={read} rows={6}>
        {(stored) => (
          <>
            <Settings company={stored} />
            <Limits company={stored} />
          </>
        )}
      </Answered>
    </Page>
  );
}

const ownFields = [
  ...(['defaultSender', 'countryCode', 'language', 'timeZone', 'optOuts', 'secondFactor'] as const),
] as const;
const hoursFields = ['sendHoursFrom', 'sendHoursTo', 'sendHoursZone', 'sendHoursBatch'] as const;

/** The settings as they are typed; without send hours, what they would be is a proposal. */
function fieldsOf(company: Company, zone: string) {
  return {
    defaultSender: company.defaultSender ?? '',
    countryCode: company.countryCode ?? '',
    language: company.language,
    timeZone: company.timeZone ?? '',
    costCenters: company.costCenters.map(({ code, name }) => `${code}; ${name}`).join('\n'),
    optOuts: company.optOuts,
    secondFactor: company.secondFactor,
    isLimited: company.sendHoursFrom === undefined ? ('no' as const) : ('yes' as const),
    sendHoursFrom: company.sendHoursFrom ?? '08:00',
    sendHoursTo: company.sendHoursTo ?? '20:00',
    sendHoursZone: company.sendHoursZone ?? (company.sendHoursFrom || company.timeZone ? '' : zone),
    sendHoursBatch: company.sendHoursBatch ?? ('delay' as const),
  };
}

type Fields = ReturnType<typeof fieldsOf>;
type Changes = Partial<Record<keyof Fields, string | Company['costCenters']>>;

/** The lines of cost centres; one without a name is its own name. */
function costCentersIn(written: string): Company['costCenters'] {
  return written.split('\n').flatMap((line) => {
    const [code = '', ...name] = line.split(';');
    return line.trim() === '' ? [] : { code: code.trim(), name: name.join(';').trim() || code.trim() };
  });
}

/** Only what differs is sent, so that keys of a provisioning file are left alone. */
function changesOf(fields: Fields, stored: Fields): Changes {
  const differing = ownFields.filter((name) => fields[name].trim() !== stored[name]);
  const changes: Changes = Object.fromEntries(differing.map((name) => [name, fields[name].trim()]));
  if (fields.costCenters !== stored.costCenters) changes.costCenters = costCentersIn(fields.costCenters);
  if (fields.isLimited === 'no')
    return stored.isLimited === 'no' ? changes : { ...changes, sendHoursFrom: '' };
  const isSame = stored.isLimited === 'yes' && hoursFields.every((name) => fields[name] === stored[name]);
  return isSame
    ? changes
    : { ...changes, ...Object.fromEntries(hoursFields.map((name) => [name, fields[name]])) };
}

function Settings({ company }: { readonly company: Company }) {
  const words = useCompanyWords();
  const session = useSession();
  const [zone] = useState(timeZone);
  const stored = fieldsOf(company, zone);
  const edits = useStoredEdits({
    path,
    of: {},
    draft: `company.${session.username}`,
    stored,
    version: company.version,
    rows: (fields) => rowsOf(fields, words),
    saved: words.saved,
    // The pages of this tab read numbers as the company now does.
    done({ countryCode, language }) {
      const { countryCode: _, ...others } = session.company;
      const own = { ...others, language };
      currentSession.set({
        ...session,
        company: countryCode === undefined ? own : { ...own, countryCode },
      });
    },
  });
  const { save, call, conflict, lacksChanges } = edits.saving(changesOf(edits.fields, stored));
  const form = formOf(edits.act, [edits.fields, edits.change]);
  // Bound before the form is shown, which then knows which faults its fields show.
  const bound = new Map(
    [...ownFields, ...hoursFields, 'costCenters' as const].map((name) => [name, form.field(name)]),
  );
  return (
    <ActForm
      form={form}
      submit={save}
      label={words.save}
      lacks={edits.isBehind || lacksChanges}
      aside={edits.discard}
      call={call}
    >
      {conflict}
      <SendingFields company={company} form={form} bound={bound} />
      <HoursFields company={company} form={form} bound={bound} />
    </ActForm>
  );
}

/** As people read them. */
function rowsOf(fields: Fields, words: ReturnType<typeof useCompanyWords>) {
  const hours =
    fields.isLimited === 'no'
      ? words.limited.no
      : `${fields.sendHoursFrom}–${fields.sendHoursTo}, ${fields.sendHoursZone || words.ofCompany}, ${words.outside[fields.sendHoursBatch]}`;
  return [
    [words.defaultSender, fields.defaultSender],
    [words.countryCode, fields.countryCode],
    [words.language, words.languages[fields.language]],
    [words.timeZone, fields.timeZone || 'UTC'],
    [words.costCenters, fields.costCenters],
    [words.optOuts, words.policies[fields.optOuts]],
    [words.secondFactor, words.factorRules[fields.secondFactor]],
    [words.hours, hours],
  ] as const;
}

interface FieldsProps {
  readonly company: Company;
  readonly form: ReturnType<typeof formOf<Fields>>;
  readonly bound: ReadonlyMap<keyof Fields, ReturnType<FieldsProps['form']['field']>>;
}

function SendingFields({ company: { managedKeys }, form, bound }: FieldsProps) {
  const words = useCompanyWords();
  const { countryCode } = form.values;
  const propsOf = (name: (typeof ownFields)[number] | 'costCenters', hint?: string) => {
    const isManaged = managedKeys.includes(name);
    return {
      ...bound.get(name),
      disabled: isManaged,
      hint: isManaged ? <ManagedMark name={name} /> : hint,
    };
  };
  return (
    <Section title={words.sending}>
      <Card>
        <div className={layout.stack}>
          <TextField
            label={words.defaultSender}
            optional
            maxLength={60}
            autoComplete="off"
            spellCheck={false}
            {...propsOf('defaultSender', words.defaultSenderHint)}
          />
          <TextField
            label={words.countryCode}
            optional
            inputMode="numeric"
            maxLength={4}
            autoComplete="off"
            {...propsOf('countryCode', words.countryCodeHint(isCountryCode(countryCode) ? countryCode : ''))}
          />
          <SelectField label={words.language} {...propsOf('language')}>
            {(['en', 'sv'] as const).map((language) => (
              <option key={language} value={language}>
                {words.languages[language]}
              </option>
            ))}
          </SelectField>
          <SelectField label={words.timeZone} {...propsOf('timeZone', words.timeZoneHint)}>
            <option value="">{words.noZone}</option>
            <Zones chosen={form.values.timeZone} />
          </SelectField>
          <TextArea
            label={words.costCenters}
            optional
            maxLength={25_000}
            {...propsOf('costCenters', words.costCentersHint)}
          />
          <SelectField label={words.secondFactor} {...propsOf('secondFactor', words.secondFactorHint)}>
            {(['optional', 'administrators', 'everyone'] as const).map((rule) => (
              <option key={rule} value={rule}>
                {words.factorRules[rule]}
              </option>
            ))}
          </SelectField>
          <SelectField label={words.optOuts} {...propsOf('optOuts', words.optOutsHint)}>
            {(['off', 'honour', 'essentialPasses'] as const).map((one) => (
              <option key={one} value={one}>
                {words.policies[one]}
              </option>
            ))}
          </SelectField>
        </div>
      </Card>
    </Section>
  );
}

function Zones({ chosen }: { readonly chosen: string }) {
  const zones = useMemo(
    () => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), chosen || 'UTC'])].sort(),
    [chosen],
  );
  return zones.map((zone) => <option key={zone}>{zone}</option>);
}

function HoursFields({ company: { managedKeys }, form, bound }: FieldsProps) {
  const words = useCompanyWords();
  const isManaged = managedKeys.includes('sendHours');
  const { values } = form;
  const propsOf = (name: (typeof hoursFields)[number]) => ({ ...bound.get(name), disabled: isManaged });
  return (
    <Section title={words.hours}>
      <Card>
        <div className={layout.stack}>
          <p className={layout.soft}>{words.hoursLead}</p>
          {isManaged ? (
            <ManagedMark name="sendHours" />
          ) : (
            <Choice
              label={words.isLimited}
              value={values.isLimited}
              options={(['no', 'yes'] as const).map((one) => [one, words.limited[one]])}
              onChange={(isLimited) => form.set({ ...values, isLimited })}
            />
          )}
          {values.isLimited === 'yes' && (
            <>
              <div className={layout.grid}>
                <TextField type="time" required label={words.sendHoursFrom} {...propsOf('sendHoursFrom')} />
                <TextField type="time" required label={words.sendHoursTo} {...propsOf('sendHoursTo')} />
              </div>
              <SelectField label={words.sendHoursZone} {...propsOf('sendHoursZone')}>
                {(values.timeZone !== '' || values.sendHoursZone === '') && (
                  <option value="">{words.ofCompany}</option>
                )}
                <Zones chosen={values.sendHoursZone} />
              </SelectField>
              <SelectField label={words.sendHoursBatch} {...propsOf('sendHoursBatch')}>
                {(['delay', 'drop'] as const).map((one) => (
                  <option key={one} value={one}>
                    {words.outside[one]}
                  </option>
                ))}
              </SelectField>
            </>
          )}
        </div>
      </Card>
    </Section>
  );
}

function Limits({ company }: { readonly company: Company }) {
  const words = useCompanyWords();
  const written = useNumbers();
  const figure = (value: number | undefined) => (value === undefined ? words.unlimited : written(value));
  const list = (items: readonly string[] | undefined) => (items === undefined ? words.any : items.join(', '));
  return (
    <Section title={words.limits} actions={<ButtonLink to="/usage">{words.left}</ButtonLink>}>
      <Card>
        <div className={layout.stack}>
          <p className={layout.soft}>{words.limitsLead}</p>
          <Facts
            facts={[
              [words.quotaParts, figure(company.quotaParts)],
              [words.partsPerDay, figure(company.partsPerDay)],
              [words.partsPerMinute, figure(company.partsPerMinute)],
              [
                words.mailsPerDay,
                company.mailsPerDay === undefined ? undefined : written(company.mailsPerDay),
              ],
              [words.senders, list(company.senders)],
              [words.countries, list(company.countries)],
            ]}
          />
        </div>
      </Card>
    </Section>
  );
}

/**
 * Tries out a template. Its fields are filled in by hand, or with what the address book knows about a person, and the result
 * is shown.
 */
import { useState } from 'react';
import { compileTemplate, fieldsOf, parseTemplate } from '../../../src/wire/sms/substitution.ts';
import { useDefaultBook, usePeopleLike } from '../api/address-book.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { useSettled } from '../browser/settled.ts';
import { useCombobox } from '../design/combobox.tsx';
import { Field, TextField, textControl } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { PartsMeter } from '../design/message-field.tsx';
import { Card } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import styles from './templates.module.css';
import { useTemplateWords } from './texts.ts';

type Person = AnswerOf<'GET', '/api/v1/addressbooks/{book}/contacts'>['contacts'][number];

/** What is known about a person, by label: a label is the name of a contact's field in either language, or the type of a tag. */
function knownOf({ name, phone = '', email = '', tags }: Person): ReadonlyMap<string, string> {
  const [first = ''] = name.split(' ');
  return new Map([
    ...tags.map(({ type, value }) => [type.toLowerCase(), value] as const),
    ...['name', 'namn'].map((label) => [label, name] as const),
    ...['first name', 'firstname', 'förnamn'].map((label) => [label, first] as const),
    ...['phone', 'number', 'telefon', 'nummer'].map((label) => [label, phone] as const),
    ...['email', 'e-mail', 'e-post'].map((label) => [label, email] as const),
  ]);
}

/** The placeholder for a value that is not filled in yet. */
const blank = '___';

export function Trial({ text }: { readonly text: string }) {
  const words = useTemplateWords();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [person, setPerson] = useState<Person>();
  const fields = fieldsOf(text);
  const labels = fields.map(({ label }) => label);
  const { fill } = compileTemplate(parseTemplate(text), labels, true);
  const filled = fill(labels.map((label) => values[label] || blank));
  const choose = (chosen: Person) => {
    const known = knownOf(chosen);
    setPerson(chosen);
    setValues((before) => ({
      ...before,
      ...Object.fromEntries(
        fields.flatMap(({ label }) => {
          const value = known.get(label.trim().toLowerCase());
          return value === undefined ? [] : [[label, value] as const];
        }),
      ),
    }));
  };
  return (
    <Card className={layout.stack}>
      <h2>{words.fields}</h2>
      <p className={layout.soft}>{fields.length === 0 ? words.noFields : words.fieldsHint}</p>
      {fields.length > 0 && <PersonChoice choose={choose} />}
      {fields.map(({ label, description }) => (
        <TextField
          key={label}
          label={label}
          hint={description}
          value={values[label] ?? ''}
          onChange={(event) => setValues({ ...values, [label]: event.target.value })}
        />
      ))}
      {person !== undefined && (
        <p className={layout.soft}>
          {words.forPerson} <bdi>{person.name}</bdi> <PhoneNumber number={person.phone ?? ''} />
        </p>
      )}
      {filled !== '' && (
        <p className={layout.sms} dir="auto">
          {filled}
        </p>
      )}
      <PartsMeter text={filled} />
    </Card>
  );
}

function PersonChoice({ choose }: { readonly choose: (person: Person) => void }) {
  const words = useTemplateWords();
  const book = useDefaultBook();
  const [typed, setTyped] = useState('');
  const settled = useSettled(typed.trim(), 150);
  const { people, isLoading } = usePeopleLike(book, settled);
  const combobox = useCombobox({
    label: words.person,
    takesFirst: settled === typed.trim() && !isLoading,
    options: people.map((one) => ({
      key: one.id,
      shown: (
        <>
          <bdi>{one.name}</bdi>
          <span className={layout.soft}>
            <PhoneNumber number={one.phone ?? ''} />
          </span>
        </>
      ),
      choose: () => {
        setTyped('');
        choose(one);
      },
    })),
  });
  if (book === undefined) return null;
  return (
    <Field label={words.person} hint={words.personHint}>
      {(control) => (
        <div className={styles.person}>
          <input
            {...control}
            {...combobox.attributes}
            className={textControl}
            spellCheck={false}
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              combobox.open();
            }}
            onKeyDown={combobox.pressed}
            onBlur={combobox.close}
          />
          {combobox.list}
        </div>
      )}
    </Field>
  );
}

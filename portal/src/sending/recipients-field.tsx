/**
 * Shows the recipients as tokens: numbers typed or pasted in any form, columns of a spreadsheet, and filters and groups of
 * the address book.
 */
import { type ClipboardEvent, type KeyboardEvent, useMemo, useState } from 'react';
import { cleanNumber, countryCodeOf } from '../../../src/wire/phone-number.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { Chip } from '../design/chip.tsx';
import { useCombobox } from '../design/combobox.tsx';
import { CountryCodeField } from '../design/country-code-field.tsx';
import { FaultText } from '../design/fault-text.tsx';
import { Field } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { useSession } from '../session/session.ts';
import { groupedNumber } from '../words/numbers.ts';
import { isNational, joined, maxRecipients, numbersIn, type Recipient } from './recipient.ts';
import styles from './sending.module.css';
import { useSuggestions } from './suggestions.tsx';
import { useSendingWords } from './texts.ts';

/** Nobody reads more tokens than this, so only the number of the others is shown. */
const maxShown = 60;

/** The part of a form's draft that the field changes. */
export interface RecipientsDraft {
  readonly recipients: readonly Recipient[];
  /** The country code that replaces a single leading zero. */
  readonly countryCode: string;
}

interface FormPart {
  readonly draft: RecipientsDraft;
  readonly change: (some: Partial<RecipientsDraft>) => void;
}

const isName = (typed: string) => /\p{L}/u.test(typed);

/**
 * Typed text becomes a token on Enter, on a comma, or on leaving the field. Pasted text is split at once, into one token per
 * number.
 */
function useTyping({ draft, change }: FormPart) {
  const words = useSendingWords();
  const [typed, setTyped] = useState('');
  const [announcement, setAnnouncement] = useState('');
  const { recipients } = draft;
  const countryCode = countryCodeOf(useSession().company, draft.countryCode);
  const [tooMany, setTooMany] = useState(0);
  /** Adds all of them or none, because otherwise nobody would know who was left out. */
  const add = (more: readonly Recipient[]): boolean => {
    const all = joined(recipients, more, countryCode);
    const isTooMany = all.length > maxRecipients;
    setTooMany(isTooMany ? all.length : 0);
    if (!isTooMany) change({ recipients: all });
    return !isTooMany;
  };
  const take = (text: string): boolean => {
    const { numbers, others } = numbersIn(text);
    if (numbers.length === 0) return false;
    const isAdded = add(numbers.map((value) => ({ kind: 'number', value })));
    setAnnouncement(isAdded && (numbers.length > 1 || others > 0) ? words.added(numbers.length, others) : '');
    return true;
  };
  const { options, areSettled } = useSuggestions(typed, (one) => {
    add([one]);
    setAnnouncement('');
    setTyped('');
  });
  const takesFirst = isName(typed) && areSettled;
  const combobox = useCombobox({ label: words.suggestions, options, takesFirst });
  const finish = () => {
    combobox.close();
    if (typed.trim() === '') return;
    if (!take(typed)) add([{ kind: 'number', value: typed.trim() }]);
    setTyped('');
  };
  const pressed = (event: KeyboardEvent) => {
    if (combobox.pressed(event)) return;
    // A semicolon may be part of a tag filter.
    if (event.key === 'Enter' || (!isName(typed) && [',', ';'].includes(event.key))) {
      event.preventDefault();
      // For a name, the user has to choose what it means.
      if (!isName(typed)) finish();
    }
    if (event.key === 'Backspace' && typed === '') change({ recipients: recipients.slice(0, -1) });
  };
  const pasted = (event: ClipboardEvent) => {
    if (!take(typed + event.clipboardData.getData('text/plain'))) return;
    event.preventDefault();
    setTyped('');
  };
  const write = (text: string) => {
    setTyped(text);
    combobox.open();
  };
  return { typed, write, announcement, tooMany, combobox, finish, pressed, pasted };
}

export function RecipientsField({ draft, change, label }: FormPart & { readonly label?: string }) {
  const words = useSendingWords();
  const { recipients } = draft;
  const { company } = useSession();
  const countryCode = countryCodeOf(company, draft.countryCode);
  const { typed, write, announcement, tooMany, combobox, finish, pressed, pasted } = useTyping({
    draft,
    change,
  });
  const wrong = useMemo(() => firstFault(recipients, countryCode), [recipients, countryCode]);
  return (
    <>
      <div>
        <Field label={label ?? words.to} hint={words.toHint}>
          {(control) => (
            <div className={`${styles.tokens} ${layout.paper} ${layout.row}`}>
              <Tokens draft={draft} change={change} />
              <input
                {...control}
                {...combobox.attributes}
                className={`${styles.typing} ${layout.fill}`}
                spellCheck={false}
                placeholder={recipients.length === 0 ? words.toPlaceholder : ''}
                value={typed}
                onChange={(event) => write(event.target.value)}
                onKeyDown={pressed}
                onPaste={pasted}
                onBlur={finish}
              />
              {combobox.list}
            </div>
          )}
        </Field>
        <div className={`${styles.below} ${layout.row} ${layout.apart}`}>
          <p role="status" className={layout.soft}>
            {announcement} {wrong !== undefined && <FaultText fault={wrong} />}
          </p>
          {recipients.length > 1 && (
            <Button small look="quiet" onClick={() => change({ recipients: [] })}>
              {words.removeAll}
            </Button>
          )}
        </div>
      </div>
      {tooMany > 0 && <TooMany count={tooMany} />}
      {recipients.some(isNational) && (
        <CountryCodeField
          value={draft.countryCode}
          change={(code) => change({ countryCode: code })}
          ofCompany={company.countryCode}
        />
      )}
    </>
  );
}

function TooMany({ count }: { readonly count: number }) {
  const words = useSendingWords();
  const asBatch = (
    <ButtonLink small to="/batches/new">
      {words.asBatch}
    </ButtonLink>
  );
  return (
    <Notice tone="error" action={asBatch}>
      {words.tooMany(count, maxRecipients)}
    </Notice>
  );
}

function Tokens({ draft, change }: FormPart) {
  const words = useSendingWords();
  const { recipients } = draft;
  const countryCode = countryCodeOf(useSession().company, draft.countryCode);
  const remove = (gone: Recipient) => change({ recipients: recipients.filter((one) => one !== gone) });
  return (
    <>
      <ul
        aria-label={words.to}
        className={`${styles.tokenList} ${layout.scrolls} ${layout.row} ${layout.tight}`}
      >
        {recipients.slice(0, maxShown).map((one) => (
          <Token
            key={`${one.kind} ${one.value}`}
            recipient={one}
            countryCode={countryCode}
            remove={() => remove(one)}
          />
        ))}
      </ul>
      {recipients.length > maxShown && (
        <span className={layout.soft}>{words.moreRecipients(recipients.length - maxShown)}</span>
      )}
    </>
  );
}

/** Returns undefined if the recipient is not a number. */
function cleaned({ kind, value }: Recipient, countryCode: string | undefined) {
  return kind === 'number' ? cleanNumber(value, countryCode) : undefined;
}

function firstFault(recipients: readonly Recipient[], countryCode: string | undefined) {
  for (const one of recipients) {
    const number = cleaned(one, countryCode);
    if (number?.ok === false) return number;
  }
  return undefined;
}

function Token({
  recipient,
  countryCode,
  remove,
}: {
  readonly recipient: Recipient;
  readonly countryCode: string | undefined;
  readonly remove: () => void;
}) {
  const words = useSendingWords();
  const { kind, value, name } = recipient;
  const number = cleaned(recipient, countryCode);
  const wrong = number?.ok === false ? number : undefined;
  const text = name ?? (number?.ok ? groupedNumber(number.value) : value);
  return (
    <li title={name === undefined ? undefined : groupedNumber(value)}>
      <Chip isWrong={wrong !== undefined} remove={[words.remove(text), remove]}>
        {kind !== 'number' && <span className={layout.soft}>{words.selections[kind]} </span>}
        <span>{text}</span>
        {wrong !== undefined && (
          <span className="unseen">
            <FaultText fault={wrong} />
          </span>
        )}
      </Chip>
    </li>
  );
}

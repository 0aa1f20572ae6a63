/** By which beginnings a contact is found: of its name, of each word of its name, and of its number in both forms. */
import { nationalForm, withoutSeparators } from '../wire/phone-number.ts';
import type { Contact } from './contact.ts';

/** Of a name; whoever has more words is found by the first of them. */
const maxWords = 6;
/** Of a term, in characters: longer ones differ in the beginning. */
const maxTermLength = 60;

/** The first is the one that lists are sorted by. */
export function termsOf({
  name,
  phone,
  email,
}: Pick<Contact, 'name' | 'phone' | 'email'>): readonly string[] {
  const words = wordsOf(name);
  const fromWords = words.slice(0, maxWords).map((_, from) => termFrom(words.slice(from).join(' ')));
  const numbers = phone === undefined ? [] : [phone, nationalForm(phone)];
  const terms = new Set([
    ...fromWords,
    ...numbers,
    ...(email === undefined ? [] : [termFrom(email.toLowerCase())]),
  ]);
  return terms.size > 0 ? [...terms] : [''];
}

/** The beginning that is looked for when somebody writes this. */
export function termSought(written: string): string {
  const digits = withoutSeparators(written);
  if (/^[0-9]+$/.test(digits)) return termFrom(digits.startsWith('00') ? digits.slice(2) : digits);
  return written.includes('@')
    ? termFrom(written.trim().toLowerCase())
    : termFrom(wordsOf(written).join(' '));
}

/** In small letters without accents: on a telephone nobody writes them. */
function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/** Not cut between the halves of a surrogate pair. */
function termFrom(text: string): string {
  return text.slice(0, maxTermLength).replace(/[\uD800-\uDBFF]$/, '');
}

/**
 * What the columns of CSV files are called. In English they have the names that calls use, so that programs can rely on them;
 * in Swedish they have words. Files that are read back are understood in both.
 */
import type { Language } from '../foundation/language.ts';

/** The keys are names of columns in lower case. */
const inSwedish: Readonly<Record<string, string>> = {
  accepted: 'mottaget',
  act: 'vad',
  addedby: 'tillagd av',
  app: 'app',
  at: 'tid',
  batchid: 'utskick',
  blocked: 'spärrad',
  by: 'av',
  category: 'kategori',
  changed: 'ändrat',
  channel: 'via',
  checkmobile: 'bara mobilnummer',
  conversation: 'konversation',
  costcenter: 'kostnadsställe',
  defaultcountrycode: 'landsnummer',
  detail: 'detaljer',
  details: 'detaljer',
  email: 'e-post',
  from: 'från',
  id: 'id',
  includesubject: 'ta med ämnesraden',
  maxsms: 'högst antal sms-delar per mejl',
  message: 'text',
  messages: 'meddelanden',
  month: 'månad',
  name: 'namn',
  number: 'nummer',
  object: 'objekt',
  onlynondelivery: 'bara kvitton när det inte gick fram',
  origmsg: 'citera den ursprungliga texten',
  parts: 'delar',
  payinguser: 'betalas av',
  people: 'personer',
  phone: 'telefon',
  proof: 'bevis',
  scheduletime: 'schemalagd tid',
  sender: 'avsändarnamn',
  senderlogic: 'avsändarnamn efter domän',
  simulated: 'simulerat',
  since: 'sedan',
  source: 'källa',
  splitcallback: 'kvitton och svar med mejl',
  status: 'status',
  statuscode: 'statuskod',
  tags: 'taggar',
  time: 'tid',
  to: 'till',
  username: 'användare',
  what: 'vad',
  why: 'varför',
  word: 'ord',
};

/** A code as it is in English, or its words in Swedish. */
export function wordIn(language: Language, swedish: Readonly<Record<string, string>>, code: string): string {
  return language === 'sv' ? (swedish[code] ?? code) : code;
}

export function columnIn(language: Language, column: string): string {
  return language === 'en' ? column : (inSwedish[column.toLowerCase()] ?? column);
}

/** The first line of a file with these columns. */
export function headIn(language: Language, columns: readonly string[]): readonly string[] {
  return columns.map((column) => columnIn(language, column));
}

/** The column that a title stands for, in either language and any case. */
export function columnTitled<Column extends string>(
  title: string,
  columns: readonly Column[],
): Column | undefined {
  const written = title.trim().toLowerCase();
  return columns.find((column) => written === column.toLowerCase() || written === columnIn('sv', column));
}

export function flagIn(language: Language, flag: boolean): string {
  return language === 'en' ? String(flag) : flag ? 'ja' : 'nej';
}

/** A cell with a value of a call; flags have words. */
export function cellIn(language: Language, value: string | number | boolean | undefined): string {
  return typeof value === 'boolean' ? flagIn(language, value) : String(value ?? '');
}

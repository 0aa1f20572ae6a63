/** The texts of the audit log page; those of the acts are in `acts.ts`. */
import { wordsOf } from '../words/words.ts';

export const useAuditWords = wordsOf({
  title: ['Audit log', 'Granskningslogg'],
  lead: [
    'Who did what in the company, and who looked at what others sent. What programs sent is found among the messages.',
    'Vem som har gjort vad i företaget, och vem som har tittat på det som andra har skickat. Vad program har skickat finns bland meddelandena.',
  ],
  csv: ['CSV', 'CSV'],
  csvLabel: ['Download these entries as CSV', 'Ladda ner de här raderna som CSV'],
  none: ['Nothing yet', 'Inget än'],
  noneText: ['What users do is listed here from now on.', 'Här syns vad användarna gör från och med nu.'],
  noneFound: ['Nothing found', 'Inget hittat'],
  noneFoundText: ['Try fewer filters, or a longer period.', 'Prova färre filter eller en längre period.'],
  username: ['User', 'Användare'],
  object: ['Object', 'Objekt'],
  objectHint: [
    'An id or a name, exactly as it stands in the log.',
    'Ett id eller ett namn, exakt som det står i loggen.',
  ],
  what: ['What', 'Vad'],
  everything: ['Everything', 'Allt'],
  kinds: {
    signedIn: ['Signed in', 'Loggade in'],
    sent: ['Sent', 'Skickade'],
    changed: ['Changed', 'Ändrade'],
    exported: ['Exported', 'Exporterade'],
    looked: ['Looked', 'Tittade'],
  },
  allOf: [(kind: string) => `${kind}: all`, (kind: string) => `${kind}: allt`],
  more: ['Object and period', 'Objekt och period'],
  clear: ['Clear filters', 'Rensa filter'],
  operator: ['The operator', 'Driften'],
  session: ['a session', 'en session'],
  when: ['When', 'När'],
  channel: ['From', 'Från'],
  channels: {
    api: ['a program', 'ett program'],
    portal: ['the portal', 'portalen'],
    command: ['a command', 'ett kommando'],
    operator: ['the operator', 'driften'],
  },
  /** What an entry is about if it is about no single thing. */
  objects: {
    messages: ['messages', 'meddelanden'],
    'audit log': ['audit log', 'granskningsloggen'],
    'opt-outs': ['opt-outs', 'avanmälningar'],
    'e-mail senders': ['e-mail senders', 'e-postavsändare'],
  },
  only: [(filter: string) => `Only ${filter}`, (filter: string) => `Bara ${filter}`],
});

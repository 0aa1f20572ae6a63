/** The texts of the front page, in Swedish. */
import { plural } from '../words/words.ts';
import type { en } from './en.ts';

const messages = plural('sv', '# meddelande', '# meddelanden');
const failed = plural('sv', '# meddelande har misslyckats i dag', '# meddelanden har misslyckats i dag');
const unrouted = plural('sv', '# SMS har kommit utan mottagare', '# SMS har kommit utan mottagare');
const unread = plural('sv', '# oläst konversation', '# olästa konversationer');
const conversations = plural('sv', '# konversation', '# konversationer');
const answers = plural('sv', '# har inte svarat', '# har inte svarat');
const numbers = new Intl.NumberFormat('sv');
const orMore = (text: string, isMore: boolean) => (isMore ? `Fler än ${text}` : text);

export const sv = {
  title: 'Start',
  lead: (company: string) => `Vad som händer hos ${company}.`,
  needsMe: 'Att ta hand om',
  nothing: 'Inget att ta hand om just nu.',
  unrouted: (count: number, isMore: boolean) => orMore(unrouted(count), isMore),
  give: 'Ge vidare',
  unread: (count: number, isMore: boolean) => orMore(unread(count), isMore),
  read: 'Läs',
  assigned: (count: number, isMore: boolean) =>
    `Du är ansvarig för ${isMore ? 'fler än ' : ''}${conversations(count)}`,
  failedToday: failed,
  look: 'Visa',
  down: (carrier: string) => `Operatören ${carrier} går inte att nå`,
  whatWaits: 'Vad som väntar',
  nearlyUsed: {
    quota: { ofUser: 'Din kvot är snart slut', ofCompany: 'Företagets kvot är snart slut' },
    day: {
      ofUser: 'Din gräns för dagen är snart nådd',
      ofCompany: 'Företagets gräns för dagen är snart nådd',
    },
  },
  left: (left: number, limit: number) => `${numbers.format(left)} av ${numbers.format(limit)} delar kvar`,
  webhook: {
    failing: (name: string) => `Webhooken ${name} fungerar inte`,
    disabled: (name: string) => `Webhooken ${name} är avstängd`,
  },
  since: 'Sedan',
  gone: 'mottagaren vill inte ha mer (HTTP 410)',
  failures: 'bara misslyckanden i fem dagar',
  postNow: 'Skicka nu',
  enable: 'Aktivera',
  posting: 'Det som väntar skickas nu.',
  underWay: 'Pågår',
  batch: (id: string) => `Utskick ${id}`,
  handedOver: (done: number, all: number) => `${numbers.format(done)} av ${messages(all)} överlämnade`,
  states: {
    preparing: 'Förbereds',
    scheduled: 'Schemalagt',
    held: 'Väntar på sändningstid',
    sending: 'Skickas',
    paused: 'Pausat',
  },
  open: 'Öppna',
  resume: 'Återuppta',
  places: (found: number, goal: number | undefined) =>
    goal === undefined ? `${found} hittade` : `${found} av ${goal} platser fyllda`,
  silent: answers,
  ends: (time: string) => `slutar ${time}`,
  decide: 'Avgör',
  today: 'I dag',
  figures: {
    accepted: 'Inlämnade',
    delivered: 'Framme',
    moving: 'På väg',
    waiting: 'Väntar',
    failed: 'Misslyckade',
  },
  counted: (count: string, since: string) => `Bara de senaste ${count} är räknade: sedan ${since}.`,
  latest: 'Senaste meddelandena',
  none: 'Inget har skickats än',
  noneText: 'Meddelanden syns här så snart någon skickar ett, i portalen eller genom API:et.',
} satisfies typeof en;

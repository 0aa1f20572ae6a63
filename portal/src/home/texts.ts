/** The texts of the front page. */
import { numberFormats, plural, wordsOf } from '../words/words.ts';

const [messages, messagesSv] = plural(['# message', '# messages'], ['# meddelande', '# meddelanden']);
const [unrouted, unroutedSv] = plural(
  ['# unclaimed SMS', '# unclaimed SMS'],
  ['# sms utan mottagare', '# sms utan mottagare'],
);
const [unread, unreadSv] = plural(
  ['# unread conversation', '# unread conversations'],
  ['# oläst konversation', '# olästa konversationer'],
);
const [assigned, assignedSv] = plural(
  ['# conversation is assigned to you', '# conversations are assigned to you'],
  ['# konversation', '# konversationer'],
);
const [answers, answersSv] = plural(
  ['# has not answered', '# have not answered'],
  ['# har inte svarat', '# har inte svarat'],
);
const [failed, failedSv] = plural(
  ['# message failed today', '# messages failed today'],
  ['# meddelande har misslyckats i dag', '# meddelanden har misslyckats i dag'],
);
const orMore = (text: string, isMore: boolean) => (isMore ? `More than ${text}` : text);
const orMoreSv = (text: string, isMore: boolean) => (isMore ? `Fler än ${text}` : text);

export const useHomeWords = wordsOf({
  title: ['Start', 'Start'],
  lead: [
    (company: string) => `What is happening at ${company}.`,
    (company: string) => `Vad som händer hos ${company}.`,
  ],
  needsMe: ['Needs your attention', 'Att ta hand om'],
  nothing: ['Nothing needs your attention.', 'Inget att ta hand om just nu.'],
  unrouted: [
    (count: number, isMore: boolean) => orMore(unrouted(count), isMore),
    (count: number, isMore: boolean) => orMoreSv(unroutedSv(count), isMore),
  ],
  give: ['Pass on', 'Ge vidare'],
  unread: [
    (count: number, isMore: boolean) => orMore(unread(count), isMore),
    (count: number, isMore: boolean) => orMoreSv(unreadSv(count), isMore),
  ],
  read: ['Read', 'Läs'],
  assigned: [
    (count: number, isMore: boolean) => orMore(assigned(count), isMore),
    (count: number, isMore: boolean) => `Du är ansvarig för ${isMore ? 'fler än ' : ''}${assignedSv(count)}`,
  ],
  failedToday: [
    (count: number, isMore: boolean) => orMore(failed(count), isMore),
    (count: number, isMore: boolean) => orMoreSv(failedSv(count), isMore),
  ],
  look: ['Show', 'Visa'],
  down: [
    (carrier: string) => `The carrier ${carrier} can’t be reached`,
    (carrier: string) => `Operatören ${carrier} går inte att nå`,
  ],
  whatWaits: ['Show waiting', 'Visa väntande'],
  nearlyUsed: {
    quota: {
      ofUser: ['Your quota is nearly used up', 'Din kvot är snart slut'],
      ofCompany: ['The company’s quota is nearly used up', 'Företagets kvot är snart slut'],
    },
    day: {
      ofUser: ['Your limit for today is nearly reached', 'Din gräns för dagen är snart nådd'],
      ofCompany: [
        'The company’s limit for today is nearly reached',
        'Företagets gräns för dagen är snart nådd',
      ],
    },
  },
  left: [
    (left: number, limit: number) =>
      `${numberFormats.en.format(left)} of ${numberFormats.en.format(limit)} parts left`,
    (left: number, limit: number) =>
      `${numberFormats.sv.format(left)} av ${numberFormats.sv.format(limit)} delar kvar`,
  ],
  webhook: {
    failing: [
      (name: string) => `The webhook ${name} is failing`,
      (name: string) => `Webhooken ${name} fungerar inte`,
    ],
    disabled: [
      (name: string) => `The webhook ${name} is switched off`,
      (name: string) => `Webhooken ${name} är avstängd`,
    ],
  },
  since: ['Since', 'Sedan'],
  gone: [
    'its receiver no longer accepts events (HTTP 410)',
    'mottagaren tar inte längre emot händelser (HTTP 410)',
  ],
  failures: ['every attempt has failed for five days', 'alla försök har misslyckats i fem dagar'],
  postNow: ['Retry now', 'Försök nu'],
  enable: ['Switch on', 'Slå på'],
  posting: ['The waiting events are being sent.', 'De väntande händelserna skickas nu.'],
  answers: [
    (yes: number, no: number, other: number, silent: number) =>
      `${yes} YES · ${no} NO · ${other} other · ${silent} silent`,
    (yes: number, no: number, other: number, silent: number) =>
      `${yes} JA · ${no} NEJ · ${other} annat · ${silent} utan svar`,
  ],
  underWay: ['In progress', 'Pågår'],
  batch: [(id: string) => `Batch ${id}`, (id: string) => `Utskick ${id}`],
  handedOver: [
    (done: number, all: number) => `${numberFormats.en.format(done)} of ${messages(all)} sent`,
    (done: number, all: number) => `skickat ${numberFormats.sv.format(done)} av ${messagesSv(all)}`,
  ],
  states: {
    preparing: ['Being prepared', 'Förbereds'],
    scheduled: ['Scheduled', 'Schemalagt'],
    held: ['Waiting for send hours', 'Väntar på sändningstid'],
    sending: ['Being sent', 'Skickas'],
    paused: ['Paused', 'Pausat'],
  },
  open: ['Open', 'Öppna'],
  resume: ['Resume', 'Återuppta'],
  places: [
    (found: number, goal: number | undefined) =>
      goal === undefined ? `${found} found` : `${found} of ${goal} places filled`,
    (found: number, goal: number | undefined) =>
      goal === undefined ? `${found} hittade` : `${found} av ${goal} platser fyllda`,
  ],
  silent: [answers, answersSv],
  ends: [(time: string) => `ends ${time}`, (time: string) => `slutar ${time}`],
  decide: ['Decide', 'Hantera'],
  today: ['Today', 'I dag'],
  figures: {
    accepted: ['Accepted', 'Inlämnade'],
    delivered: ['Delivered', 'Levererade'],
    moving: ['On their way', 'På väg'],
    waiting: ['Waiting', 'Väntar'],
    failed: ['Failed', 'Misslyckade'],
  },
  counted: [
    (count: string, since: string) =>
      `There are more than ${count} today. The other figures are of the latest ${count}, since ${since}.`,
    (count: string, since: string) =>
      `Det är fler än ${count} i dag. De andra siffrorna gäller de senaste ${count}, sedan ${since}.`,
  ],
  latest: ['Latest messages', 'Senaste meddelandena'],
  none: ['Nothing has been sent yet', 'Inget har skickats än'],
  noneText: [
    'Messages appear here as soon as someone sends one, in the portal or through the API.',
    'Meddelanden syns här så snart någon skickar ett, i portalen eller genom API:et.',
  ],
});

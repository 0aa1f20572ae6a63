/** The texts that people get of alerts, from the receiver's text with `{{placeholders}}`. */
import type { Language } from '../wire/answers/words.ts';
import { normaliseText } from '../wire/sms/normalise.ts';
import type { ReceivedAlert } from './alert.ts';

/** A receiver without a text of its own. */
export const defaultAlertText = '{{title}}';

/** Two or three SMS parts: the text is read at night, and a source may send a page of log. */
export const maxAlertText = 400;

/** What is told: what people are woken for, what joined it since, or that it is over. */
export type AlertOccasion = 'firing' | 'more' | 'resolved';

export interface ToldAlerts {
  readonly occasion: AlertOccasion;
  /** The name of the receiver. */
  readonly receiver: string;
  /** The alert whose text stands for all. */
  readonly first: Pick<ReceivedAlert, 'state' | 'title' | 'labels' | 'annotations' | 'url' | 'fingerprint'>;
  /** How many alerts are told of, with the first. */
  readonly count: number;
  readonly language: Language;
}

/** Never empty, and at most `maxAlertText` characters. */
export function alertText(template: string, told: ToldAlerts): string {
  const { occasion, count, language, first } = told;
  const words = wordsOf[language];
  const filled = normaliseText(fill(template, told)).trim();
  const [before, after] =
    occasion === 'more'
      ? [`${words.more(count)}: `, '']
      : [
          occasion === 'resolved' ? `${words.resolved}: ` : '',
          count > 1 ? ` (${words.andMore(count - 1)})` : '',
        ];
  const room = maxAlertText - before.length - after.length;
  return `${before}${shortened(filled || normaliseText(first.title || first.fingerprint), room)}${after}`;
}

const placeholder = /\{\{([^{}]{1,100})\}\}/g;

/** One pass: what is filled in is never searched again. Unknown names are empty, as most labels are missing now and then. */
function fill(template: string, { receiver, first, count }: ToldAlerts): string {
  const own: Readonly<Record<string, string>> = {
    title: first.title,
    status: first.state,
    receiver,
    count: String(count),
    url: first.url ?? '',
  };
  return template.replace(placeholder, (_, given: string) => {
    const name = given.trim();
    const holder = [own, first.labels, first.annotations].find((values) => Object.hasOwn(values, name));
    return (holder?.[name] ?? '').replace(/\s+/g, ' ').trim();
  });
}

/** Three full stops: the sign … would make an SMS of GSM-7 twice as long. */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 3).replace(/[\uD800-\uDBFF]$/, '')}...`;
}

interface Words {
  readonly resolved: string;
  readonly more: (count: number) => string;
  readonly andMore: (count: number) => string;
}

const wordsOf: Readonly<Record<Language, Words>> = {
  en: {
    resolved: 'Resolved',
    more: (count) => `${count} more`,
    andMore: (count) => `and ${count} more`,
  },
  sv: {
    resolved: 'Åtgärdat',
    more: (count) => `${count} till`,
    andMore: (count) => `och ${count} till`,
  },
  no: {
    resolved: 'Løst',
    more: (count) => `${count} til`,
    andMore: (count) => `og ${count} til`,
  },
  da: {
    resolved: 'Løst',
    more: (count) => `${count} mere`,
    andMore: (count) => `og ${count} mere`,
  },
  fi: {
    resolved: 'Korjaantunut',
    more: (count) => `${count} lisää`,
    andMore: (count) => `ja ${count} muuta`,
  },
  de: {
    resolved: 'Behoben',
    more: (count) => `${count} weitere`,
    andMore: (count) => `und ${count} weitere`,
  },
};

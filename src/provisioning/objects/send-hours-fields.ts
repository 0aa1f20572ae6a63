/** The hours in which a company lets batches be sent, as a provisioning file gives them. */
import { isTimeOfDay, outsideHours, type SendHours } from '../../batches/hours/send-hours.ts';
import { isTimeZone } from '../../batches/hours/send-window.ts';
import { nearest, needed, object, oneOfWords, optional, type Read, text } from '../../yaml/fields.ts';
import { placeOf } from './planned.ts';

const timeOfDay = text((written) =>
  isTimeOfDay(written)
    ? { value: written }
    : { wrong: `must be a time from 00:00 to 23:59, such as "07:00"${advice(written)}` },
);

function advice(written: string): string {
  return written === '24:00' ? '; write "00:00" for midnight' : '';
}

const zone = text((written) => {
  if (isTimeZone(written)) return { value: written };
  const meant = nearest(written, Intl.supportedValuesOf('timeZone'));
  return {
    wrong: `must name a time zone, such as Europe/Stockholm${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  };
});

const fields = object({
  from: needed(timeOfDay, ''),
  to: needed(timeOfDay, ''),
  zone: needed(zone, ''),
  batch: optional(oneOfWords(outsideHours), 'delay' as const),
});

export const sendHours: Read<SendHours> = (tree, faults) => {
  const read = fields(tree, faults);
  if (read === undefined) return undefined;
  const { from, to, zone, batch } = read;
  if (from !== '' && from === to) {
    const sentence = 'must be another time than "from"; leave "sendHours" out to send at all hours';
    faults.push({ place: placeOf(read, 'to'), sentence });
  }
  return { from, to, zone, batch };
};

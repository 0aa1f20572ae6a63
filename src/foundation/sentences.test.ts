import { expect, test } from 'vitest';
import { errorOfFields, ServiceError } from './errors.ts';
import { fault } from './result.ts';
import { auditSentences } from './sentences/audit-details.ts';
import { callSentences } from './sentences/calls.ts';
import { notationSentences } from './sentences/notations.ts';
import { objectSentences } from './sentences/objects.ts';
import { reasonSentences } from './sentences/reasons.ts';
import { sendingSentences } from './sentences/sending.ts';
import {
  inSwedish,
  readReason,
  reasonIn,
  type Sentence,
  sampleSentences,
  storedReason,
} from './sentences.ts';
import { arrived, crossing } from './thread.ts';

const values = { sentence: 'text_parts', parts: 256, most: 255 } as const;
const error = 'The text needs 256 SMS parts; the limit is 255.';

test('[CONV-10] A field error keeps its sentence all the way to the response, across threads too', () => {
  const content = { code: 'text_too_long', error, values } as const;
  expect(fault('text_too_long', values)).toEqual({ ok: false, ...content });
  const refused = arrived(structuredClone(crossing(errorOfFields(content, 'message'))));
  expect(refused).toBeInstanceOf(ServiceError);
  expect(refused).toMatchObject({ code: 'text_too_long', message: error, values });
  expect(refused).toMatchObject({ errors: [{ field: 'message', ...content }] });
});

test('[CONV-14] No two sentences have the same name, in whichever files they are', () => {
  const ofFiles = [
    auditSentences,
    callSentences,
    notationSentences,
    objectSentences,
    reasonSentences,
    sendingSentences,
  ];
  const names = ofFiles.flatMap((sentences) => Object.keys(sentences));
  expect(names.toSorted()).toEqual(sampleSentences.map(({ sentence }) => sentence).toSorted());
});

test.each(sampleSentences)(
  '[STAT-1] The stored sentence $sentence reads back as it was stored',
  (sentence) => {
    expect(readReason(storedReason(sentence)).values).toEqual(sentence);
  },
);

test.each(['cancelled by anna', '{"sentence":"text_parts","parts":2'])(
  '[STAT-1] A stored reason that is no known sentence is read back unchanged: %s',
  (text) => {
    expect(readReason(text)).toEqual({ text });
  },
);

test('[STAT-1] A stored sentence that this server version does not know is shown by its name and values', () => {
  const read = (values: object) => readReason(storedReason(values as Sentence));
  expect(read({ sentence: 'text_parts', parts: 2 })).toEqual({ text: 'text parts (2)' });
  expect(read({ sentence: 'of_a_newer_server' })).toEqual({ text: 'of a newer server' });
});

test('[STAT-1] [CONV-14] A text from outside that looks like a stored sentence is no sentence if its values are of other kinds', () => {
  const texts = ['{"sentence":"for_codes","codes":5}', '{"sentence":"has_opted_out","sentence":["x"]}'];
  for (const text of [...texts, '{"sentence":"remarks","parts":{"split":1}}', '{"sentence":"row_cell"}'])
    for (const language of ['en', 'sv'] as const) {
      expect(readReason(text).values).toBeUndefined();
      expect(reasonIn(language, text)).not.toMatch(/undefined/);
    }
});

test('[CONV-14] Swedish sentences quote with the Swedish mark at both ends', () => {
  const values = { sentence: 'unknown_filter', filter: '“Nurses”', known: '“Night”, “Day”' } as const;
  expect(inSwedish(values)).toMatch(/”Nurses”.*”Night”, ”Day”/);
  expect(sampleSentences.filter((sample) => inSwedish(sample)?.includes('“'))).toEqual([]);
});

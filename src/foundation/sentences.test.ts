import { expect, test } from 'vitest';
import { errorOfFields, ServiceError } from './errors.ts';
import { fault } from './result.ts';
import { readReason, type Sentence, sampleSentences, storedReason } from './sentences.ts';
import { arrived, crossing } from './thread.ts';

const values = { sentence: 'text_parts', parts: 256, most: 255 } as const;
const error = 'The text needs 256 SMS parts; 255 is the most.';

test('[CONV-10] a fault of a field carries its sentence as far as the answer, over threads too', () => {
  const told = { code: 'text_too_long', error, values } as const;
  expect(fault('text_too_long', values)).toEqual({ ok: false, ...told });
  const refused = arrived(structuredClone(crossing(errorOfFields(told, 'message'))));
  expect(refused).toBeInstanceOf(ServiceError);
  expect(refused).toMatchObject({ code: 'text_too_long', message: error, values });
  expect(refused).toMatchObject({ errors: [{ field: 'message', ...told }] });
});

test.each(sampleSentences)('[STAT-1] $sentence is read as it was stored', (sentence) => {
  expect(readReason(storedReason(sentence)).values).toEqual(sentence);
});

test.each(['cancelled by anna', '{"sentence":"text_parts","parts":2'])(
  '[STAT-1] what is no sentence stays as it is: %s',
  (text) => {
    expect(readReason(text)).toEqual({ text });
  },
);

test('[STAT-1] a sentence that only another version of the server knows is told by its name and its values', () => {
  const read = (values: object) => readReason(storedReason(values as Sentence));
  expect(read({ sentence: 'text_parts', parts: 2 })).toEqual({ text: 'text parts (2)' });
  expect(read({ sentence: 'of_a_newer_server' })).toEqual({ text: 'of a newer server' });
});

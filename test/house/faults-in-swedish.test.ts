/**
 * Every refusal of the server is available in Swedish: by the sentences of its dictionary, otherwise by the codes of its
 * catalogue.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { catalogue, type ErrorContent } from '../../src/foundation/errors.ts';
import { faultsInSwedish } from '../../src/foundation/faults-sv.ts';
import { inEnglish, inSwedish, type Sentence, sampleSentences } from '../../src/foundation/sentences.ts';
import { replacerFor } from '../../src/http/answers/in-language.ts';
import { filesBelow, parsedSources, root } from './sources.ts';

test('[PORT-13] [CONV-14] Each error code of the catalogue has a Swedish sentence, and no other code has', () => {
  expect(Object.keys(faultsInSwedish).toSorted()).toEqual(Object.keys(catalogue).toSorted());
  for (const sentence of Object.values(faultsInSwedish)) expect(sentence).toMatch(/^[A-ZÅÄÖ].*\.$/);
});

/** Values that are words or codes, for which the Swedish sentence has words of its own. */
const inOtherWords = [
  ...['webhook_url.wrong', 'webhook_url_forbidden.why', 'webhook_events.fewest'],
  ...['webhook_filter.of', 'webhook_filter.contradiction'],
  ...['parts_never.holder', 'parts_left.holder', 'wrong_type.wanted', 'wrong_type.given', 'not_an_id.noun'],
  ...['json_broken.expected', 'json_kind.kind', 'time_part.part', 'filter_parts.place', 'row_cell.column'],
  ...['row_twice.what', 'row_twice_shared.what', 'tag_wrong.what', 'none_such.noun', 'none_seen.noun'],
  ...['none_in_place.noun', 'none_in_place.place', 'none_of_version.noun', 'changed_by_other.noun'],
  ...['managed_object.noun', 'managed_field.noun', 'own_limit.of', 'own_list.of'],
  ...['name_exists.noun', 'name_exists.place', 'contact_exists.what'],
  ...['message_ended.status', 'message_has_changed.status', 'message_not_scheduled.status'],
  ...['batch_parts_never.holder', 'batch_parts_left.holder'],
  ...['job_pool_short.code', 'job_all_left_out.because', 'for_codes.codes', 'several_reasons.more'],
  ...['sms_status.status', 'run_act.act', 'run_act_not_done.phase'],
  ...['level_pushed.level', 'level_due.level', 'level_early.level'],
  ...['remarks.parts', 'factor_event.event', 'webhook_text.text'],
  ...['opt_out_added.category', 'opt_out_added.source', 'opt_out_removed.category'],
];

describe('each sentence of the dictionary', () => {
  test.each(sampleSentences)('[PORT-5] The sentence $sentence exists in English and in Swedish', (values) => {
    const { sentence, ...given } = values;
    const [english, swedish] = [inEnglish(values), inSwedish(values) ?? ''];
    for (const text of [english, swedish]) expect(text).not.toMatch(/undefined|NaN|\[object|[{}$]/);
    // Whole sentences, or reasons, which are parts of a sentence; the name of a status stands for itself.
    expect(english).toMatch(/^[A-Z0-9`“].*[.?]$|^[a-z0-9].*\S$|^[A-Z]+(?: [a-z]+)?$/);
    expect(swedish).toMatch(/^[”`A-ZÅÄÖ0-9].*[.?”]$|^[a-zåäö0-9].*[^.\s]$/);
    expect(swedish).not.toBe(english);
    for (const value of Object.values(given).filter((one) => one !== ''))
      expect(english).toContain(String(value));
  });

  test('[CONV-14] Each sentence says as much in Swedish as in English', () => {
    const less = sampleSentences.flatMap(({ sentence, ...given }) => {
      const swedish = inSwedish({ sentence, ...given } as Sentence) ?? '';
      const missing = Object.entries(given).filter(
        ([, one]) => one !== '' && !swedish.includes(quotedInSwedish(String(one))),
      );
      return missing.map(([name]) => `${sentence}.${name}`);
    });
    expect(less.toSorted()).toEqual(inOtherWords.toSorted());
  });

  test('[PORT-5] Each sentence of the dictionary is used by the server', () => {
    const source = filesBelow('src')
      .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('src/foundation/sentences'))
      .map((path) => readFileSync(join(root, path), 'utf8'))
      .join('\n');
    const unused = sampleSentences.filter(({ sentence }) => !source.includes(`'${sentence}'`));
    expect(unused).toEqual([]);
  });
});

/** Swedish has one quotation mark for both ends. */
function quotedInSwedish(text: string): string {
  return text.replaceAll('“', '”');
}

/** The `error` of a fault in an answer to a Swedish reader. */
function told(fault: {
  readonly code: string;
  readonly values?: object;
  readonly errors?: readonly object[];
}): string {
  const answer = JSON.stringify({ error: 'In English.', ...fault }, replacerFor('sv'));
  return (JSON.parse(answer) as ErrorContent).error;
}

test('[CONV-14] A sentence is translated in full, whatever the error code that it comes with', () => {
  const values = { sentence: 'length_between', fewest: 1, most: 30, length: 31 };
  for (const code of ['invalid_value', 'text_too_long', 'of_a_newer_server'])
    expect(told({ code, values })).toBe('Det ska vara 1 till 30 tecken, men är 31.');
});

test('[CONV-14] A name given by a user is never taken for a sentence of the server', () => {
  const filter = '“must have at most 3 characters”';
  expect(
    told({ code: 'unknown_tag_filter', values: { sentence: 'unknown_filter', filter, known: '' } }),
  ).toBe(`Adressboken har inget sparat filter ${quotedInSwedish(filter)}. Den har inga.`);
});

test('[CONV-14] Without a sentence of the dictionary, a fault says in Swedish what its code means', () => {
  const byCode = 'Värdet går inte att använda.';
  expect(told({ code: 'invalid_value' })).toBe(byCode);
  for (const values of [{ sentence: 'of_a_newer_server' }, { sentence: 'length_at_most', longest: 3 }])
    expect(told({ code: 'invalid_value', values })).toBe(byCode);
  const errors = [{ code: 'no_route', error: 'No route leads to 4670.' }];
  expect(told({ code: 'nothing_queued', errors })).toBe(
    'Ingenting skickades: ingen av mottagarna kunde tas emot. Det finns ingen väg till numret. Driften lägger till vägar.',
  );
});

test('[CONV-14] A text is replaced only if it has values beside it', () => {
  const values = { sentence: 'cancelled_by', user: 'anna' };
  const answer = {
    reason: 'cancelled by anna',
    reasonValues: values,
    noReply: 'no',
    list: [{ error: 'Not found', text: 'x' }],
  };
  expect(JSON.parse(JSON.stringify(answer, replacerFor('sv')))).toEqual({
    ...answer,
    reason: 'stoppat av anna',
  });
  expect(replacerFor('en')).toBeUndefined();
});

/** Two words separated by a space, which do not occur in any number, name or id of the portal's own grammars. */
const sentenceLike = /[a-z]{2,}(?: |\\s[+*]?)[a-z]{2,}/i;

test('[PORT-5] The portal matches no sentence of the server by a regular expression', () => {
  expect('^The run \\d+ has ended').toMatch(sentenceLike);
  const sources = parsedSources('portal/src');
  const found = sources.flatMap(({ path, expressions }) =>
    expressions.map(({ line, literal }) => ({ where: `${path}:${line}`, source: literal?.source })),
  );
  expect(found.length).toBeGreaterThan(20);
  const saying = found.filter(({ source }) => source === undefined || sentenceLike.test(source));
  expect(saying.map(({ where }) => where)).toEqual([]);
  // The portal does not match on the text of an error either.
  const asking =
    /\b(?:error|message|said|reason)\)?\.(?:match|matchAll|search)\(|\.(?:exec|test)\((?:\w+\.)?(?:error|said|reason)\)/;
  const asked = sources.filter(({ text }) => asking.test(text)).map(({ path }) => path);
  expect(asked).toEqual([]);
});

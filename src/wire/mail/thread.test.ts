import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rawMail } from '../../../test/harness/raw-mail.ts';
import { readHeader } from './header-fields.ts';
import { conversationOf, ownMessageId, referencesOfAnswer } from './thread.ts';

const read = (...fields: readonly string[]) => {
  const octets = rawMail(fields, 'Hi');
  return { header: readHeader(octets), octets };
};
const conversation = (id: string | undefined, ...fields: readonly string[]) => {
  const { header, octets } = read(...fields);
  return conversationOf(header, id, octets);
};

describe('the conversation of an e-mail', () => {
  test('[MAIL-5] The conversation of an e-mail is that of the first e-mail that it refers to, or otherwise its own', () => {
    const first = conversation('<1@care.example>');
    expect(first).toMatch(/^mail-[0-9a-f]{32}$/);
    expect(conversation('<2@care.example>', 'References: <1@care.example>\r\n <x@sms.example>')).toBe(first);
    expect(conversation('<3@care.example>', 'In-Reply-To: <1@care.example>')).toBe(first);
    expect(conversation('<2@care.example>')).not.toBe(first);
    expect(conversation(undefined, 'From: a@care.example')).not.toBe(
      conversation(undefined, 'From: b@care.example'),
    );
  });

  test('[MAIL-5] Our Message-IDs give the conversation of an e-mail, for programs that refer to the last e-mail only', () => {
    const own = conversation('<1@care.example>');
    const id = ownMessageId('answer', '1000000002', { conversation: own, domain: 'sms.example' });
    expect(conversation('<2@care.example>', `In-Reply-To: ${id}`)).toBe(own);
    // Outlook also writes Thread-Index.
    const outlook = ['Thread-Index: AQHa', `References: <other@care.example> ${id}`, `In-Reply-To: ${id}`];
    expect(conversation('<4@care.example>', ...outlook)).toBe(own);
    expect(conversation('<5@care.example>', 'References: <answer.1.mail-0123@sms.example>')).not.toBe(own);
  });

  test('[MAIL-5] The answer to an e-mail refers to the first and the last ids of the conversation, however many there are', () => {
    const ids = Array.from({ length: 500 }, (_, place) => `<${place}@care.example>`);
    const { header } = read(`References: ${ids.join('\r\n ')}`);
    const kept = referencesOfAnswer(header, '<last@care.example>');
    expect([kept[0], ...kept.slice(-2)]).toEqual([
      '<0@care.example>',
      '<499@care.example>',
      '<last@care.example>',
    ]);
    expect(kept.join(' ').length).toBeLessThanOrEqual(2_000);
    expect(referencesOfAnswer(read().header, undefined)).toEqual([]);
  });

  test('[MAIL-5] The references of an answer are ids in one line, whatever the fields of the e-mail hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (references, answered) => {
        const { header } = read(`References: ${references}`, `In-Reply-To: ${answered}`);
        for (const id of referencesOfAnswer(header, undefined)) expect(id).toMatch(/^<[^<>\s]+>$/);
      }),
    );
  });
});

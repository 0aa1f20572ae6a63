import { afterEach, describe, expect, test } from 'vitest';
import { CalledThread } from './thread.ts';

const entry = new URL('../../test/harness/answering-thread.ts', import.meta.url);
const begun: CalledThread<string>[] = [];
afterEach(() => Promise.all(begun.splice(0).map((thread) => thread.end())));

function begin() {
  const ends: string[] = [];
  const thread = new CalledThread<string>(entry, {
    name: 'answers',
    noun: 'the thread that answers',
    lost: (cause) => new Error(`lost: ${cause.message}`),
    gone: (cause) => new Error(`gone: ${cause.message}`),
    onEnd: (cause) => ends.push(cause.message),
  });
  begun.push(thread);
  return { thread, ends };
}

describe('calls to a thread', () => {
  test('[DLV-7] Each call to a thread gets its own answer or its own error, and a one-way message gets none', async () => {
    const { thread } = begin();
    thread.tell('nobody waits');
    const calls = ['one', 'refuse', 'two', 'fail'].map((ask) => thread.call<string>(ask));
    const [one, refused, two, failed] = await Promise.allSettled(calls);
    expect([one, two]).toEqual(['one!', 'two!'].map((value) => ({ status: 'fulfilled', value })));
    expect(refused).toMatchObject({ reason: { code: 'not_found', message: 'There is none.' } });
    expect(failed).toMatchObject({ reason: { message: 'a fault of ours' } });
  });

  test('[DLV-7] When a thread ends, calls to it fail, even later calls, and its end is reported once', async () => {
    const { thread, ends } = begin();
    const owed = Promise.allSettled(['end', 'one', 'two'].map((ask) => thread.call<string>(ask)));
    const cause = 'the thread that answers has ended';
    for (const settled of await owed)
      expect(settled).toMatchObject({ reason: { message: `lost: ${cause}` } });
    await thread.ended;
    expect(thread.hasFailed).toBe(true);
    await expect(thread.call('three')).rejects.toThrow(`gone: ${cause}`);
    expect(ends).toEqual([cause]);
  });
});

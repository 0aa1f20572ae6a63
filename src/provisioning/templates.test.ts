/** Tests companies' templates in the provisioning file: reading, comparing, reporting and storing them. */
import { beforeEach, describe, expect, test } from 'vitest';
import { named, provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { readNews } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { faultLine, sortedFaults } from '../yaml/fault.ts';
import { readPlan } from './file.ts';
import { readState } from './store.ts';

describe('templates in a provisioning file', () => {
  test('[RUN-3] [SEND-7] Each fault in the templates of a provisioning file gets a line with its path and place', () => {
    const { faults } = readPlan(`companies:
  - name: Nordic Care
    templates:
      - { id: 1001, name: Visit, text: "Dear {Text:customer}" }
      - { id: 1001, name: Again, text: "twice" }
      - { id: 0, name: Zero, text: "x" }
      - { id: "7", name: "", text: "" }
      - { name: No id, text: 12 }
      - { id: 8, nam: Slip }
      - { id: 9, name: Long, text: "${'x'.repeat(39_016)}" }
      - { id: 10, name: Odd, text: "a\\0b", remove: no }
      - { id: 11, remove: true }
      - Hello
      - { id: 12, name: label, text: "{Text:${'x'.repeat(100)}} {Text:${'y'.repeat(101)}}" }
  - name: Harbour Taxi
    templates: { id: 1001 }
`);
    expect(sortedFaults(faults).map(faultLine)).toEqual([
      'companies[0].templates[1].id (line 5, column 15): this template appears twice in the file, first at companies[0].templates[0]',
      'companies[0].templates[2].id (line 6, column 15): must be a whole number from 1 to 999999999999999, not 0',
      'companies[0].templates[3].id (line 7, column 15): must be a whole number from 1 to 999999999999999, not a text',
      'companies[0].templates[3].name (line 7, column 26): must not be empty',
      'companies[0].templates[3].text (line 7, column 36): must not be empty',
      'companies[0].templates[4] (line 8, column 9): needs a key "id"',
      'companies[0].templates[5] (line 9, column 9): needs a key "name"',
      'companies[0].templates[5] (line 9, column 9): needs a key "text"',
      'companies[0].templates[5].nam (line 9, column 18): unknown key; did you mean "name"?',
      'companies[0].templates[6].text (line 10, column 36): must have at most 39015 characters',
      'companies[0].templates[7].text (line 11, column 36): must not contain NUL or half a surrogate pair',
      'companies[0].templates[7].remove (line 11, column 52): must be true or false, not a text',
      'companies[0].templates[9] (line 13, column 9): must be an object with keys, not a text',
      `companies[0].templates[10].text (line 14, column 38): A label can have at most 100 characters, but “${'y'.repeat(40)}…” has more`,
      'companies[1].templates (line 16, column 16): must be a list, not an object',
    ]);
  });
});

eachStore('applying templates', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
  });

  const { linesOf } = provisioningOf(() => store);
  const care = (...templates: readonly string[]) =>
    `companies: [{ name: Care, templates: [${templates.join(', ')}] }]`;
  async function stored(company: string) {
    const { objects } = await store.read(readState, { companies: named(company) });
    return objects.templates.map(({ id, name, text }) => [id, name, text]);
  }
  const version = async () =>
    (await store.read(readNews, null)).find(({ topic }) => topic === 'templates')?.version ?? 0;

  const visit = '{ id: 1001, name: Visit, text: "Dear {Text:customer},\\nwelcome." }';

  test('[RUN-3] [SEND-7] A provisioning file creates, changes and removes templates, reports it, and leaves the others alone', async () => {
    expect(await linesOf(care(visit, '{ id: 7, name: Bye, text: 12 }'))).toEqual([
      '+ company Care',
      '+ template 1001 in Care: name Visit, text "Dear {Text:customer},\\nwelcome."',
      '+ template 7 in Care: name Bye, text "12"',
    ]);
    expect(await stored('Care')).toEqual([
      [7, 'Bye', '12'],
      [1_001, 'Visit', 'Dear {Text:customer},\nwelcome.'],
    ]);
    expect(await linesOf(care(visit, '{ id: 7, name: Bye, text: 12 }'))).toEqual([]);
    expect(await linesOf(care())).toEqual([]);
    expect(await linesOf(care('{ id: 7, name: Farewell, text: "12, 13" }'))).toEqual([
      '~ template 7 in Care: name Bye -> Farewell, text "12" -> "12, 13"',
    ]);
    expect(await linesOf(care('{ id: 1001, remove: true }', '{ id: 8, remove: true }'))).toEqual([
      '- template 1001 in Care',
    ]);
    expect(await stored('Care')).toEqual([[7, 'Farewell', '12, 13']]);
  });

  test('[RUN-3] [SEND-7] Several companies may have a template with the same id, and removing a company removes its templates', async () => {
    const both = `companies: [{ name: Care, templates: [${visit}] }, { name: Taxi, templates: [${visit}] }]`;
    await linesOf(both);
    expect(await linesOf('companies: [{ name: Care, remove: true }]')).toEqual([
      '- company Care',
      '- template 1001 in Care',
    ]);
    expect(await stored('Care')).toEqual([]);
    expect(await stored('Taxi')).toHaveLength(1);
    expect(await linesOf(both)).toHaveLength(2);
  });

  test('[RUN-3] [SEND-7] Running servers are notified of templates from a provisioning file only when these change', async () => {
    await linesOf(care());
    expect(await version()).toBe(0);
    await linesOf(care(visit));
    expect(await version()).toBe(1);
    await linesOf(care(visit));
    expect(await version()).toBe(1);
    await linesOf(care('{ id: 1001, remove: true }'));
    expect(await version()).toBe(2);
  });
});

/** Lists by name stand in the order of the reader's language, from the first page to the last, on both engines. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { eachEngine } from '../harness/engines.ts';

const english = ['anna', 'Ärla', 'Åsa', 'Bo', 'Öst', 'Søren', 'Ülla', 'ward 10', 'Ward 2', 'Zoe'];
const swedish = ['anna', 'Bo', 'Søren', 'ward 10', 'Ward 2', 'Ülla', 'Zoe', 'Åsa', 'Ärla', 'Öst'];
/** What the order must not follow: how things were made. */
const names = [...english].reverse();
const admin = { username: 'anna', password: "anna's long password" };

const each = (write: (name: string, at: number) => string) => `[${names.map(write).join(', ')}]`;
const provisioning = `
companies:
  - name: Care
    addressBooks:
${names.map((name, at) => `      - { id: ${11 + at}, name: "${name}"${at === 0 ? `, contacts: ${each((name, at) => `{ id: ${9_001 + at}, name: "${name}", phone: "+467017406${20 + at}" }`)}, groups: { ${names.map((one) => `"${one}": [{ contact: 9001 }]`).join(', ')} }, savedTagFilters: { ${names.map((one) => `"${one}": "role:nurse"`).join(', ')} }` : ''} }`).join('\n')}
    templates: ${each((name, at) => `{ id: ${1_001 + at}, name: "${name}", text: Hello }`)}
    systemUsers: ${each((name) => `{ username: "${name}" }`)}
    savedJobs: ${each((name, at) => `{ id: ${71 + at}, owner: Bo, name: "${name}", type: QuickAssign, message: Come, tasks: [{ tagType: role, tagValue: nurse, goal: 1 }] }`)}
    jobTypes: ${each((name) => `{ name: "${name}", generic: GMM }`)}
    users: ${each((name) => `{ username: "${name}"${name === 'anna' ? `, password: "${admin.password}", systemUser: Bo` : ''}, roles: [send, jobs, companyAdmin] }`)}
`;

const lists = [
  ['/api/v1/addressbooks', 'addressBooks'],
  ['/api/v1/addressbooks/11/contacts', 'contacts'],
  ['/api/v1/addressbooks/11/groups', 'groups'],
  ['/api/v1/addressbooks/11/filters', 'filters'],
  ['/api/v1/templates', 'templates'],
  ['/api/v1/savedjobs', 'jobs'],
  ['/api/v1/jobs', 'jobs'],
  ['/api/v1/jobtypes', 'types'],
  ['/api/v1/systemusers', 'systemUsers'],
  ['/api/v1/users', 'users'],
] as const;

eachEngine('the order of names', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
  });
  afterAll(() => app?.close());

  async function inPages(path: string, noun: string, first: string | undefined, then: string) {
    const found: string[] = [];
    let language = first;
    for (let after: string | undefined = ''; after !== undefined; language = then) {
      const query = after === '' ? { limit: 3 } : { limit: 3, after };
      const headers: Record<string, string> = language === undefined ? {} : { 'accept-language': language };
      const { body, text } = await app.as(admin).get(path, query, headers);
      expect(body[noun], text).toBeDefined();
      found.push(...body[noun].map(({ name, username }: Record<string, string>) => name ?? username));
      after = body.next;
    }
    return found.filter((name) => names.includes(name));
  }

  test.each(lists)(
    '[PORT-4] [PORT-5] The pages of %s have the order of the language in which the list began',
    async (path, noun) => {
      expect(await inPages(path, noun, 'sv', 'sv')).toEqual(swedish);
      expect(await inPages(path, noun, 'sv', 'en')).toEqual(swedish);
      expect(await inPages(path, noun, undefined, 'sv')).toEqual(english);
    },
  );

  test.each(lists.filter(([, noun]) => noun !== 'contacts'))(
    '[PORT-4] A cursor of %s that names no language is refused',
    async (path) => {
      const after = Buffer.from(JSON.stringify(['Bo'])).toString('base64url');
      expect(await app.as(admin).get(path, { after })).toMatchObject({
        status: 400,
        body: { code: 'invalid_value', errors: [{ field: 'after' }] },
      });
    },
  );

  test('[PORT-4] [PORT-5] People are found by their names without accents, and each of them once', async () => {
    const found = async (q: string) => {
      const { body } = await app
        .as(admin)
        .get('/api/v1/addressbooks/11/contacts', { q }, { 'accept-language': 'sv' });
      return body.contacts.map(({ name }: Record<string, string>) => name);
    };
    expect(await found('a')).toEqual(['anna', 'Ärla', 'Åsa']);
    expect(await found('Å')).toEqual(['anna', 'Ärla', 'Åsa']);
    expect(await found('soren')).toEqual(['Søren']);
    expect(await found('SØ')).toEqual(['Søren']);
    expect(await found('u')).toEqual(['Ülla']);
    expect(await found('y')).toEqual([]);
    expect(await found('~')).toEqual(await found(''));
  });
});

/** Keeps the documents true: generated documents are current, and links lead somewhere. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generatedDocuments } from '../../scripts/docs/generated-documents.ts';
import { maxKeysOfUser } from '../../src/accounts/api-keys.ts';
import { maxPasswordLength, minPasswordLength } from '../../src/accounts/password.ts';
import { maxUsernameLength } from '../../src/accounts/user-records.ts';
import { maxConversationLength } from '../../src/batches/intake/recipient.ts';
import { httpSettings } from '../../src/carriers/http/settings.ts';
import { smppSettings } from '../../src/carriers/smpp/settings.ts';
import { maxContactText } from '../../src/contacts/contact.ts';
import { maxEntriesOfCompany } from '../../src/email/senders/sender-entry.ts';
import { catalogue } from '../../src/foundation/errors.ts';
import { maxIds, maxRecipients } from '../../src/messages/sending/parameters.ts';
import { maxPartsOfCall } from '../../src/messages/sending/prepare.ts';
import { settings as smscSettings } from '../../src/smsc/read-behaviour.ts';
import { subscribable } from '../../src/webhooks/endpoint.ts';
import { maxLabelLength } from '../../src/wire/sms/substitution.ts';
import { maxFilterLength, maxFilterParts, maxFilterValues, maxTagLength } from '../../src/wire/tag-filter.ts';
import { places } from './rooms.ts';
import { filesBelow, root } from './sources.ts';

const generated = generatedDocuments();

function kept(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

describe('documents that follow from the source (npm run docs writes them)', () => {
  test('[CONV-10] The error documentation is what the source generates, and lists every code', () => {
    expect(kept('docs/errors.md')).toBe(generated.get('docs/errors.md'));
    for (const code of Object.keys(catalogue)) expect(kept('docs/errors.md')).toContain(`\`${code}\``);
  });

  test('[CONV-2] The API documentation is what the endpoint tables generate', () => {
    expect(kept('docs/api.md')).toBe(generated.get('docs/api.md'));
  });
});

describe('the documents for operators', () => {
  const monitoring = kept('docs/monitoring.md');
  const source = filesBelow('src')
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map(kept)
    .join('\n');

  test('[RUN-4] The monitoring documentation explains every metric', () => {
    const names = [...kept('src/app/metrics.ts').matchAll(/'(carillon_[a-z_]+)'/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !monitoring.includes(`| \`${name}\` |`))).toEqual([]);
  });

  test('[RUN-4] The monitoring documentation explains only log lines that the server writes', () => {
    const [, table = ''] = /^\| message \| level \| means \|\n([\s\S]*?)\n\n/m.exec(monitoring) ?? [];
    const messages = table
      .split('\n')
      .slice(1)
      .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text));
    expect(messages.length).toBeGreaterThan(0);
    expect(messages.filter((message) => !source.includes(`'${message.replace(/…$/, '')}`))).toEqual([]);
  });

  test('The configuration documentation explains every setting', () => {
    const names = [...kept('src/config/config.ts').matchAll(/\('((?:CARILLON|DATABASE)_[A-Z_]+)'/g)].map(
      ([, name]) => name,
    );
    expect(names.length).toBeGreaterThan(0);
    const settings = kept('docs/configuration.md');
    expect(names.filter((name) => !settings.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('docs/webhooks.md', () => {
  test('[HOOK-1] The webhook documentation says for each type of event what is posted', () => {
    const [, section = ''] = /^## What is posted\n([\s\S]*?)^## /m.exec(kept('docs/webhooks.md')) ?? [];
    const documented = [...section.matchAll(/^\| (`[a-z._`, ]+`) \|/gm)].flatMap(([, types = '']) =>
      [...types.matchAll(/`([a-z._]+)`/g)].map(([, type]) => type),
    );
    expect(documented).toEqual(subscribable);
  });
});

describe('docs/carriers.md', () => {
  test('[RUN-3] The carrier documentation gives every setting of an SMPP carrier and its default', () => {
    const [, table = ''] = /^## Settings\n([\s\S]*?)^## /m.exec(kept('docs/carriers.md')) ?? [];
    const documented = [...table.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(([, name, value]) => [
      name,
      value,
    ]);
    const settings: Readonly<Record<string, object>> = smppSettings.properties;
    const defaults = Object.entries(settings).map(([name, setting]) => [
      name,
      shownDefault('default' in setting ? setting.default : undefined),
    ]);
    expect(documented).toEqual(defaults);
  });
});

describe('docs/http-carriers.md', () => {
  const page = kept('docs/http-carriers.md');
  const keysBelow = (heading: string) => {
    const section = page.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
    return [...section.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(([, name, value]) => [name, value]);
  };

  test('[HTTPC-1] The documentation of HTTP carriers gives every setting and its default', () => {
    const settings: Readonly<Record<string, object>> = httpSettings.properties;
    expect(keysBelow('Settings')).toEqual(
      Object.entries(settings).map(([name, setting]) => [
        name,
        'default' in setting ? shownDefault(setting.default) : 'none',
      ]),
    );
  });

  test.each([
    ['The request', httpSettings.properties.submit.properties],
    ['Receipts', httpSettings.properties.receipts.properties],
    ['Incoming SMS', httpSettings.properties.incoming.properties],
  ])('[HTTPC-1] The documentation of HTTP carriers explains every key under "%s"', (heading, keys) => {
    expect(keysBelow(heading).map(([name]) => name)).toEqual(Object.keys(keys));
  });
});

describe('docs/smsc.md', () => {
  const page = kept('docs/smsc.md');

  test('[DLV-1] The documentation of the test SMSC gives every setting and its default', () => {
    const [, tables = ''] = /^## Settings\n([\s\S]*?)^## /m.exec(page) ?? [];
    const documented = [...tables.matchAll(/^\| `(\w+)` \| (.*?) ?\|/gm)].map(([, name, value]) => [
      name,
      value,
    ]);
    const defaults = Object.entries(smscSettings).map(([name, { shownDefault }]) => [
      name,
      shownDefault === '' ? '' : `\`${shownDefault}\``,
    ]);
    expect(documented).toEqual(defaults);
  });

  test.each(['smsc.yaml', 'smsc-carrier.yaml'])(
    '[RUN-3] The documentation of the test SMSC shows docs/examples/%s as it is',
    (file) => {
      const [, ...lines] = kept(`docs/examples/${file}`).split('\n');
      expect(page).toContain(`\`\`\`yaml\n${lines.join('\n').trim()}\n\`\`\``);
    },
  );
});

function shownDefault(value: unknown): string {
  if (value === undefined) return 'needed';
  return `\`${typeof value === 'string' && value !== '' ? value : JSON.stringify(value)}\``;
}

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...filesBelow('docs').filter((path) => path.endsWith('.md')),
];

describe('docs/tour.md', () => {
  test('The tour of the source has a row for each room', () => {
    const [, table = ''] = /^\| room \| is for \|\n([\s\S]*?)\n\n/m.exec(kept('docs/tour.md')) ?? [];
    const documented = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.replace(/\/$/, '')),
    );
    const rooms = places.map((place) => place.split('/')[0] ?? '');
    expect([...new Set(documented)].sort()).toEqual([...new Set(rooms)].sort());
  });
});

/** Links whose label names a file other than their target. */
function wrongLabels(document: string): readonly string[] {
  const links = [...kept(document).matchAll(/\[`([\w./-]+\.(?:tsx?|css|md))`\]\(([^)\s#]+)[^)]*\)/g)];
  return links.flatMap(([link, label = '', target = '']) => (`/${target}`.endsWith(`/${label}`) ? [] : link));
}

describe('labels of links', () => {
  test.each(documents)('The labels of links in %s name the file that they lead to', (document) => {
    expect(wrongLabels(document)).toEqual([]);
  });
});

/** Anchors as GitHub derives them from headings. */
function anchorsOf(markdown: string): readonly string[] {
  const headings = [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...markdown.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

/** The targets of broken links. */
function brokenLinks(document: string): readonly string[] {
  const markdown = kept(document);
  // Text in code is not a link.
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)].map(
    ([, link, attribute]) => link ?? attribute ?? '',
  );
  return targets.filter((target) => {
    if (/^(https?|mailto):/.test(target)) return false;
    const [path = '', anchor] = target.split('#', 2);
    const file = path === '' ? document : join(dirname(document), path);
    if (!existsSync(join(root, file))) return true;
    return anchor !== undefined && file.endsWith('.md') && !anchorsOf(kept(file)).includes(anchor);
  });
}

/** A document's tables as rows of cells. */
function tablesOf(markdown: string): readonly (readonly string[])[] {
  return markdown.split(/\n(?!\|)/).map((block) => block.split('\n').filter((line) => line.startsWith('|')));
}

describe('tables of the documents', () => {
  test.each(documents)('No table in %s has the same row twice', (document) => {
    const twice = tablesOf(kept(document)).flatMap((rows) =>
      rows.filter((row, index) => /[a-z]/i.test(row) && rows.indexOf(row) < index),
    );
    expect(twice).toEqual([]);
  });

  // If the first cell is a name, the row is about that name.
  test.each(documents)('No table in %s has two rows for one name', (document) => {
    const twice = tablesOf(kept(document)).flatMap((rows) => {
      const names = rows.map((row) => row.split('|')[1]?.trim() ?? '').filter((name) => name.startsWith('`'));
      return names.filter((name, index) => names.indexOf(name) < index);
    });
    expect(twice).toEqual([]);
  });
});

describe('limits that documents state', () => {
  /** As the documents write it: 10,000. */
  const grouped = (limit: number) => limit.toLocaleString('en');
  const limits: readonly (readonly [string, string])[] = [
    [
      'docs/address-book.md',
      `| parts of a filter; values in all of them | ${maxFilterParts}; ${grouped(maxFilterValues)} |`,
    ],
    ['docs/address-book.md', `| a tag type or value | ${maxTagLength} characters |`],
    ['docs/address-book.md', `| a filter in string notation | ${grouped(maxFilterLength)} characters |`],
    ['docs/address-book.md', `| name, e-mail and app address of a contact | ${maxContactText} characters |`],
    [
      'docs/address-book.md',
      `| recipients of a call, including those found by filters and groups; each number counts once | ${grouped(maxRecipients)};`,
    ],
    [
      'docs/api.md',
      `${grouped(maxRecipients)} recipients and ${grouped(maxPartsOfCall)} SMS parts in a call`,
    ],
    ['docs/api.md', `${grouped(maxIds)} ids`],
    ['docs/batches.md', `ids of more than ${maxConversationLength} characters`],
    ['docs/templates.md', `A label has at most ${maxLabelLength} characters`],
    ['docs/provisioning.md', `no colon, at most ${maxUsernameLength} characters`],
    ['docs/provisioning.md', `from ${minPasswordLength} to ${grouped(maxPasswordLength)} characters`],
    ['docs/commands.md', `A user has at most ${grouped(maxKeysOfUser)} keys`],
    ['docs/email-to-sms.md', `the company has ${grouped(maxEntriesOfCompany)} entries`],
  ];
  test.each(limits)(
    '[CONV-12] The documentation in %s states the limit that is in force: %s',
    (document, sentence) => {
      expect(kept(document)).toContain(sentence);
    },
  );
});

describe('links of the documents', () => {
  test.each(documents)('The links in %s lead to files and headings that exist', (document) => {
    expect(brokenLinks(document)).toEqual([]);
  });
});

/** Commands that create, change and remove webhooks without a provisioning file, but by the same rules. */
import type { Command } from 'commander';
import { operator } from '../audit/audit-log.ts';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { printError } from '../foundation/terminal.ts';
import type { Store } from '../storage/store.ts';
import type { WebhookFilter } from '../webhooks/endpoint.ts';
import type { WebhookRecord } from '../webhooks/endpoint-records.ts';
import type { Fault } from '../yaml/fault.ts';
import type { Api } from './api.ts';
import { actsAsEither, callerApi, insecureOption, operatorOption } from './as-caller.ts';
import { jsonOption, printChange } from './list.ts';
import {
  addOwn,
  changeOwn,
  type Named,
  type RotateOptions,
  removeOwn,
  rotateOwn,
  type Settings,
} from './own-webhooks.ts';
import { tellServer } from './tell-server.ts';

export function addChanges(webhooks: Command): void {
  withSettings(webhooks.command('add <webhook>'))
    .description('create a webhook of a company; without --secret, a secret is generated and printed')
    .option('--company <name>', 'the company of the webhook')
    .option('--secret <secret>', 'whsec_…')
    .option('--no-secret', 'do not sign posts')
    .option(...jsonOption)
    .action(atServer(addOwn, add));
  withSettings(webhooks.command('change <webhook>'))
    .description('change the given settings of a webhook; its other settings stay as they are')
    .option('--company <name>', 'the company of the webhook')
    .option(...jsonOption)
    .action(atServer(changeOwn, change));
  actsAsEither(webhooks.command('rotate <webhook>'), rotateOwn, rotate, { needsPassword: true })
    .description('generate and print a new secret; posts are signed with the old one too until --finish')
    .option('--company <name>', 'the company of the webhook')
    .option('--finish', 'sign with the newest secret only', false);
  actsAsEither(webhooks.command('remove <webhook>'), removeOwn, remove)
    .description('remove a webhook, with the events it has not received yet')
    .option('--company <name>', 'the company of the webhook');
}

/** `--user` and `--url` are settings of the webhook here, so no option names a user to act as over the socket. */
function atServer(
  asUser: (api: Api, id: string, settings: Settings) => Promise<void>,
  asOperator: (id: string, settings: Settings) => Promise<void>,
) {
  return async (id: string, settings: Settings) => {
    const { server, insecure, operator, company } = settings;
    const api = await callerApi({ url: server, insecure, operator, company, needsPassword: true });
    return api === undefined ? asOperator(id, settings) : asUser(api, id, settings);
  };
}

function withSettings(command: Command): Command {
  return command
    .option(
      '--server <url>',
      'act as the user of CARILLON_USER and CARILLON_PASSWORD, on the server at this address (CARILLON_URL)',
    )
    .option(...insecureOption)
    .option(...operatorOption)
    .option('--url <url>', 'where to post')
    .option('--events <types...>', 'message.status, message.incoming, batch.status, job.start …')
    .option('--user <username>', 'only events of this user')
    .option('--no-user', 'events of the whole company')
    .option('--statuses <names...>', 'only these message statuses')
    .option('--no-statuses', 'all but QUEUED and SCHEDULED')
    .option('--cost-center <name>', 'only events of this cost centre')
    .option('--no-cost-center', 'events of all cost centres')
    .option('--conversation-prefix <text>', 'only events of conversations whose id begins with this text')
    .option('--no-conversation-prefix', 'events of all conversations')
    .option('--of-batch <id>', 'only events of this batch')
    .option('--no-of-batch', 'events of any batch or of none')
    .option('--batch', 'post several events at a time')
    .option('--no-batch', 'post each event separately')
    .option('--text', 'include the texts of messages')
    .option('--no-text', 'leave out the texts of messages')
    .option('--active', 'post to the webhook')
    .option('--no-active', 'keep the webhook, but post nothing');
}

async function add(id: string, { company, secret, json, ...settings }: Settings): Promise<void> {
  if (company === undefined) throw new StartError('Give the company: --company NAME.');
  await administer(async (tools) => {
    const made = secret ?? tools.newSecret();
    if ((await tools.find(id, company)) !== undefined)
      throw new StartError(
        `${company} already has a webhook ${id}. To change it: carillon webhooks change ${id}`,
      );
    const changes = await tools.apply(`add ${id}`, company, {
      id,
      ...wordsFor(settings),
      filter: filterOf({}, settings),
      secrets: made === false ? [] : [made],
    });
    tell({ webhook: id, changes, secret: secret === undefined ? String(made) : undefined }, { json });
  });
}

async function change(id: string, { company, json, ...settings }: Settings): Promise<void> {
  await administer(async (tools) => {
    const before = await tools.require(id, company);
    const changes = await tools.apply(`change ${id}`, before.company, {
      // A file needs the address and the events of each webhook.
      id,
      ...wordsFor({
        ...settings,
        url: settings.url ?? before.url,
        events: settings.events ?? before.events,
      }),
      filter: filterOf(before.filter, settings),
    });
    tell({ webhook: id, changes }, { json });
  });
}

async function rotate(id: string, { company, finish, json }: RotateOptions): Promise<void> {
  await administer(async (tools) => {
    const { url, events, ...before } = await tools.require(id, company);
    const [newest] = before.secrets.flatMap((secret) => tools.open(before, secret) ?? []);
    if (before.secrets.length > 0 && newest === undefined)
      throw new StartError(`The secrets of ${id} were encrypted under another server secret.`);
    const made = tools.newSecret();
    const secrets = [...(finish ? [] : [made]), ...(newest === undefined ? [] : [newest])];
    const changes = await tools.apply(`rotate ${id}`, before.company, { id, url, events, secrets });
    tell({ webhook: id, changes, secret: finish ? undefined : made }, { json });
  });
}

async function remove(id: string, { company, json }: Named): Promise<void> {
  await administer(async (tools) => {
    const before = await tools.require(id, company);
    const changes = await tools.apply(`remove ${id}`, before.company, { id, remove: true });
    tell({ webhook: id, changes }, { json });
  });
}

interface Changed {
  readonly webhook: string;
  readonly changes: readonly string[];
  /** The secret of a new webhook, which is shown only once. */
  readonly secret?: string | undefined;
}

function tell(changed: Changed, options: { readonly json: boolean | undefined }): void {
  const { changes, secret } = changed;
  const lines = changes.length === 0 ? ['no changes'] : changes;
  const shown = secret === undefined ? lines : [...lines, `secret: ${secret}`];
  printChange(changed, shown, { json: options.json === true });
}

/** The settings in the vocabulary of a file, in which `null` restores the default; properties that are not given are left out. */
function wordsFor({ url, events, user, batch, text, active }: Settings): object {
  return {
    url,
    events,
    batch,
    active,
    user: user === false ? null : user,
    text: text === undefined ? undefined : text ? 'full' : 'none',
  };
}

/** Given values override the previous ones. */
function filterOf(before: WebhookFilter, said: Settings): object {
  const wanted = (given: string | readonly string[] | false | undefined, was: unknown) =>
    given === false ? undefined : (given ?? was);
  return {
    statuses: wanted(said.statuses, before.statuses),
    costCenter: wanted(said.costCenter, before.costCenter),
    conversationPrefix: wanted(said.conversationPrefix, before.conversationPrefix),
    batch: wanted(said.ofBatch, before.batch),
  };
}

type Tools = Awaited<ReturnType<typeof toolsFor>>;

async function administer(work: (tools: Tools) => Promise<void>): Promise<void> {
  const [{ readConfig }, { secretFor, withStore }, { joinStore }] = await Promise.all([
    import('../config/config.ts'),
    import('../app/open-store.ts'),
    import('../app/join-store.ts'),
  ]);
  const config = readConfig(process.env);
  await withStore(config, async (store) => {
    const sealing = await joinStore(store, await secretFor(store, config), printError);
    await work(
      await toolsFor(store, sealing, (object) => tellServer(config, { event: 'operator_command', object })),
    );
  });
}

type Sealing = import('../foundation/sealing.ts').Sealing;

async function toolsFor(store: Store, sealing: Sealing, tell: (object: string) => Promise<void>) {
  const [{ applyFile }, { readState }, { listEndpoints }, { newSecret, placeOfSecret }] = await Promise.all([
    import('../provisioning/apply.ts'),
    import('../provisioning/store.ts'),
    import('../webhooks/management/administration-store.ts'),
    import('../webhooks/endpoint.ts'),
  ]);
  /** For an existing company only. */
  const find = async (id: string, company: string) => {
    const scope = { companies: { keys: [company], ids: [], removed: [] } };
    const { companies, webhooks } = (await store.read(readState, scope)).objects;
    // Applying a file would create the company.
    if (!companies.some(({ name }) => name === company))
      throw new StartError(`There is no company ${company}.`);
    return webhooks.find((webhook) => webhook.company === company && webhook.id === id);
  };
  return {
    newSecret,
    find,
    /** The only webhook with that id, in all companies or in the given one. */
    async require(id: string, company: string | undefined): Promise<WebhookRecord> {
      const all = await store.read(listEndpoints, { company: company ?? null, name: id });
      const [found, another] = all.filter(({ systemUserId }) => systemUserId === null);
      if (another !== undefined) throw new StartError(`There are several webhooks ${id}. Give --company.`);
      const webhook = found && (await find(id, found.company));
      if (webhook === undefined) throw new StartError(`There is no webhook ${id}.`);
      return webhook;
    },
    open: ({ company, id }: Pick<WebhookRecord, 'company' | 'id'>, sealed: string) =>
      sealing.open(sealed, placeOfSecret({ company, name: id })),
    /** Returns a line for each change. */
    async apply(what: string, company: string, webhook: object): Promise<readonly string[]> {
      const content = JSON.stringify({ companies: [{ name: company, webhooks: [webhook] }] });
      const given = { content, by: operator };
      const result = await applyFile({ store, clock: systemClock, sealing }, given, { lineOf });
      if (result.kind === 'refused') throw new StartError(result.lines.join('\n'));
      const { lines, warnings } = result as Extract<typeof result, { kind: 'applied' }>;
      // Properties that are not given stay as they are, although leaving them out of a file could mean something else.
      const said = Object.keys(webhook).map((key) => `${key}: `);
      const meant = warnings.filter((warning) => said.some((start) => warning.startsWith(start)));
      for (const warning of meant) printError(warning);
      if (lines.length > 0) await tell(`webhooks ${what}`);
      return lines;
    },
  };
}

/** Leaves out the place in the file, because there is no file. */
function lineOf({ place, sentence }: Fault): string {
  const field = place.path.replace('companies[0].webhooks[0]', '').replace(/^\./, '');
  return field === '' ? sentence : `${field}: ${sentence}`;
}

/** Tries the programs in docs/integrations.md: what they post is read as the page says. */
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { AlertPointers, ReceivedAlert } from '../alert.ts';
import { readAlerts } from './read-alerts.ts';

const page = readFileSync('docs/integrations.md', 'utf8');
const now = Date.UTC(2027, 1, 2, 3);

/** The section under a heading. */
function section(heading: string): string {
  const [, text = ''] = page.split(`\n## ${heading}\n`);
  return text.split('\n## ')[0] ?? '';
}

/** The code blocks of a language in a section. */
function blocks(heading: string, language: string): readonly string[] {
  return [...section(heading).matchAll(/```(\w*)\n([\s\S]*?)```/g)]
    .filter(([, of]) => of === language)
    .map(([, , code = '']) => code);
}

function pointersIn(heading: string): AlertPointers {
  const [receiver] = blocks(heading, 'yaml').flatMap((code) => {
    const receivers: unknown = parse(code);
    return Array.isArray(receivers) ? receivers : [];
  }) as readonly { readonly pointers: AlertPointers }[];
  if (receiver === undefined) throw new Error(`${heading} has no receiver`);
  return receiver.pointers;
}

/** The JSON in a call of curl. */
const bodyIn = (call = ''): unknown => JSON.parse(/ '(\{[\s\S]*\})'\s*$/.exec(call)?.[1] ?? '');

function generic(body: unknown, pointers?: AlertPointers): readonly ReceivedAlert[] {
  const result = readAlerts('generic', body, { now, pointers });
  return result.ok ? result.value.alerts : [];
}

describe('recipes for integrations', () => {
  test('[ALERT-1] The script for Zabbix posts its parameters without the key, and throws what it is answered', () => {
    const parameters = Object.fromEntries(
      [...section('Zabbix').matchAll(/^\| `(\w+)` \| `?([^`|]*)/gm)].map(([, name = '', value]) => [
        name,
        value,
      ]),
    );
    const [script = ''] = blocks('Zabbix', 'js');
    const posts: { url: string; body: string; headers: readonly string[] }[] = [];
    const run = (status: number, values: object) => {
      const headers: string[] = [];
      class HttpRequest {
        addHeader = (header: string) => headers.push(header);
        getStatus = () => status;
        post(url: string, body: string): string {
          posts.push({ url, body, headers });
          return 'answered';
        }
      }
      const value = JSON.stringify({ ...parameters, carillon_key: 'KEY', ...values });
      return runInNewContext(`(function () {${script}})()`, { HttpRequest, value }) as unknown;
    };
    const macros = {
      event_id: '20427',
      event_value: '1',
      event_update_status: '0',
      event_tags: '[{"tag":"scope","value":"capacity"}]',
      name: 'Disk full',
      host: 'db1',
    };
    expect(run(200, macros)).toBe('OK');
    expect(posts[0]).toMatchObject({
      url: 'https://sms.example/api/v1/alerts/zabbix',
      headers: ['Content-Type: application/json', 'Authorization: Bearer KEY'],
    });
    expect(posts[0]?.body).not.toContain('KEY');
    const result = readAlerts('zabbix', JSON.parse(posts[0]?.body ?? ''), { now });
    expect(result).toMatchObject({
      ok: true,
      value: {
        alerts: [
          { fingerprint: '20427', state: 'firing', title: 'db1: Disk full', labels: { scope: 'capacity' } },
        ],
      },
    });
    expect(() => run(503, macros)).toThrow('Carillon answered 503: answered');
  });

  test('[ALERT-1] The JSON for any program is read as the page says', () => {
    const [call] = blocks('Anything that posts JSON', 'sh');
    expect(generic(bodyIn(call))).toMatchObject([
      { fingerprint: 'pump-7', state: 'firing', title: 'Pump 7 is dry', labels: { site: 'North' } },
    ]);
    const alarms = [
      { id: 7, text: 'Hot', on: true, place: { site: 'South' } },
      { id: 8, text: 'Wet', on: false, place: {} },
    ];
    expect(generic({ data: { alarms } }, pointersIn('Anything that posts JSON'))).toMatchObject([
      { fingerprint: '7', state: 'firing', title: 'Hot', labels: { site: 'South' } },
      { fingerprint: '8', state: 'resolved' },
    ]);
  });

  test('[ALERT-1] Notifications of Apprise fire and resolve by their type', () => {
    // Apprise 1.2.0 and 1.13.0
    const notification = {
      version: '1.0',
      title: 'Backup',
      message: 'It failed',
      attachments: [],
      type: 'failure',
    };
    const pointers = pointersIn('Apprise');
    expect(generic(notification, pointers)).toMatchObject([
      { state: 'firing', labels: { message: 'It failed' } },
    ]);
    expect(generic({ ...notification, type: 'success' }, pointers)).toMatchObject([
      { fingerprint: 'Backup', state: 'resolved' },
    ]);
    expect(generic({ ...notification, type: 'info' }, pointers)).toEqual([]);
  });

  test('[ALERT-1] The function for Node-RED makes an alert of each value', () => {
    const [code = ''] = blocks('Node-RED', 'js');
    const run = (payload: number) => {
      const context = { msg: { topic: 'Oven', payload }, env: { get: () => 'KEY' } };
      return runInNewContext(`(function () {${code}})()`, context) as { payload: unknown; headers: object };
    };
    expect(run(91).headers).toMatchObject({ Authorization: 'Bearer KEY' });
    expect(generic(run(91).payload)).toMatchObject([
      { fingerprint: 'Oven', state: 'firing', title: 'Oven is at 91 °C' },
    ]);
    expect(generic(run(20).payload)).toMatchObject([{ fingerprint: 'Oven', state: 'resolved' }]);
  });

  test('[ALERT-1] What n8n posts when a workflow fails fires, whatever the error says, and its end resolves it', () => {
    const [sms = '', failed = '', works = ''] = [
      ...section('n8n').matchAll(/^\| .* \| `(\{.*\})` \|$/gm),
    ].map(([, body]) => body);
    const filled = (body: string, values: object): unknown =>
      JSON.parse(body.replace(/\{\{(.*?)\}\}/g, (_, code: string) => String(runInNewContext(code, values))));
    const text = 'It "broke"\nbadly';
    expect(filled(sms, { $json: { text } })).toEqual({ to: ['46701740699'], message: text });
    // What an Error Trigger of n8n 2.40.7 gives.
    const workflow = { id: 'a7', name: 'Pump control' };
    const execution = { id: '31', error: { message: text }, lastNodeExecuted: 'Fail', mode: 'webhook' };
    expect(generic(filled(failed, { $json: { execution, workflow } }))).toMatchObject([
      { fingerprint: 'a7', state: 'firing', title: `Pump control: ${text}` },
    ]);
    expect(generic(filled(works, { $workflow: workflow }))).toMatchObject([
      { fingerprint: 'a7', state: 'resolved' },
    ]);
  });

  test('[ALERT-1] A file that comes to Nextcloud is an alert of its own', () => {
    expect(bodyIn(blocks('Nextcloud', 'sh')[0])).toMatchObject({ authMethod: 'header' });
    // Nextcloud, admin manual, webhook listeners: the fields of NodeCreatedEvent.
    const node = { id: 4711, path: '/anna/files/Faults/lift.txt' };
    const post = {
      event: { node, class: 'OCP\\Files\\Events\\Node\\NodeCreatedEvent' },
      user: { uid: 'anna' },
      time: 1,
    };
    expect(generic(post, pointersIn('Nextcloud'))).toMatchObject([
      { fingerprint: '4711', state: 'firing', labels: { path: '/anna/files/Faults/lift.txt' } },
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import { replaceLoneSurrogates } from '../wire/sms/normalise.ts';
import { boundedAlert } from './alert.ts';
import { alertText, defaultAlertText, maxAlertText, type ToldAlerts } from './alert-text.ts';

const alert = boundedAlert({
  state: 'firing',
  titles: ['Disk of db1 is full'],
  labels: { alertname: 'DiskFull', instance: 'db1', both: 'label' },
  annotations: { summary: 'It is\n\t97 % full', both: 'annotation' },
  url: 'https://prometheus.example/1',
});

const told = (more: Partial<ToldAlerts> = {}): ToldAlerts => ({
  occasion: 'firing',
  receiver: 'ops',
  first: alert,
  count: 1,
  language: 'en',
  ...more,
});

describe('texts of alerts', () => {
  test('[ALERT-1] Placeholders take labels before annotations, and our own names before both; unknown ones are empty', () => {
    const text = (template: string) => alertText(template, told());
    expect(text('{{alertname}} on {{ instance }}: {{summary}}')).toBe('DiskFull on db1: It is 97 % full');
    expect(text('{{both}} {{title}} {{status}} {{receiver}} {{count}} {{url}}')).toBe(
      'label Disk of db1 is full firing ops 1 https://prometheus.example/1',
    );
    expect(text('{{nothing}}{{constructor}} at {{__proto__}}')).toBe('at');
    expect(text('{{nothing}}')).toBe('Disk of db1 is full');
    expect(text(defaultAlertText)).toBe('Disk of db1 is full');
  });

  test('[ALERT-2] One text tells of many alerts, of those that joined, and that all are over, in the language of the job', () => {
    const many = { count: 10_000 };
    expect(alertText('{{alertname}}', told(many))).toBe('DiskFull (and 9999 more)');
    expect(alertText('{{alertname}}', told({ ...many, language: 'sv' }))).toBe('DiskFull (och 9999 till)');
    expect(alertText('{{alertname}}', told({ ...many, occasion: 'more' }))).toBe('10000 more: DiskFull');
    expect(alertText('{{alertname}}', told({ count: 1, occasion: 'resolved' }))).toBe('Resolved: DiskFull');
    expect(alertText('{{alertname}}', told({ count: 3, occasion: 'resolved', language: 'sv' }))).toBe(
      'Åtgärdat: DiskFull (och 2 till)',
    );
  });

  test('[ALERT-1] The text of an alert is cut to its length, has no control characters, and is never filled twice', () => {
    const first = boundedAlert({
      state: 'firing',
      titles: ['\u0007x'],
      labels: { long: '😀'.repeat(300), inner: '{{url}}', bell: 'a\u0007\u0000b' },
    });
    const long = alertText('{{long}}{{long}}', told({ first, count: 9 }));
    expect(long.length).toBeLessThanOrEqual(maxAlertText);
    expect(replaceLoneSurrogates(long)).toBe(long);
    expect(long).toMatch(/\.\.\. \(and 8 more\)$/);
    expect(alertText('{{inner}} {{bell}}', told({ first }))).toBe('{{url}} ab');
    expect(alertText('{{nothing}}', told({ first }))).toBe('x');
  });
});

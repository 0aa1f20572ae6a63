import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { StartError } from '../foundation/errors.ts';
import { publicUrl, readConfig, settingNames } from './config.ts';

function faultOf(environment: Record<string, string>, roles?: string): string {
  try {
    readConfig(environment, roles === undefined ? {} : { roles });
  } catch (error) {
    expect(error).toBeInstanceOf(StartError);
    return (error as StartError).message;
  }
  throw new Error('the environment was accepted');
}

describe('the configuration', () => {
  test('[RUN-1] The configuration needs no variable at all', () => {
    const config = readConfig({});
    expect(config.http).toEqual({ host: '127.0.0.1', port: 8080 });
    expect(config.smtp).toEqual({ host: '127.0.0.1', port: 2525 });
    expect(config.dataFolder).toMatch(/[/\\]data$/);
    expect(config.databaseUrl).toBeUndefined();
    expect(config.maxBodyBytes).toBe(256 * 2 ** 20);
    expect(config.retentionDays).toBe(365);
    expect(config.logLevel).toBe('info');
    expect(config.mailDomains).toEqual(['sms.localhost']);
    expect([...config.roles]).toEqual(['http', 'dispatch', 'mail', 'jobs']);
    expect(config.metricsReaders.check('127.0.0.1', 'ipv4')).toBe(true);
    expect(config.metricsReaders.check('::1', 'ipv6')).toBe(true);
    expect(config.metricsReaders.check('192.0.2.1', 'ipv4')).toBe(false);
    expect(config.trustedProxies.check('127.0.0.1', 'ipv4')).toBe(false);
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('[RUN-1] A misspelt setting is reported with the one that was probably meant', () => {
    const { unknownSettings } = readConfig({
      CARILLON_PUBLIC_ULR: 'x',
      carillon_smtp: 'off',
      CARILLON_X: '1',
      HTTP: 'x',
    });
    expect(unknownSettings).toEqual([
      { variable: 'CARILLON_PUBLIC_ULR', meant: 'CARILLON_PUBLIC_URL' },
      { variable: 'CARILLON_X', meant: undefined },
      { variable: 'carillon_smtp', meant: 'CARILLON_SMTP' },
    ]);
    expect(readConfig(Object.fromEntries(settingNames.map((name) => [name, '']))).unknownSettings).toEqual(
      [],
    );
  });

  test('[RUN-1] Every setting named in the documentation is known', () => {
    const named = readFileSync('docs/configuration.md', 'utf8').match(/\bCARILLON_[A-Z_]+\b/g) ?? [];
    expect(named.length).toBeGreaterThan(20);
    expect([...new Set(named)].filter((name) => !settingNames.includes(name))).toEqual([]);
  });

  test('[RUN-1] An empty configuration variable counts as not set', () => {
    const config = readConfig({ CARILLON_HTTP: '', DATABASE_URL: ' ', CARILLON_TLS_CERT: '' });
    expect(config.http.port).toBe(8080);
    expect(config.databaseUrl).toBeUndefined();
    expect(config.tls).toBeUndefined();
  });

  test.each([
    ['127.0.0.1:0', '127.0.0.1', 0],
    ['[::1]:8080', '::1', 8080],
    ['localhost:65535', 'localhost', 65_535],
    ['sms-1.example.com:80', 'sms-1.example.com', 80],
    ['0.0.0.0:80', '0.0.0.0', 80],
  ])('[RUN-1] CARILLON_HTTP may be %s', (text, host, port) => {
    expect(readConfig({ CARILLON_HTTP: text }).http).toEqual({ host, port });
  });

  test.each([
    ['256MiB', 268_435_456],
    ['10 MB', 10_000_000],
    ['2gib', 2_147_483_648],
    ['64kb', 64_000],
    ['1048576', 1_048_576],
  ])('[RUN-1] CARILLON_MAX_BODY may be %s', (text, bytes) => {
    expect(readConfig({ CARILLON_MAX_BODY: text }).maxBodyBytes).toBe(bytes);
  });

  test.each([
    ['CARILLON_HTTP', 'localhost'],
    ['CARILLON_HTTP', '127.0.0.1:99999'],
    ['CARILLON_HTTP', '::1:8080'],
    ['CARILLON_HTTP', '[127.0.0.1]:80'],
    ['CARILLON_HTTP', '1.2.3:80'],
    ['CARILLON_HTTP', '300.1.1.1:80'],
    ['CARILLON_HTTP', 'http://x:80'],
    ['CARILLON_HTTP', 'off'],
    ['CARILLON_SMTP', 'on'],
    ['CARILLON_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['CARILLON_TRUSTED_PROXIES', '10.0.0.1,proxy'],
    ['CARILLON_METRICS_ALLOW', '::1/129'],
    ['CARILLON_MAIL_TRUSTED', '10.0.0.0/8/8'],
    ['CARILLON_CALLBACK_ALLOW', '10.0.0.0/'],
    ['CARILLON_MAX_BODY', '256 apples'],
    ['CARILLON_MAX_BODY', '12'],
    ['CARILLON_MAX_BODY', '-1'],
    ['CARILLON_RETENTION_DAYS', '0'],
    ['CARILLON_RETENTION_DAYS', '1.5'],
    ['CARILLON_LOG', 'loud'],
    ['CARILLON_PUBLIC_URL', 'sms.example.com'],
    ['CARILLON_PUBLIC_URL', 'ftp://sms.example.com'],
    ['CARILLON_PUBLIC_URL', 'https://sms.example.com/?a=1'],
    ['CARILLON_PUBLIC_URL', 'https://user@sms.example.com/'],
    ['CARILLON_MAIL_DOMAIN', 'no_underscores.example'],
  ])('[RUN-1] The setting %s=%s stops the start with an error that names the variable', (name, text) => {
    expect(faultOf({ [name]: text })).toMatch(
      new RegExp(
        `^${name} must be .*, not ${JSON.stringify(text).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\.$`,
      ),
    );
  });

  test.each([
    ['DATABASE_URL', 'mysql://root:hunter22@db/x'],
    ['CARILLON_SMTP_RELAY', 'http://user:hunter22@mail'],
    ['CARILLON_SECRET', 'hunter22'],
  ])(
    '[RUN-4] An error about a wrong %s does not repeat the value, since it may hold a secret',
    (name, text) => {
      const message = faultOf({ [name]: text });
      expect(message).toMatch(new RegExp(`^${name} must be `));
      expect(message).not.toContain('hunter22');
    },
  );

  test('[AUTH-8] HTTPS needs both the certificate file and the key file', () => {
    expect(faultOf({ CARILLON_TLS_CERT: 'cert.pem' })).toContain('CARILLON_TLS_KEY');
    expect(faultOf({ CARILLON_TLS_KEY: 'key.pem' })).toContain('CARILLON_TLS_CERT');
    const { tls } = readConfig({ CARILLON_TLS_CERT: '/etc/cert.pem', CARILLON_TLS_KEY: '/etc/key.pem' });
    expect(tls).toEqual({ certificateFile: '/etc/cert.pem', keyFile: '/etc/key.pem' });
  });

  test('[AUTH-8] Configured networks match addresses of both families, including IPv4 written as IPv6', () => {
    const { trustedProxies } = readConfig({ CARILLON_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7,fd00::/8' });
    expect(trustedProxies.check('10.200.3.4', 'ipv4')).toBe(true);
    expect(trustedProxies.check('::ffff:10.200.3.4', 'ipv6')).toBe(true);
    expect(trustedProxies.check('192.0.2.7', 'ipv4')).toBe(true);
    expect(trustedProxies.check('192.0.2.8', 'ipv4')).toBe(false);
    expect(trustedProxies.check('fd12::1', 'ipv6')).toBe(true);
    expect(trustedProxies.check('fe80::1', 'ipv6')).toBe(false);
  });

  test.each([
    ['https://sms.example.com', '', 'https://sms.example.com'],
    ['https://sms.example.com/', '', 'https://sms.example.com'],
    ['https://example.com:8443/sms/', '/sms', 'https://example.com:8443/sms'],
    ['http://example.com/a/b', '/a/b', 'http://example.com/a/b'],
  ])(
    '[CONV-1] CARILLON_PUBLIC_URL %s gives the path prefix and the URL shown to users',
    (text, prefix, shown) => {
      const config = readConfig({ CARILLON_PUBLIC_URL: text });
      expect(config.pathPrefix).toBe(prefix);
      expect(publicUrl(config, 4_711)).toBe(shown);
    },
  );

  test('[RUN-1] Without CARILLON_PUBLIC_URL, users reach the server where it listens', () => {
    const at = (http: string) => publicUrl(readConfig({ CARILLON_HTTP: http }), 4_711);
    expect(at('127.0.0.1:0')).toBe('http://127.0.0.1:4711');
    expect(at('0.0.0.0:0')).toBe('http://localhost:4711');
    expect(at('[::]:0')).toBe('http://localhost:4711');
    expect(at('[::1]:0')).toBe('http://[::1]:4711');
  });

  test('[RUN-2] A node takes on the roles it is given, and unknown roles are refused', () => {
    expect([...readConfig({}, { roles: 'http' }).roles]).toEqual(['http']);
    expect([...readConfig({}, { roles: 'jobs, dispatch' }).roles]).toEqual(['dispatch', 'jobs']);
    expect(faultOf({}, 'http,smtp')).toContain('"smtp"');
    expect(faultOf({}, '')).toContain('--roles');
  });
});

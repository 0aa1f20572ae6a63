/** Says how to connect Carillon to the SMSC for tests: what to put into the provisioning file, word for word. */
import type { Behaviour } from './behaviour.ts';

export function connectionAdvice(behaviour: Behaviour, port: number): string {
  const { systemId, password, tlsCert, messageId, alphabet } = behaviour;
  const converts = messageId === 'hexToDecimal' || messageId === 'decimalToHex';
  const settings: readonly (readonly [string, string])[] = [
    ['name', 'smsc'],
    ['type', 'smpp'],
    ['host', scalar(reachable(behaviour.host))],
    ['port', String(port)],
    ['systemId', systemId === undefined ? 'carillon # any will do' : scalar(systemId)],
    ['password', password === undefined ? 'secret # any will do' : scalar(password)],
    ...(tlsCert === undefined ? [] : [['tls', 'true'] as const, ['tlsCa', scalar(tlsCert)] as const]),
    ...(converts ? [['messageId', messageId] as const] : []),
    ...(alphabet === 'gsm7' ? [] : [['alphabet', alphabet] as const]),
  ];
  const lines = settings.map(([name, value], index) => `${index === 0 ? '  - ' : '    '}${name}: ${value}`);
  return ['carriers:', ...lines, 'routes:', '  - { prefix: "", carriers: [smsc] }'].join('\n');
}

/** Where it listens at every address, one of them. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** Quoted where YAML could take it for something else. */
function scalar(value: string): string {
  return /^[a-z][\w./-]*$/i.test(value) && !/^(true|false|null|yes|no|on|off)$/i.test(value)
    ? value
    : /^\d+(\.\d+){3}$/.test(value)
      ? value
      : JSON.stringify(value);
}

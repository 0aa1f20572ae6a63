/** Carriers by HTTP for tests: settings as the provisioning file would fill them in, but with shorter waits. */
import { Value } from 'typebox/value';
import { HttpCarrier } from '../../src/carriers/http/http-carrier.ts';
import { type HttpDeclaration, type HttpSettings, httpSettings } from '../../src/carriers/http/settings.ts';
import { systemClock } from '../../src/foundation/clock.ts';
import { endlessLease } from '../harness/endless-lease.ts';
import { CarrierRecorder } from './carrier-recorder.ts';
import { HttpUpstream, type UpstreamRule } from './http-upstream.ts';

const hourMs = 3_600_000;
const quick = {
  reconnectMinMs: 20,
  reconnectMaxMs: 100,
  throttlePauseMs: 50,
  // The time of a test may run ahead of the network's.
  connectTimeoutMs: hourMs,
  responseTimeoutMs: hourMs,
};

const noUrls = { receiptUrl: '', incomingUrl: '' };

type Refusal = NonNullable<HttpDeclaration['submit']['refusals']>[number];

function refusal(code: string, then: Refusal['then'], as?: Refusal['as']): Refusal {
  return { at: '/code', is: [code], then, ...(as && { as }) };
}

/** Submits JSON to `/messages`, and takes the calls of an upstream. */
export function httpDeclaration(baseUrl: string, changes: Partial<HttpSettings> = {}): HttpDeclaration {
  const declaration = Value.Default(httpSettings, {
    ...quick,
    baseUrl,
    submit: {
      url: '{baseUrl}/messages',
      json: { to: '+{to}', from: '{from}', text: '{text}', reference: '{id}' },
      accepted: { id: '/id', parts: '/parts' },
      refusals: [
        refusal('no-such-number', 'rejected', 'INVALIDDESTINATION'),
        refusal('not-here', 'passOn', 'UNDELIVERABLE'),
        refusal('busy', 'retry'),
        refusal('closed', 'down'),
      ],
    },
    receipts: {
      id: '/id',
      state: '/state',
      states: { sent: 'SENT', delivered: 'DELIVERED', failed: 'UNDELIVERABLE' },
      error: '/error',
    },
    incoming: { from: '/from', to: '/to', text: '/text' },
    ...changes,
  });
  const [fault] = Value.Errors(httpSettings, declaration);
  if (fault !== undefined) throw new Error(`${fault.instancePath} ${fault.message}`);
  return declaration as HttpDeclaration;
}

export function httpCarrier(
  declaration: HttpDeclaration,
  lease: { isHeld: boolean } = endlessLease(),
): HttpCarrier {
  return new HttpCarrier({
    id: 1,
    name: 'service',
    declaration,
    urls: noUrls,
    clock: systemClock,
    lease,
    asksForIncoming: async () => true,
  });
}

export interface HttpPair {
  readonly upstream: HttpUpstream;
  readonly carrier: HttpCarrier;
  readonly heard: CarrierRecorder;
}

const pairs: HttpPair[] = [];

/** A started carrier and the service behind it. */
export async function httpPair(
  rule?: UpstreamRule,
  changes: Partial<HttpSettings> = {},
  lease?: { isHeld: boolean },
): Promise<HttpPair> {
  const upstream = await HttpUpstream.listen(rule);
  const carrier = httpCarrier(httpDeclaration(upstream.url, changes), lease);
  const heard = new CarrierRecorder();
  pairs.push({ upstream, carrier, heard });
  await carrier.start(heard);
  return { upstream, carrier, heard };
}

export async function endHttpPairs(): Promise<void> {
  for (const { upstream, carrier } of pairs.splice(0)) {
    await carrier.stop(0);
    await upstream.close();
  }
}

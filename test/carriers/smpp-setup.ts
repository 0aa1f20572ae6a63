/** SMPP carriers for tests: settings as the provisioning file would fill them in, but with shorter waits. */
import { Value } from 'typebox/value';
import { SmppCarrier } from '../../src/carriers/smpp/carrier/smpp-carrier.ts';
import { type SmppSettings, smppSettings } from '../../src/carriers/smpp/settings.ts';
import { systemClock } from '../../src/foundation/clock.ts';
import { endlessLease } from '../harness/endless-lease.ts';
import { CarrierRecorder, until } from './carrier-recorder.ts';
import { RawSmsc, type Rule } from './raw-smsc.ts';

const quick = {
  systemId: 'carillon',
  password: 'secret',
  reconnectMinMs: 20,
  reconnectMaxMs: 100,
  throttlePauseMs: 50,
};

export function smppSettingsFor(port: number, changes: Partial<SmppSettings> = {}): SmppSettings {
  const settings = Value.Default(smppSettings, { ...quick, host: '127.0.0.1', port, ...changes });
  const [fault] = Value.Errors(smppSettings, settings);
  if (fault !== undefined) throw new Error(`${fault.instancePath} ${fault.message}`);
  return settings as SmppSettings;
}

export function smppCarrier(port: number, changes: Partial<SmppSettings> = {}, instance = 1): SmppCarrier {
  return new SmppCarrier({
    id: 1,
    name: 'operator',
    settings: smppSettingsFor(port, changes),
    instance: String(instance),
    clock: systemClock,
    lease: endlessLease(),
  });
}

export interface Linked {
  readonly smsc: RawSmsc;
  readonly carrier: SmppCarrier;
  readonly heard: CarrierRecorder;
}

const linked: Linked[] = [];

/** A carrier that is being started, and the SMSC that it will bind to. */
export async function link(
  changes: Partial<SmppSettings> = {},
  rules: readonly (readonly [number, Rule])[] = [],
): Promise<Linked> {
  const smsc = await RawSmsc.listen();
  for (const [id, rule] of rules) smsc.rules.set(id, rule);
  const carrier = smppCarrier(smsc.port, changes);
  const heard = new CarrierRecorder();
  linked.push({ smsc, carrier, heard });
  await carrier.start(heard);
  return { smsc, carrier, heard };
}

/** The same, once all binds are up. */
export async function linkUp(...parameters: Parameters<typeof link>): Promise<Linked> {
  const made = await link(...parameters);
  await until(() => made.carrier.status().figures.bindsUp === made.carrier.status().figures.binds);
  return made;
}

/** For `afterEach`. */
export async function unlinkAll(): Promise<void> {
  for (const { smsc, carrier } of linked.splice(0)) {
    await carrier.stop(0);
    await smsc.close();
  }
}

/** `carillon carriers addresses`: where a service may call with receipts and incoming SMS, to be entered at the service. */
import { secretFor } from '../app/open-store.ts';
import { callbackUrls, callSecret } from '../carriers/http/call-address.ts';
import { listCarriers } from '../carriers/provisioned/carrier-rows.ts';
import { publicUrl } from '../config/config.ts';
import { StartError } from '../foundation/errors.ts';
import { print, printJson } from '../foundation/terminal.ts';
import { inStore } from './as-operator.ts';
import { factLines, type JsonOption } from './list.ts';

export async function showAddresses(name: string, { json = false }: JsonOption): Promise<void> {
  await inStore(async (store, config) => {
    const carrier = (await store.read(listCarriers, null)).find((one) => one.name === name);
    if (carrier === undefined) throw new StartError(`There is no carrier ${name}.`);
    if (carrier.type !== 'http')
      throw new StartError(
        `${name} is of the type ${carrier.type}; only carriers of the type http are called.`,
      );
    if (config.publicUrl === undefined)
      throw new StartError(
        'Set CARILLON_PUBLIC_URL to the value that the server uses: no service can call without it.',
      );
    const key = callSecret(await secretFor(store, config));
    const addresses = callbackUrls(publicUrl(config, config.http.port), key, name);
    if (json) return printJson(addresses, 2);
    print(
      ...factLines([
        ['receipts', addresses.receiptUrl],
        ['incoming', addresses.incomingUrl],
      ]),
    );
  });
}

/** Finds the webhook that posts to the `callbackurl` of a call, or makes it, after the same checks as for any other webhook. */
import { errorOfFields } from '../../foundation/errors.ts';
import type { OpenCallback } from '../../messages/callback.ts';
import { allowed } from '../../resources/declaration.ts';
import { findCallback, openCallback } from '../callback-url.ts';
import { newSecret, placeOfCallbackUrlSecret } from '../endpoint.ts';
import { type Administering, postUrl, refuseForbidden } from './webhook-api.ts';

const field = 'callbackurl';

export function callbackOpener({ store, clock, sealing, lookUps }: Administering): OpenCallback {
  return async (caller, { url, until }, call) => {
    const { companyId, userId, username, session } = caller;
    const rightUrl = postUrl(url);
    if (!rightUrl.ok) throw errorOfFields(rightUrl, field);
    const wanted = { companyId, userId, url, until };
    const found = await store.read(findCallback, wanted);
    const known = found && allowed(found);
    if (known?.isKept) return known.id;
    if (known === null) await refuseForbidden(lookUps, caller, { url, field }, call);
    const secret = sealing.seal(newSecret(), placeOfCallbackUrlSecret(userId));
    const opening = { ...wanted, username, session, now: clock.now(), secret };
    return allowed(await store.write(openCallback, opening)).id;
  };
}

/** The words that webhooks and callbacks of system users share. */
import { faultOfUrl, keyOfSecret } from '../../webhooks/endpoint.ts';
import { text } from '../../yaml/fields.ts';

export const callbackUrl = text((written) => {
  const wrong = faultOfUrl(written);
  return wrong === undefined ? { value: written } : { wrong };
});

export const webhookSecret = text((written) =>
  keyOfSecret(written) === undefined
    ? {
        wrong:
          'must be whsec_ and 24 to 64 octets in base64, such as whsec_ in front of the output of: openssl rand -base64 32',
      }
    : { value: written },
);

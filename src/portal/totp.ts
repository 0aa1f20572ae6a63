/** Codes of an app (RFC 6238): six digits of HMAC-SHA-1, new every 30 seconds. Loaded when the first user gives one. */
import { generateSecret, generateURI, verifySync } from 'otplib/functional';
import { toString as draw } from 'qrcode';

const periodS = 30;

/** The time step of the code; undefined if the code is of no step near this time, or of one that was used. */
export function stepOf(secret: string, code: string, now: number, usedStep = 0): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const found = verifySync({
    secret,
    token: code,
    epoch: Math.floor(now / 1_000),
    period: periodS,
    // The code before and the next are taken too, since clocks differ.
    epochTolerance: periodS,
  });
  if (!found.valid || !('timeStep' in found)) return undefined;
  // The library would throw if this node's clock were behind that of the node where the last code was used.
  return found.timeStep > usedStep ? found.timeStep : undefined;
}

/** A new secret of 160 bits in Base32, and the picture from which an app reads it. */
export async function newTotp(username: string) {
  const secret = generateSecret();
  const uri = generateURI({ issuer: 'Carillon', label: username, secret });
  return { secret, picture: await draw(uri, { type: 'svg', margin: 2 }) };
}

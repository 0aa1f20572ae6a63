/** Who may manage the e-mail senders of a company: its administrators and its e-mail administrators. */
import type { Rows } from './row.ts';

const path = '/api/v1/email';
const ofEmailAdmins = [403, 403, 200, 200, 403, 403, 200] as const;
/** An address on the list of one company is on no other company's list. */
const entry = `${path}/senders/ward@care.example`;
const ofEntry = [403, 403, 200, 200, 403, 403, 404] as const;
let made = 0;

export const emailRows: Rows = {
  [`GET ${path}/senders`]: { call: (client) => client.get(`${path}/senders`), answers: ofEmailAdmins },
  [`POST ${path}/senders`]: {
    call: (client) => {
      made += 1;
      return client.post(`${path}/senders`, { email: `ward${made}@care.example`, payingUser: 'colleague' });
    },
    // The rival's company has no such user, and may not list such a domain.
    answers: [403, 403, 201, 201, 403, 403, 400],
  },
  [`GET ${path}/senders/{email}`]: { call: (client) => client.get(entry), answers: ofEntry },
  [`PATCH ${path}/senders/{email}`]: {
    call: (client) => client.patch(entry, { includeSubject: true }),
    answers: ofEntry,
  },
  [`DELETE ${path}/senders/{email}`]: {
    call: (client) => client.request('DELETE', entry),
    // The provisioning file manages the entry.
    answers: [403, 403, 409, 409, 403, 403, 404],
  },
  [`GET ${path}/senders.csv`]: {
    call: (client) => client.get(`${path}/senders.csv`),
    answers: ofEmailAdmins,
  },
  [`GET ${path}/lookup`]: {
    call: (client) => client.get(`${path}/lookup`, { email: 'ward@care.example' }),
    answers: ofEmailAdmins,
  },
  [`GET ${path}/payers`]: {
    // Who may list senders may know by name the users who can pay.
    call: (client) => client.get(`${path}/payers`, { q: 'colleague' }),
    answers: ofEmailAdmins,
  },
  [`GET ${path}/recent`]: { call: (client) => client.get(`${path}/recent`), answers: ofEmailAdmins },
  [`GET ${path}/defaults`]: { call: (client) => client.get(`${path}/defaults`), answers: ofEmailAdmins },
  [`PATCH ${path}/defaults`]: {
    call: (client) => client.patch(`${path}/defaults`, { maxSms: 3 }),
    answers: ofEmailAdmins,
  },
  [`GET ${path}/domains`]: { call: (client) => client.get(`${path}/domains`), answers: ofEmailAdmins },
};

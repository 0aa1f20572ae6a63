/**
 * Who may read and who may change address books. The owner may read book 11; the file manages contact 1, a group and a
 * filter.
 */
import { making, ofAdministrators, type Rows } from './row.ts';

const path = '/api/v1/addressbooks';
const book = `${path}/11`;
const ofReaders = [200, 404, 200, 404, 404, 404, 404] as const;
const ofKeepers = [403, 404, 200, 404, 404, 404, 404] as const;
const ofManaged = [403, 404, 409, 404, 404, 404, 404] as const;
let made = 0;
/** A name not yet used by a contact, group or filter. */
const newName = () => `made ${++made}`;
const csv = 'name,phone\nZoe,46701740699\n';

export const contactRows: Rows = {
  [`GET ${path}`]: { call: (client) => client.get(path), answers: [200, 200, 200, 200, 200, 200, 200] },
  [`POST ${path}`]: {
    call: (client) => client.post(path, { name: newName() }),
    answers: making(ofAdministrators),
  },
  [`GET ${path}/{book}`]: { call: (client) => client.get(book), answers: ofReaders },
  [`PATCH ${path}/{book}`]: {
    call: (client) => client.patch(book, { name: 'Other' }),
    answers: ofManaged,
  },
  [`DELETE ${path}/{book}`]: { call: (client) => client.request('DELETE', book), answers: ofManaged },
  ...Object.fromEntries(
    [
      'tags',
      'filters',
      'filters/nurses',
      'groups',
      'groups/board',
      'contacts',
      'contacts/1',
      'count?filter=role:nurse',
      'export',
    ].map((what) => [
      `GET ${path}/{book}/${what
        .replace(/\/(board|nurses)/, '/{name}')
        .replace('/1', '/{id}')
        .replace(/\?.*/, '')}`,
      { call: (client) => client.get(`${book}/${what}`), answers: ofReaders },
    ]),
  ),
  [`POST ${path}/{book}/filters`]: {
    call: (client) => client.post(`${book}/filters`, { name: newName(), filter: 'role:nurse' }),
    answers: making(ofKeepers),
  },
  [`PATCH ${path}/{book}/filters/{name}`]: {
    call: (client) => client.patch(`${book}/filters/nurses`, { filter: 'role:doctor' }),
    answers: ofManaged,
  },
  [`DELETE ${path}/{book}/filters/{name}`]: {
    call: (client) => client.request('DELETE', `${book}/filters/nurses`),
    answers: ofManaged,
  },
  [`POST ${path}/{book}/groups`]: {
    call: (client) => client.post(`${book}/groups`, { name: newName() }),
    answers: making(ofKeepers),
  },
  [`PATCH ${path}/{book}/groups/{name}`]: {
    call: (client) => client.patch(`${book}/groups/board`, { add: ['contact 1'] }),
    answers: ofManaged,
  },
  [`DELETE ${path}/{book}/groups/{name}`]: {
    call: (client) => client.request('DELETE', `${book}/groups/board`),
    answers: ofManaged,
  },
  [`POST ${path}/{book}/contacts`]: {
    call: (client) => client.post(`${book}/contacts`, { externalId: newName() }),
    answers: making(ofKeepers),
  },
  [`PATCH ${path}/{book}/contacts/{id}`]: {
    call: (client) => client.patch(`${book}/contacts/1`, { name: 'Other' }),
    answers: ofManaged,
  },
  [`DELETE ${path}/{book}/contacts/{id}`]: {
    call: (client) => client.request('DELETE', `${book}/contacts/1`),
    answers: ofManaged,
  },
  [`POST ${path}/{book}/import/preview`]: {
    call: (client) => client.post(`${book}/import/preview`, csv),
    answers: ofKeepers,
  },
  [`POST ${path}/{book}/import`]: {
    call: (client) => client.post(`${book}/import`, csv),
    answers: ofKeepers,
  },
  [`GET ${path}/{book}/imports`]: { call: (client) => client.get(`${book}/imports`), answers: ofKeepers },
  [`POST ${path}/{book}/imports/{id}/undo`]: {
    call: (client) => client.post(`${book}/imports/1/undo`),
    answers: ofKeepers,
  },
};

/** The endpoint by which people find what they know a word or the digits of, whatever kind of thing it is. */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { visibilityOf } from '../accounts/visibility.ts';
import { findNamedBatches } from '../batches/management/named-batches.ts';
import { termSought } from '../contacts/contact-terms.ts';
import { findContactPage } from '../contacts/management/contact-pages.ts';
import { groups } from '../contacts/management/groups.ts';
import { visibleBooks } from '../contacts/management/visible-books.ts';
import type { Language } from '../foundation/language.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { text } from '../http/parameters/kinds.ts';
import { listStartableJobs } from '../jobs/saved-job.ts';
import type { Store } from '../storage/store.ts';
import { templates } from '../templates/template.ts';
import { hasWords, matchesWords } from '../wire/word-match.ts';

const endpoint = endpointsFor<Caller>();

/** The hits of each kind. Further ones are found by typing more of the name. */
const maxHits = 8;
/** As many of each kind are looked at, so that what one person types holds up nobody. */
const maxLookedAt = 500;
/** Administrators see all books of their company; in more than this, the people of the others are found in their books. */
const maxBooks = 5;

const named = { id: Type.String(), name: Type.String() };

export function findEndpoints({ store }: { readonly store: Store }) {
  return [
    endpoint({
      path: '/api/v1/find',
      methods: ['GET'],
      group: 'Search',
      operation: 'findByName',
      title: 'Find by name or number',
      description: `Finds people by the beginning of a name, a word of it or a number, and groups, templates, the latest batches and saved jobs by the beginnings of words of their names: at most ${maxHits} of each kind, of what the caller may see.`,
      example: { url: { q: 'an' } },
      credentials: anyMethod,
      parameters: { q: text({ get: 'q', required: true, maxLength: 100, description: 'What was typed.' }) },
      answer: Type.Object({
        people: Type.Array(
          Type.Object({ book: Type.String(), ...named, phone: Type.Optional(Type.String()) }),
        ),
        groups: Type.Array(
          Type.Object({
            book: Type.String(),
            name: Type.String(),
            isDefault: Type.Boolean({ description: 'Whether the caller can send to it by its name.' }),
          }),
        ),
        templates: Type.Array(Type.Object(named)),
        batches: Type.Array(Type.Object(named)),
        jobs: Type.Array(Type.Object(named, { description: 'Saved jobs that the caller may start.' })),
      }),
      async handle(caller, { q }, call) {
        if (!hasWords(q)) return { people: [], groups: [], templates: [], batches: [], jobs: [] };
        const { closed: signal, language } = call;
        const asked = { store, caller, q, signal, language };
        const isMember = (['send', 'jobs', 'companyAdmin'] as const).some((role) => caller.roles.has(role));
        const [inBooks, ofCompany, jobs] = await Promise.all([
          findInBooks(asked),
          isMember ? findOfCompany(asked) : { templates: [], batches: [] },
          caller.roles.has('jobs') ? findJobs(asked) : [],
        ]);
        return { ...inBooks, ...ofCompany, jobs };
      },
    }),
  ] as const;
}

interface Asked {
  readonly store: Store;
  readonly caller: Caller;
  readonly q: string;
  readonly signal: AbortSignal;
  readonly language: Language;
}

/** In the caller's own book first, by which the caller sends. */
async function findInBooks({ store, caller, q, signal, language }: Asked) {
  const visible = await visibleBooks(store, caller, { from: { language }, limit: maxLookedAt });
  const books = visible.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault)).slice(0, maxBooks);
  const owner = { companyId: caller.companyId, userId: caller.userId };
  const sought = termSought(q);
  const found = await Promise.all(
    books.map(async ({ id: bookId, isDefault }) => {
      const book = String(bookId);
      const people = { bookId, owner, sought, language, filter: undefined, after: undefined, limit: maxHits };
      const [page, named] = await Promise.all([
        sought === '' ? { contacts: [] } : store.read(findContactPage, people, { signal }),
        store.read(groups.list, { scopeId: bookId, from: { language }, limit: maxLookedAt }, { signal }),
      ]);
      return {
        people: page.contacts.map(({ id, name, phone }) => ({ book, id: String(id), name, phone })),
        groups: hitsOf(
          named.map(({ key: name }) => ({ book, name, isDefault })),
          q,
        ),
      };
    }),
  );
  return {
    people: found.flatMap(({ people }) => people).slice(0, maxHits),
    groups: found.flatMap((one) => one.groups).slice(0, maxHits),
  };
}

async function findOfCompany({ store, caller, q, signal, language }: Asked) {
  const page = { scopeId: caller.companyId, from: { language }, limit: maxLookedAt };
  const [saved, batches] = await Promise.all([
    store.read(templates.list, page, { signal }),
    store.read(
      findNamedBatches,
      { ...visibilityOf(caller), callerId: caller.userId, typed: q, lookedAt: maxLookedAt, limit: maxHits },
      { signal },
    ),
  ]);
  return {
    templates: hitsOf(
      saved.map(({ key, name }) => ({ id: String(key), name })),
      q,
    ),
    batches: batches.map(({ id, name }) => ({ id: String(id), name })),
  };
}

async function findJobs({ store, caller: { userId }, q, signal, language }: Asked) {
  const jobs = await store.read(
    listStartableJobs,
    { userId, from: { language }, limit: maxLookedAt },
    { signal },
  );
  return hitsOf(
    jobs.map(({ id, name }) => ({ id: String(id), name })),
    q,
  );
}

function hitsOf<One extends { readonly name: string }>(all: readonly One[], typed: string): readonly One[] {
  return all.filter(({ name }) => matchesWords(name, typed)).slice(0, maxHits);
}

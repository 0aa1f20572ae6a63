/** Finds the address book that an operator names on the command line. */
import { ServiceError } from '../foundation/errors.ts';
import type { Store } from '../storage/store.ts';
import { findBooksByName } from './store.ts';

/** The book's id. The company may be left out where only one has a book of that name. */
export async function findAddressBook(
  store: Store,
  name: string,
  company: string | undefined,
): Promise<number> {
  const [book, ...others] = await store.read(findBooksByName, { company: company ?? null, name });
  if (book === undefined) {
    const where = company === undefined ? '' : ` in the company "${company}"`;
    throw new ServiceError(
      'not_found',
      `There is no address book "${name}"${where}. Address books are made by a provisioning file (carillon apply).`,
    );
  }
  if (others.length === 0) return book.id;
  const companies = [book, ...others].map((one) => `"${one.company}"`).join(', ');
  throw new ServiceError(
    'conflicting_parameters',
    `Several companies have an address book "${name}": ${companies}. Name one with --company.`,
  );
}

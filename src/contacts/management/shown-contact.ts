/** A contact as the management API shows it. */
import Type from 'typebox';
import { type Contact, versionOf } from '../contact.ts';
import type { StoredContact } from '../known-contacts.ts';

export const tagFields = {
  type: Type.String({ description: 'Type of the tag, such as `role`.' }),
  value: Type.String({ description: 'Value of the tag, such as `nurse`.' }),
};

export const plainContactFields = {
  externalId: Type.Optional(Type.String({ description: 'Id of the contact in your own systems.' })),
  name: Type.String(),
  phone: Type.Optional(Type.String({ description: 'International, digits only.' })),
  email: Type.Optional(Type.String()),
  app: Type.Optional(Type.String({ description: 'Address in the mobile app.' })),
  tags: Type.Array(Type.Object(tagFields, { title: 'Tag' }), { description: 'Sorted, without duplicates.' }),
};

export const contactFields = {
  id: Type.String(),
  ...plainContactFields,
  version: Type.String({
    description: 'Changes whenever the contact changes.',
  }),
  managed: Type.Boolean({
    description: 'Whether a provisioning file has this contact; only the file can then change it.',
  }),
};

export const contactSchema = Type.Object(contactFields, { title: 'Contact' });

export function plainContact({ externalId, name, phone, email, app, tags }: Contact) {
  return {
    externalId,
    name,
    phone,
    email,
    app,
    tags: tags.map(({ type, value }) => ({ type, value })),
  };
}

export function shownContact(contact: StoredContact) {
  return {
    id: String(contact.id),
    ...plainContact(contact),
    version: versionOf(contact),
    managed: contact.managedBy !== undefined,
  };
}

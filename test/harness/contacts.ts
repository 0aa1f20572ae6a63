/** A short notation for contacts in tests. */
import { type ContactChange, type Tag, tidyTags } from '../../src/contacts/contact.ts';

/** `role:nurse ward:7` */
export function tagsOf(text: string): readonly Tag[] {
  const tags = text
    .split(' ')
    .filter((tag) => tag !== '')
    .map((tag) => ({ type: tag.split(':')[0] ?? '', value: tag.split(':')[1] ?? '' }));
  const tidy = tidyTags(tags);
  return tidy.ok ? tidy.value : [];
}

/** Fields that are not given stay unchanged. */
export function contact(change: Partial<ContactChange>, tags?: string): ContactChange {
  return {
    externalId: undefined,
    name: undefined,
    phone: undefined,
    email: undefined,
    app: undefined,
    remove: false,
    ...change,
    tags: tags === undefined ? undefined : tagsOf(tags),
  };
}

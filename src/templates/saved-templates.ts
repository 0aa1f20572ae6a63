/** The templates that calls name: each is read and parsed once, and again after news of templates. */
import { LRUCache } from 'lru-cache';
import { Freshness, FreshReads } from '../accounts/fresh-reads.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { parseTemplate, type TemplateText } from '../wire/sms/substitution.ts';
import { findTemplateText } from './template.ts';

/** In characters of all that is kept; what was used longest ago is read again when it is needed. */
const maxKeptCharacters = 10_000_000;

interface Kept {
  readonly template: TemplateText;
  readonly edition: number;
}

export class SavedTemplates {
  readonly #freshness: Freshness;
  readonly #reads: FreshReads<string, string | undefined>;
  readonly #kept = new LRUCache<string, Kept>({ maxSize: maxKeptCharacters });

  constructor(store: Store, news: News) {
    this.#freshness = new Freshness(news, 'templates');
    this.#reads = new FreshReads(this.#freshness, (key) => {
      const [companyId = 0, id = 0] = key.split(' ').map(Number);
      return store.read(findTemplateText, { companyId, id });
    });
  }

  /** By the id as it was given, in digits. A template of another company is as unknown as one that is nowhere. */
  async find(companyId: number, givenId: string): Promise<TemplateText> {
    const id = Number(givenId);
    // The ids of templates are far smaller than those that no number can hold exactly.
    if (!Number.isSafeInteger(id)) throw unknownTemplate(givenId);
    const key = `${companyId} ${id}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#freshness.holds(kept.edition)) return kept.template;
    const { result: text, edition } = await this.#reads.read(key);
    if (text === undefined) {
      this.#kept.delete(key);
      throw unknownTemplate(givenId);
    }
    const template = parseTemplate(text);
    this.#kept.set(key, { template, edition }, { size: text.length + key.length });
    return template;
  }
}

function unknownTemplate(givenId: string): ServiceError {
  const error = `There is no template ${givenId} in the company of the account.`;
  return new ServiceError('unknown_template', `${error} Nothing was sent.`, {
    errors: [{ field: 'templateid', code: 'unknown_template', error }],
  });
}

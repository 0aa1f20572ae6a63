/** The templates that calls refer to. Each is read and parsed once, and again when the news counter of templates changes. */

import { LRUCache } from 'lru-cache';
import { Freshness, FreshReads } from '../accounts/fresh-reads.ts';
import { errorOfFields, type ServiceError } from '../foundation/errors.ts';
import { fault } from '../foundation/result.ts';
import type { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { parseTemplate, type TemplateText } from '../wire/sms/substitution.ts';
import { findTemplateText } from './template.ts';

/** Total characters kept. The least recently used texts are read again when needed. */
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

  /** Takes the id as digits, as given by the call. Another company's template is as unknown as one that does not exist. */
  async find(companyId: number, givenId: string): Promise<TemplateText> {
    const id = Number(givenId);
    // Template ids are far below the largest number that can be held exactly.
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
  return errorOfFields(
    fault('unknown_template', { sentence: 'no_template', template: givenId }),
    'templateid',
  );
}

/** Caches that grow with what they hold. With `max`, the package would take all memory in advance: 2.8 MB for 100,000 entries. */
import { LRUCache } from 'lru-cache';

export function lruCache<Key extends {}, Value extends {}>(maxEntries: number): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 });
}

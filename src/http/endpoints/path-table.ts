/** Finds the target of a path: `/api/v1/messages/12` leads to `/api/v1/messages/{id}`, with 12 as the value of `id`. */
import type { UrlValues } from '../parameters/parameter.ts';
import { noValues } from '../parameters/url-values.ts';

export interface FoundPath<Target> {
  readonly target: Target;
  /** The path parameters, encoded as in a query. */
  readonly values: UrlValues;
}

interface Template<Target> {
  readonly segments: readonly string[];
  readonly target: Target;
}

export class PathTable<Target> {
  readonly #plain = new Map<string, FoundPath<Target>>();
  readonly #templates: Template<Target>[] = [];

  add(path: string, target: Target): void {
    if (namesInPath(path).length === 0) this.#plain.set(path, { target, values: noValues });
    else this.#templates.push({ segments: path.split('/'), target });
  }

  /** Only for a path without parameters. */
  findPlain(path: string): FoundPath<Target> | undefined {
    return this.#plain.get(path);
  }

  find(path: string): FoundPath<Target> | undefined {
    const plain = this.#plain.get(path);
    if (plain !== undefined) return plain;
    const segments = path.split('/');
    for (const template of this.#templates) {
      const values = valuesIn(template.segments, segments);
      if (values !== undefined) return { target: template.target, values };
    }
    return undefined;
  }
}

/** Returns `id` for `/api/v1/messages/{id}`. */
export function namesInPath(path: string): readonly string[] {
  return path.split('/').flatMap((segment) => nameOf(segment) ?? []);
}

function nameOf(segment: string): string | undefined {
  return segment.startsWith('{') ? segment.slice(1, -1) : undefined;
}

function valuesIn(template: readonly string[], segments: readonly string[]): UrlValues | undefined {
  if (template.length !== segments.length) return undefined;
  const values = new Map<string, string>();
  for (const [place, expected] of template.entries()) {
    const segment = segments[place] ?? '';
    const name = nameOf(expected);
    if (name === undefined ? segment !== expected : segment === '') return undefined;
    // In a query a plus would mean a space.
    if (name !== undefined) values.set(name, segment.replaceAll('+', '%2B'));
  }
  return values;
}

/**
 * The OpenAPI document as the page at `/docs` shows it: with the two logins that people type, one of which every call
 * takes. The others are for programs, and a form for each would let somebody fill in two.
 */
import { securitySchemes } from './openapi-security.ts';

interface Operation {
  /** Absent where it is what the document says for all. */
  readonly security?: readonly object[];
}

interface OpenApiDocument {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly security: readonly object[];
  readonly components: object;
}

const { basic, apiKeyHeader } = securitySchemes;
const shown = { basic, apiKeyHeader };

const firstSteps = `**To try it**: log in with **Authorize**, open a call, press *Try it out* and *Execute*. What is filled in suits the demo company of a first start: send first, then read. SMS come to its number by \`carillon simulate incoming --to 46701740605 --from 46701740699 --text "Hi there"\`.

[The whole document](docs/openapi.json) is for programs: clients can be generated from it.`;

export function docsDocument(document: object): object {
  const { info, paths, security, components, ...rest } = document as OpenApiDocument;
  return {
    ...rest,
    security: security.filter(isShown),
    info: { ...info, description: `${info.description}\n\n${firstSteps}` },
    paths: mapped(paths, (operations) =>
      mapped(operations, (operation) =>
        operation.security === undefined
          ? operation
          : { ...operation, security: operation.security.filter(isShown) },
      ),
    ),
    components: { ...components, securitySchemes: shown },
  };
}

/** The empty one, which stands for credentials in a body, would show a call as open to all. */
function isShown(requirement: object): boolean {
  const names = Object.keys(requirement);
  return names.length > 0 && names.every((name) => name in shown);
}

function mapped<Value, Made>(
  record: Readonly<Record<string, Value>>,
  make: (value: Value) => Made,
): Record<string, Made> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, make(value)]));
}

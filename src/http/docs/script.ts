/**
 * What the page at `/docs` does beyond Swagger UI: a login is tried before it counts, and there is one at a time, since a
 * call with two is refused (API: authentication). The browser itself never asks for a password: a call whose answer is 401
 * would draw its window if the page sent what the browser knows of this server.
 */

/** Asks for nothing and changes nothing, and any account may call it: 401 says that the credentials are wrong. */
const trialCall = '/restsms/svcrest/status?I=0&R=F';

export interface DocsScript {
  /** In front of every path of the API; empty for none. */
  readonly pathPrefix: string;
  /** Of the document that the page shows. */
  readonly documentUrl: string;
}

export function docsScript({ pathPrefix, documentUrl }: DocsScript): string {
  return `const trialCall = ${JSON.stringify(pathPrefix + trialCall)};
${trial}
${plugins}
SwaggerUIBundle({
  url: ${JSON.stringify(documentUrl)},
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  plugins: [oneLogin, withoutAddress],
  requestInterceptor: (request) => Object.assign(request, { credentials: 'omit' }),
});
`;
}

const trial = `const text = (value) => (typeof value === 'string' ? value : '');

function headersOf(scheme, value) {
  if (scheme === 'apiKeyHeader') return text(value) === '' ? undefined : { 'X-API-Key': value };
  const { username, password } = value || {};
  if (text(username) === '' || text(password) === '') return undefined;
  const octets = new TextEncoder().encode(username + ':' + password);
  return { Authorization: 'Basic ' + btoa(String.fromCharCode(...octets)) };
}

/** Why the server does not let these credentials in; undefined when it does. */
async function faultOf(scheme, value) {
  try {
    const headers = headersOf(scheme, value);
    if (headers === undefined)
      return scheme === 'basic' ? 'Give a user name and a password.' : 'Give an API key.';
    const answer = await fetch(trialCall, { headers, credentials: 'omit' });
    if (answer.ok || answer.status === 403) return undefined;
    return (await answer.json()).error;
  } catch (error) {
    return 'The server could not be asked: ' + error.message;
  }
}
`;

const plugins = `/** Of the document that the page shows, which is not the one for programs. */
const withoutAddress = { wrapComponents: { InfoUrl: () => () => null } };

const oneLogin = {
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize, system) => async (given) => {
          system.errActions.clear({ source: 'login' });
          for (const [scheme, login] of Object.entries(given)) {
            const fault = await faultOf(scheme, login && login.value);
            if (fault !== undefined) {
              system.errActions.newAuthErr({ authId: scheme, source: 'login', level: 'refused', message: fault });
              return;
            }
            const others = Object.keys(system.authSelectors.authorized().toJS()).filter((other) => other !== scheme);
            if (others.length > 0) system.authActions.logout(others);
            authorize({ [scheme]: login });
          }
        },
      },
    },
  },
};
`;

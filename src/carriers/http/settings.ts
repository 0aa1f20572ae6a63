/**
 * The settings of a carrier by HTTP: its request, what its answers mean, and how it reports receipts and incoming SMS. A preset
 * is the same as data; what the operator sets replaces what the preset says.
 */
import { type Static, Type } from 'typebox';
import { failingStatuses } from '../../wire/smpp/receipt.ts';
import { refusalStatuses } from '../carrier.ts';
import { doubtSettings, patienceSettings } from '../patience.ts';

const closed = { additionalProperties: false };

/** Names of placeholders and of secrets, as in `{token}`. */
export const placeholderName = '[A-Za-z][A-Za-z0-9_]{0,63}';

function template(description: string) {
  return Type.String({ maxLength: 4_000, description });
}

/** Where a value stands in what the carrier sends. */
function place(description: string) {
  return Type.String({
    pattern: '^(/|regex:.)',
    maxLength: 500,
    title: 'a JSON pointer such as /id, or regex: followed by an expression',
    description,
  });
}

function listPlace(description: string) {
  return Type.String({
    pattern: '^(/|$)',
    maxLength: 500,
    title: 'a JSON pointer such as /messages, or "" for the whole',
    description,
  });
}

function templates(description: string) {
  const key = Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,100}$' });
  const propertyNames = { title: 'a name of letters, digits and the characters _ . : -' };
  return Type.Record(key, template('A text with placeholders.'), { ...closed, propertyNames, description });
}

function statusesBy<const Names extends readonly string[]>(names: Names, description: string) {
  return Type.Record(Type.String({ pattern: '^[\\s\\S]{1,100}$' }), Type.Enum([...names] as [...Names]), {
    ...closed,
    description,
  });
}

/** What an answer must have: one of these HTTP statuses, one of these values at a place, or both. */
const condition = {
  status: Type.Optional(
    Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), {
      minItems: 1,
      maxItems: 100,
      description: 'HTTP statuses of the answer.',
    }),
  ),
  at: Type.Optional(place('Where the value stands in the answer.')),
  is: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      minItems: 1,
      maxItems: 500,
      description: 'The values meant; without them, any value will do.',
    }),
  ),
};

const refusal = Type.Object(
  {
    ...condition,
    // biome-ignore lint/suspicious/noThenProperty: this is the key in provisioning files.
    then: Type.Enum(['retry', 'rejected', 'passOn', 'down', 'accepted'], {
      description:
        'retry: throttled or busy; rejected: for good; passOn: another carrier may take it; down: the carrier refuses everything; accepted: it has taken the message before.',
    }),
    as: Type.Optional(
      Type.Enum(Object.keys(refusalStatuses) as (keyof typeof refusalStatuses)[], {
        description: 'The final status of a message that is rejected or passed on.',
      }),
    ),
  },
  closed,
);

const headerName = '^[A-Za-z0-9-]{1,100}$';

/** A keyed hash over a text made of what is sent: of a request of ours, or of a call of the carrier. */
const hmac = {
  header: Type.String({
    pattern: headerName,
    title: 'the name of a header',
    description: 'The header with the signature.',
  }),
  secret: Type.String({
    pattern: `^${placeholderName}$`,
    title: 'password, or the name of one of the secrets',
    description: 'The key: password, or the name of one of the secrets.',
  }),
  encoding: Type.Optional(Type.Enum(['hex', 'base64'], { description: 'How the signature is written.' })),
  over: Type.Optional(
    Type.String({
      maxLength: 500,
      description:
        'What is signed: the word body, or a text with {body}, {url}, {bodyHash} and headers by their names, such as {x-timestamp}.',
    }),
  ),
  prefix: Type.Optional(
    Type.String({ maxLength: 50, description: 'What stands before the signature in the header.' }),
  ),
};

const algorithm = Type.Enum(['sha1', 'sha256', 'sha512'], { description: 'The hash of the signature.' });

const submit = Type.Object(
  {
    method: Type.Optional(Type.Enum(['POST', 'PUT', 'GET'], { description: 'POST unless set.' })),
    url: template('The address of the request.'),
    headers: Type.Optional(templates('Headers of the request.')),
    basic: Type.Optional(
      Type.Object({ username: template('The user.'), password: template('The password.') }, closed),
    ),
    sign: Type.Optional(Type.Object({ hmac: algorithm, ...hmac }, closed)),
    json: Type.Optional(Type.Unknown({ description: 'The body, as JSON.' })),
    form: Type.Optional(templates('The body, as a form.')),
    query: Type.Optional(templates('What is added to the address as its query.')),
    accepted: Type.Object(
      {
        ...condition,
        id: Type.Union([Type.Enum(['own', 'key']), place('Where the id of the message stands.')], {
          description:
            'Where the carrier’s id of the message stands; or own: it takes ours, {id}; or key: it takes {key}.',
        }),
        parts: Type.Optional(place('Where the number of SMS stands.')),
      },
      closed,
    ),
    refusals: Type.Optional(Type.Array(refusal, { maxItems: 100 })),
    idempotent: Type.Optional(
      Type.Boolean({ description: 'Whether the carrier takes a message only once under our id.' }),
    ),
  },
  closed,
);

/** Schemes of single carriers, and those that several share. */
export const signatureSchemes = ['twilio', 'vonage', 'standard-webhooks', 'jwt'] as const;

/** The ways in which Vonage signs; `md5hash` is a plain hash over the text and the key. */
export const vonageHashes = ['md5hash', 'md5', 'sha1', 'sha256', 'sha512'] as const;

const signature = Type.Union([
  Type.Enum(signatureSchemes, { description: 'A known scheme, with password as its key.' }),
  Type.Object(
    {
      scheme: Type.Enum(signatureSchemes),
      secret: Type.Optional(hmac.secret),
      hash: Type.Optional(
        Type.Enum(vonageHashes, {
          description: 'For vonage: the hash set for the account; md5hash unless set.',
        }),
      ),
      header: Type.Optional(
        Type.String({
          pattern: headerName,
          title: 'the name of a header',
          description: 'For jwt: the header with the token; Authorization unless set.',
        }),
      ),
    },
    closed,
  ),
  Type.Object(
    {
      hmac: algorithm,
      ...hmac,
      timestamp: Type.Optional(
        Type.String({
          pattern: headerName,
          title: 'the name of a header',
          description: 'A header with the time of the call in Unix seconds; it may be off by five minutes.',
        }),
      ),
    },
    closed,
  ),
  Type.Object({ ed25519: Type.Literal(true), ...hmac, timestamp: Type.Optional(hmac.header) }, closed),
]);

/** How a call is known to be the carrier's, beside the token in its address. */
const proof = {
  signature: Type.Optional(signature),
  networks: Type.Optional(
    Type.Array(Type.String({ maxLength: 50 }), {
      minItems: 1,
      maxItems: 100,
      description: 'The networks that the carrier calls from, such as 192.0.2.0/24.',
    }),
  ),
};

const only = Type.Optional(
  Type.Object(
    {
      at: place('Where the value stands.'),
      is: Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 100 }),
    },
    {
      ...closed,
      description: 'Which calls, or elements of the list, are of this kind; others are passed over.',
    },
  ),
);

/** What the carrier wants to hear once what it reported is stored. */
const answer = Type.Optional(
  Type.Object(
    {
      status: Type.Optional(Type.Integer({ minimum: 200, maximum: 204, description: '200 unless set.' })),
      type: Type.Optional(Type.String({ pattern: '^[a-z]+/[a-z0-9.+-]+$', maxLength: 100 })),
      body: Type.Optional(Type.String({ maxLength: 1_000 })),
    },
    closed,
  ),
);

/** A request that is repeated, for a carrier that calls nobody. */
const request = {
  method: Type.Optional(Type.Enum(['GET', 'POST', 'DELETE'])),
  url: template('The address of the request.'),
  headers: Type.Optional(templates('Headers of the request.')),
  basic: submit.properties.basic,
};

const poll = {
  ...request,
  everyMs: Type.Optional(
    Type.Integer({
      minimum: 1_000,
      maximum: 3_600_000,
      description: 'Milliseconds between two requests; 10,000 unless set.',
    }),
  ),
};

const states = ['SENT', 'DELIVERED', 'ACCEPTED', 'UNKNOWN', ...failingNames()] as const;

function failingNames() {
  return Object.keys(failingStatuses) as (keyof typeof failingStatuses)[];
}

const receipts = Type.Object(
  {
    each: Type.Optional(listPlace('The list of receipts, if a call reports several.')),
    only,
    id: place('Where the id of the message stands.'),
    state: place('Where the state stands.'),
    states: statusesBy(states, 'What the states mean; SENT is on its way.'),
    error: Type.Optional(place('Where the carrier’s code for the reason stands.')),
    errors: Type.Optional(statusesBy(failingNames(), 'What codes of failures mean.')),
    recipient: Type.Optional(place('Where the number that the SMS went to stands.')),
    ...proof,
    answer,
    poll: Type.Optional(
      Type.Object(
        {
          ...poll,
          state: Type.Optional(
            place('Where the state stands in the answer, if not where it stands in a call.'),
          ),
          error: Type.Optional(place('The same for the carrier’s code for the reason.')),
        },
        { ...closed, description: 'Asks for the state of each message: {carrierId}.' },
      ),
    ),
  },
  closed,
);

const incoming = Type.Object(
  {
    each: Type.Optional(listPlace('The list of SMS, if a call reports several.')),
    only,
    id: Type.Optional(place('Where the carrier’s id of the SMS stands.')),
    from: place('Where the sender stands.'),
    to: place('Where the number that was written to stands.'),
    text: place('Where the text stands.'),
    concatenation: Type.Optional(
      Type.Object(
        {
          reference: place('Where the reference of the whole stands.'),
          part: place('Where the number of the part stands, from 1.'),
          parts: place('Where the number of parts stands.'),
        },
        closed,
      ),
    ),
    ...proof,
    answer,
    poll: Type.Optional(
      Type.Object(
        {
          ...poll,
          acknowledge: Type.Optional(
            Type.Object(request, {
              ...closed,
              description: 'Sent once an SMS is stored, so that the carrier lists it no more: {incomingId}.',
            }),
          ),
        },
        closed,
      ),
    ),
  },
  closed,
);

export const httpSettings = Type.Object(
  {
    preset: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9-]{1,40}$',
        title: 'the name of a preset',
        description: 'A known service.',
      }),
    ),
    baseUrl: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'The address that {baseUrl} stands for, without a slash at its end.',
      }),
    ),
    insecure: Type.Boolean({
      default: false,
      description:
        'Allows addresses without TLS on other machines. Passwords and texts can then be read on the way.',
    }),
    username: Type.Optional(Type.String({ maxLength: 200, description: 'Our name at the carrier.' })),
    password: Type.Optional(
      Type.String({ maxLength: 1_000, secret: true, description: 'Our password or key.' }),
    ),
    secrets: Type.Optional(
      Type.Record(Type.String({ pattern: `^${placeholderName}$` }), Type.String({ maxLength: 4_000 }), {
        ...closed,
        secret: true,
        propertyNames: { title: 'a name of letters and digits' },
        description: 'Further secrets by name, for placeholders and signatures.',
      }),
    ),
    values: Type.Optional(templates('Texts by name, for placeholders.')),
    choices: Type.Optional(
      Type.Record(
        Type.String({ pattern: `^${placeholderName}$` }),
        Type.Union([
          Type.Object(
            {
              by: Type.Literal('encoding'),
              gsm7: template('For GSM-7.'),
              ucs2: template('For all other texts.'),
            },
            closed,
          ),
          Type.Object(
            {
              by: Type.Literal('sender'),
              number: template('For a number.'),
              short: Type.Optional(template('For a number of at most six digits; as number unless set.')),
              alphanumeric: template('For a name.'),
            },
            closed,
          ),
          Type.Object(
            { by: Type.Literal('flash'), yes: template('For flash.'), no: template('For others.') },
            closed,
          ),
        ]),
        { ...closed, description: 'Placeholders whose text depends on the message.' },
      ),
    ),
    // With a preset, what is set here is added to what the preset says.
    submit: Type.Optional(Type.Partial(submit, closed)),
    receipts: Type.Optional(Type.Partial(receipts, closed)),
    incoming: Type.Optional(Type.Partial(incoming, closed)),
    window: Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 10,
      description: 'How many messages may await an answer at a time.',
    }),
    throughput: Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      default: 0,
      description: 'SMS parts per second; 0 is no limit.',
    }),
    ...doubtSettings,
    ...patienceSettings,
  },
  closed,
);

/** As an operator sets them, perhaps with a preset. */
export type HttpSettings = Static<typeof httpSettings>;

export type SubmitSettings = Static<typeof submit>;
export type SignatureSettings = Static<typeof signature>;
export type ReceiptSettings = Static<typeof receipts>;
export type IncomingSettings = Static<typeof incoming>;
export type RequestSettings = Pick<SubmitSettings, 'url' | 'headers' | 'basic' | 'query'> & {
  readonly method?: string | undefined;
};

/** The parts of a declaration that only the operator's settings and the preset together make complete. */
interface Sections {
  readonly submit: SubmitSettings;
  readonly receipts?: ReceiptSettings | undefined;
  readonly incoming?: IncomingSettings | undefined;
}

/** A preset with the operator's settings, or all of them the operator's own. */
export type HttpDeclaration = Omit<HttpSettings, keyof Sections> & Sections;

/** What a preset says; the rest are the operator's own settings. */
export type Preset = Pick<HttpSettings, 'baseUrl' | 'values' | 'choices'> &
  Partial<Pick<HttpSettings, 'throughput'>> &
  Sections & {
    /** The service signs its calls only when asked to: a signature is required once its key is set. */
    readonly signsOnRequest?: true;
  };

/** The keys that a section needs, and lacks. */
export function missingKeys(declaration: HttpDeclaration): readonly (readonly [keyof Sections, string])[] {
  return Object.entries({ submit, receipts, incoming }).flatMap(([name, { required }]) => {
    const section = declaration[name as keyof Sections];
    const missing = required.filter((key) => section !== undefined && !Object.hasOwn(section, key));
    return missing.map((key) => [name as keyof Sections, key] as const);
  });
}

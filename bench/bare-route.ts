/**
 * The upper bound: a bare Fastify route with the path and schema of `/send` that stores nothing. It runs as its own process;
 * the argument is the port.
 */
import Fastify from 'fastify';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const texts = { type: 'array', items: text } as const;

const body = {
  type: 'object',
  required: ['to', 'message'],
  properties: {
    to: texts,
    from: text,
    message: text,
    templateid: text,
    onlytemplateplaceholders: flag,
    twoway: flag,
    conversation: text,
    costcenter: text,
    flash: flag,
    validminutes: text,
    shownumberparts: flag,
    defaultcountrycode: text,
    toaddressbookcustomtagfilter: text,
    toaddressbooksavedtagfilters: texts,
    toaddressbookgroups: texts,
    replacecharacters: flag,
    scheduletime: text,
    checknumber: flag,
    username: text,
    password: text,
  },
} as const;

const accepted = { type: 'object', properties: { to: text, id: text } } as const;
const answer = {
  type: 'object',
  properties: { accepted: { type: 'array', items: accepted }, rejected: texts },
} as const;

const app = Fastify();
let id = 1_000_000_000;
app.post('/restsms/svcrest/send', { schema: { body, response: { 200: answer } } }, async (request) => {
  const { to } = request.body as { to: string[] };
  return { accepted: to.map((number) => ({ to: number, id: String(id++) })), rejected: [] };
});
await app.listen({ port: Number(process.argv[2]), host: '127.0.0.1' });
console.log('ready');

/** Checks logins for a test's Postfix against a single password: the server side of Dovecot's authentication protocol 1.2. */
import { createServer, type Server } from 'node:net';
import { createInterface } from 'node:readline';

const greeting = [
  'VERSION\t1\t2',
  'MECH\tPLAIN\tplaintext',
  'SPID\t1',
  'CUID\t1',
  'COOKIE\t0123456789abcdef',
  'DONE',
];

export async function startPasswordCheck(port: number, user: string, password: string): Promise<Server> {
  const right = Buffer.from(`\0${user}\0${password}`).toString('base64');
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(`${greeting.join('\n')}\n`);
    createInterface(socket).on('line', (line) => {
      const [command, id, ...fields] = line.split('\t');
      if (command !== 'AUTH') return;
      const isRight = fields.includes(`resp=${right}`);
      socket.write(`${isRight ? 'OK' : 'FAIL'}\t${id}\tuser=${user}\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

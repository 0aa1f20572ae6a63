/** What every command of the command line guarantees. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { root } from './sources.ts';

/**
 * These commands run until they are stopped, or store nothing. All others show or change something, and can report it to
 * programs as well as to people.
 */
const telling: ReadonlySet<string> = new Set(['serve', 'smsc', 'mail test', 'mcp']);

/** Address books and opt-outs are exported as tables, for programs that read tables. */
const asCsv: ReadonlySet<string> = new Set(['contacts export', 'optouts export']);

const folder = join(root, 'src', 'commands');
const commands: Command[] = [];
for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))) {
  const exported: Record<string, unknown> = await import(join(folder, file));
  const makers = Object.entries(exported).filter(([name]) => /^[a-z]+Command$/.test(name));
  commands.push(...makers.map(([, make]) => (make as () => Command)()));
}

/** The command and its subcommands by full name; groups that only hold other commands do nothing themselves. */
function withSubcommands(command: Command, before = ''): [string, Command][] {
  const name = `${before}${command.name()}`;
  const below = command.commands.flatMap((one) => withSubcommands(one, `${name} `));
  const { _actionHandler: action } = command as unknown as { readonly _actionHandler: unknown };
  return action === null ? below : [[name, command], ...below];
}

const all = new Map(commands.flatMap((command) => withSubcommands(command)));

test('[RUN-3] Every command that shows or changes something takes --json', () => {
  expect(all.size).toBeGreaterThan(25);
  const asked = [...all].filter(([name]) => !telling.has(name) && !asCsv.has(name));
  const without = asked.filter(([, { options }]) => options.every(({ long }) => long !== '--json'));
  expect(without.map(([name]) => name)).toEqual([]);
});

test('[RUN-3] An option after the name of a command belongs to that command, even if its parent command has the same option', () => {
  const above = [...all.values()].filter(
    (command) => command.commands.length > 0 && command.options.length > 0,
  );
  expect(above.length).toBeGreaterThan(0);
  for (const command of above) {
    const { _enablePositionalOptions: isPositional } = command as unknown as Record<string, unknown>;
    expect([command.name(), isPositional]).toEqual([command.name(), true]);
  }
});

test('The lists of exceptions name only commands that exist', () => {
  expect([...telling, ...asCsv].filter((name) => !all.has(name))).toEqual([]);
});

/** `carillon mcp`: offers the API to agents as tools of the Model Context Protocol, over standard input and output. */
import { Command } from 'commander';
import { printError, printOnlyErrors } from '../foundation/terminal.ts';
import { type CallerOptions, requireCallerApi, withCaller } from './as-caller.ts';
import { stopOnSignal } from './stop-on-signal.ts';

export function mcpCommand(): Command {
  return withCaller(new Command('mcp'))
    .option('--read-only', 'offer no tools that send or start anything', false)
    .action(serve);
}

/** Clients give up after a minute; a tool makes two calls after each other. */
const silenceMs = 25_000;

interface McpOptions extends CallerOptions {
  readonly readOnly: boolean;
}

async function serve({ readOnly, ...options }: McpOptions): Promise<void> {
  printOnlyErrors();
  const api = (await requireCallerApi(options)).waitingAtMost(silenceMs);
  const [{ serveTools }, { offeredTools }] = await Promise.all([
    import('./mcp/server.ts'),
    import('./mcp/offered-tools.ts'),
  ]);
  const tools = offeredTools(api, readOnly);
  const close = await serveTools(tools);
  stopOnSignal(close);
  printError(`Carillon offers ${tools.length} tools on standard input and output (MCP).`);
}

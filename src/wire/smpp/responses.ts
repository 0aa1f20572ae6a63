/** The responses of a server to requests that it refuses, and to octets that it cannot read. */
import { type CommandName, layoutById } from './commands.ts';
import type { DecodeFault, Pdu, PduInput } from './pdu.ts';

export function hasResponse({ command }: Pdu): boolean {
  return !(command.endsWith('Resp') || command === 'genericNack' || !hasOwnResponse(command));
}

export function refusalOf({ command, sequence }: Pdu, status: number): PduInput {
  return { command: responseTo(command), sequence, status } as PduInput;
}

/** Undefined if the octets were a response, which must not be answered. */
export function answerToFault({ commandId, sequence, status, fatal }: DecodeFault): PduInput | undefined {
  const layout = layoutById.get(commandId);
  if (!fatal && commandId >= 0x8000_0000) return undefined;
  const command = layout === undefined || fatal ? 'genericNack' : responseTo(layout.command);
  return { command, sequence, status } as PduInput;
}

/** Commands that have no response get a generic_nack. */
function responseTo(command: CommandName): CommandName {
  return hasOwnResponse(command) ? (`${command}Resp` as CommandName) : 'genericNack';
}

function hasOwnResponse(command: CommandName): boolean {
  return command !== 'outbind' && command !== 'alertNotification';
}

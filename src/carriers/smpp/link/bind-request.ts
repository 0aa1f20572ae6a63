/** Builds the bind request of a session (SMPP 3.4, 4.1). */
import type { PduInput } from '../../../wire/smpp/pdu.ts';
import type { SmppSettings } from '../settings.ts';

export type BindRole = 'transceiver' | 'transmitter' | 'receiver';

const commands = {
  transceiver: 'bindTransceiver',
  transmitter: 'bindTransmitter',
  receiver: 'bindReceiver',
} as const;

export function bindRequest(settings: SmppSettings, role: BindRole, sequence: number): PduInput {
  const { systemId, password, systemType, addressRange } = settings;
  const interfaceVersion = Number.parseInt(settings.interfaceVersion.replace('0x', ''), 16);
  return {
    command: commands[role],
    sequence,
    systemId,
    password,
    systemType,
    interfaceVersion,
    addressRange,
  };
}

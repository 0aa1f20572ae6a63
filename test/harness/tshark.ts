/** Wireshark's view of PDUs: builds a capture of one TCP connection and has tshark read it, if installed. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const hasTshark = (() => {
  try {
    execFileSync('tshark', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

export type Dissected = Readonly<Record<string, string>>;

/** The fields of each packet by their Wireshark filter names; fields that a packet lacks are absent. */
export async function dissect(
  payloads: readonly Buffer[],
  fields: readonly string[],
): Promise<readonly Dissected[]> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-capture-'));
  try {
    const file = join(folder, 'smpp.pcap');
    writeFileSync(file, capture(payloads));
    const wanted = fields.flatMap((field) => ['-e', field]);
    const parameters = ['-r', file, '-n', '-d', `tcp.port==${smppPort},smpp`, '-T', 'json', ...wanted];
    const { stdout } = await promisify(execFile)('tshark', parameters, {
      maxBuffer: 2 ** 26,
      timeout: 100_000,
    });
    const packets = JSON.parse(stdout) as { _source: { layers: Record<string, string[]> } }[];
    return packets.map(({ _source: { layers } }) =>
      Object.fromEntries(Object.entries(layers).map(([field, values]) => [field, values[0] ?? ''])),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const smppPort = 2775;
const linkTypeRaw = 101;

/** A libpcap file with one packet per payload, in sequence on one connection. */
function capture(payloads: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(24);
  head.writeUInt32LE(0xa1b2c3d4, 0);
  head.writeUInt16LE(2, 4);
  head.writeUInt16LE(4, 6);
  head.writeUInt32LE(0x4_0000, 16);
  head.writeUInt32LE(linkTypeRaw, 20);
  let sequence = 1;
  const packets = payloads.map((payload, index) => {
    const packet = Buffer.concat([ipHeader(payload.length), tcpHeader(sequence), payload]);
    sequence += payload.length;
    const record = Buffer.alloc(16);
    record.writeUInt32LE(1_700_000_000 + index, 0);
    record.writeUInt32LE(packet.length, 8);
    record.writeUInt32LE(packet.length, 12);
    return Buffer.concat([record, packet]);
  });
  return Buffer.concat([head, ...packets]);
}

/** From 192.0.2.1 to 192.0.2.2; tshark does not verify checksums unless told to. */
function ipHeader(payloadLength: number): Buffer {
  const header = Buffer.alloc(20);
  header[0] = 0x45;
  header.writeUInt16BE(40 + payloadLength, 2);
  header[8] = 64;
  header[9] = 6;
  header.set([192, 0, 2, 1, 192, 0, 2, 2], 12);
  return header;
}

function tcpHeader(sequence: number): Buffer {
  const header = Buffer.alloc(20);
  header.writeUInt16BE(40_000, 0);
  header.writeUInt16BE(smppPort, 2);
  header.writeUInt32BE(sequence, 4);
  header[12] = 0x50;
  header[13] = 0x18;
  header.writeUInt16BE(0xffff, 14);
  return header;
}

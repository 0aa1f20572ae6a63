/**
 * Files that the build made and compressed, served from memory. A path is looked up exactly as received, so none leads out
 * of the folder.
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../foundation/errors.ts';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

export interface BuiltFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** The compressed forms, by the name of their coding. */
  readonly coded: ReadonlyMap<string, Buffer>;
}

export type BuiltFiles = ReadonlyMap<string, BuiltFile>;

/** Whether a path names a file rather than a page. */
export const isFileName = (name: string) => extname(name) in types;

/** A file takes some turns of the event loop, and a turn takes its time on a busy server: one by one, a visitor would wait. */
const readAtOnce = 50;

/**
 * Reads the folder, a few megabytes at most, when it is first asked for. Not remembered while there is no build, which may be
 * made while the server runs.
 */
export function builtFilesIn(
  folder: string,
  documentName: string,
  notBuilt: string,
): () => Promise<BuiltFiles> {
  let reading: Promise<BuiltFiles> | undefined;
  return () => {
    reading ??= readBuiltFiles(folder, documentName, notBuilt).catch((error) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

async function readBuiltFiles(folder: string, documentName: string, notBuilt: string): Promise<BuiltFiles> {
  const bytes = new Map<string, Buffer>();
  const entries = (await entriesOf(folder, notBuilt)).values();
  const readRest = async () => {
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      bytes.set(relative(folder, path).split(sep).join('/'), await readFile(path));
    }
  };
  await Promise.all(Array.from({ length: readAtOnce }, readRest));
  if (!bytes.has(documentName)) throw new ServiceError('not_found', notBuilt);
  const files = new Map<string, BuiltFile>();
  for (const [name, own] of bytes) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const coded = codings.flatMap(([coding, ending]) => {
      const compressed = bytes.get(name + ending);
      return compressed === undefined ? [] : [[coding, compressed] as const];
    });
    files.set(name, { type, bytes: own, coded: new Map(coded) });
  }
  return files;
}

async function entriesOf(folder: string, notBuilt: string) {
  try {
    return await readdir(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new ServiceError('not_found', notBuilt);
    throw error;
  }
}

export function sendBuiltFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, bytes, coded }: BuiltFile,
  cacheControl: string,
): FastifyReply {
  const accepted = headers['accept-encoding'] ?? '';
  const coding = codings.map(([one]) => one).find((one) => coded.has(one) && accepts(accepted, one));
  reply.header('cache-control', cacheControl).header('vary', 'accept-encoding').type(type);
  if (coding === undefined) return reply.send(bytes);
  return reply.header('content-encoding', coding).send(coded.get(coding));
}

/** RFC 9110, section 12.5.3. A star is ignored, which costs some bytes for clients that send only a star. */
function accepts(header: string, coding: string): boolean {
  return header
    .toLowerCase()
    .split(',')
    .some((range) => {
      const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
      return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    });
}

/**
 * Regular expressions from the source that the checker needed a long time to find linear; only the long tests check them again.
 * An expression that is changed no longer matches its entry and is checked with all others.
 */
import type { Expression } from './expression-faults.ts';

export const judged: readonly Expression[] = [
  /(?:^|[\s,;])(id|sub|dlvrd|submit[\s_]*date|done[\s_]*date|stat|err|text)\s*:/gi,
  /(?<!\/)\/+$/,
  /<[^<>\s@]{1,64}@[^<>\s@]{1,255}\s?>\s?[:：]$/,
  /=\?([\w.:+-]{1,60})(?:\*[\w-]{1,20})?\?([bq])\?([^?]{0,2000})\?=/gi,
  /\bcharset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i,
  /\beach\.(\w+)/g,
  /\{(?:Text:([^{}:]+)(?::([^{}]*))?|DateTime:([^{}:]+))\}/g,
  /^(.+)\.([1-9][0-9]{0,15})\.([1-9][0-9]{0,9})$/,
  /^(?!-)[a-z\d-]{1,63}(?<!-)(\.(?!-)[a-z\d-]{1,63}(?<!-))*$/i,
  /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/,
  /^(\+?\d{2,20}|[\x21-\x7e]{1,11})$/,
  /^(\S+)\s+(\S+)\s+(\S.*)$/,
  /^(\d{1,15}) ?([a-z]*)$/i,
  /^(_{20,}|(-=){8,}-?)$/,
  /^0+(?=.)/,
  /^<[^<>\s]{1,996}>$/,
  /^[A-Za-z0-9._:-]{1,128}$/,
  /^[\x20-\x7e]{1,255}$/,
  /^[^\s"(),:;<>@[\\\]\p{C}]{1,64}$/u,
  /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
  /^[a-z0-9_-]{1,63}$/i,
  /^[a-z][\w-]{0,39}$/i,
  /^\s*v\s*=\s*DMARC1\s*(;|$)/,
  /^https?:\/\/\S+$/i,
  /^tag:(.+)$/i,
  /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/,
  /display\s{0,9}:\s{0,9}none|mso-hide\s{0,9}:\s{0,9}all/i,
  /^\s*(?:text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)\b/i,
  /<[^<>\s]{1,250}>/g,
  /^\P{L}*nå(?!\p{L})/iu,
  /^((\d{1,16})\.)?(\d{1,16})$/,
  /^[\w-]{43}\.[\w-]{16}$/,
  /^<[a-z]+\.[0-9.]{1,40}\.(mail-[0-9a-f]{32})@/,
  /^\s*application\/json\b/i,
  /[^\p{L}\p{N}]+/u,
  /^(\d{1,16})\.(\d{1,16})\.(\d{1,16})$/,
];

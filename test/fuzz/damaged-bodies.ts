/** What can happen to a body on its way: cutting, bit flips, another encoding, or complete replacement. */
import fc, { type Arbitrary } from 'fast-check';
import { textMark } from './hostile-values.ts';

export interface Damage {
  /** True if the damage leaves the body unchanged. */
  readonly isPlain: boolean;
  readonly apply: (text: string) => Buffer;
}

const plain: Damage = { isPlain: true, apply: (text) => Buffer.from(text) };

const damage = (apply: (text: string) => Buffer | string): Damage => ({
  isPlain: false,
  apply: (text) => Buffer.from(apply(text) as Buffer),
});

/** Where a change happens, as a fraction of the length, so that it fits bodies of any length. */
const share = fc.double({ min: 0, max: 1, noNaN: true });
const placeIn = (text: string, at: number) => Math.floor(at * text.length);

const others = fc.constantFrom(
  damage((text) => `\ufeff${text}`),
  damage((text) => `\ufeff\ufeff${text}`),
  damage((text) => Buffer.from(`\ufeff${text}`, 'utf16le')),
  damage((text) => Buffer.from(text, 'utf16le').swap16()),
  damage((text) => Buffer.from(text.replaceAll('"', '"\xe5'), 'latin1')),
  damage((text) => `[${text}]`),
  damage((text) => `${text}${text}`),
  damage((text) => ` \t\r\n${text}\n `),
  damage((text) => text.replaceAll('"', "'")),
  damage((text) => text.replace('{', '{"to":["46730000001"],"to":["46730000002"],"message":"a",')),
  damage((text) => text.replace('{', '{"message":1,"__proto__":{"to":1},')),
  damage((text) => `/* ${textMark} */ ${text}`),
  damage(() => ''),
  damage(() => 'null'),
  damage(() => '\0'),
  damage(() => `T=46730000001&M=${textMark}`),
  damage(() => `--x\r\nContent-Disposition: form-data; name="to"\r\n\r\n46730000001\r\n--x--\r\n`),
  damage(() => Buffer.from('1f8b0800000000000003ab5605000e1d2c0402000000', 'hex')),
  damage(() => Buffer.from('ff00fec0af8080eda080', 'hex')),
  damage(() => '{"a":'.repeat(100_000)),
  damage(() => '['.repeat(100_000)),
  damage(() => `{"x":${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}}`),
  damage(() => `{"to":["${'4'.repeat(300_000)}"]}`),
  damage(() => `{${Array.from({ length: 10_000 }, (_, index) => `"${index}":${index}`).join(',')}}`),
  damage(() => `{"to":[${Array.from({ length: 10_000 }, () => '{}').join(',')}]}`),
);

export const damagedBody: Arbitrary<Damage> = fc.oneof(
  { weight: 60, arbitrary: fc.constant(plain) },
  { weight: 3, arbitrary: share.map((at) => damage((text) => text.slice(0, placeIn(text, at)))) },
  {
    weight: 4,
    arbitrary: fc.tuple(share, fc.integer({ min: 1, max: 255 })).map(([at, mask]) =>
      damage((text) => {
        const bytes = Buffer.from(text);
        const place = Math.min(Math.floor(at * bytes.length), bytes.length - 1);
        if (place >= 0) bytes[place] = (bytes[place] as number) ^ mask;
        return bytes;
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(share, fc.uint8Array({ maxLength: 6 })).map(([at, inserted]) =>
      damage((text) => {
        const place = placeIn(text, at);
        return Buffer.concat([Buffer.from(text.slice(0, place)), inserted, Buffer.from(text.slice(place))]);
      }),
    ),
  },
  { weight: 2, arbitrary: others },
);

import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BodyRoom } from './body-room.ts';

const limits = {
  maxBodyBytes: 100,
  largeBodyBytes: 10,
  reservedBodyBytes: 30,
  maxUnauthenticatedBodyBytes: 25,
  maxUnauthenticatedOtherBytes: 20,
};

/** Only the identity of the response matters. */
const someResponse = () => ({}) as ServerResponse;

function begin(
  room: BodyRoom,
  isUnauthenticated: boolean,
  declaredBytes?: number,
): (bytes: number) => boolean {
  const response = someResponse();
  room.begin(response, { declaredBytes, isUnauthenticated });
  return (bytes) => room.take(response, bytes);
}

describe('the room for bodies', () => {
  test('[DLV-8] Large bodies leave a part of the memory for bodies to small ones', () => {
    const room = new BodyRoom(limits);
    const large = begin(room, false, 90);
    expect([large(60), large(11), large(10), large(1)]).toEqual([true, false, true, false]);
    const small = [begin(room, true), begin(room, true), begin(room, false)];
    expect(small.map((take) => take(10))).toEqual([true, true, true]);
    expect(begin(room, false)(1)).toBe(false);
  });

  test('[DLV-8] A body that turns out to be large counts as large from its first byte', () => {
    const room = new BodyRoom(limits);
    expect(begin(room, false, 60)(60)).toBe(true);
    const unannounced = begin(room, false);
    expect([unannounced(10), unannounced(1)]).toEqual([true, false]);
  });

  test('[DLV-8] Large bodies of unauthenticated clients leave room for those of authenticated callers', () => {
    const room = new BodyRoom(limits);
    const stranger = someResponse();
    room.begin(stranger, { declaredBytes: 25, isUnauthenticated: true });
    expect(room.take(stranger, 20)).toBe(true);
    const next = begin(room, true, 11);
    expect([next(6), next(5)]).toEqual([false, true]);
    expect(begin(room, false, 40)(40)).toBe(true);
    room.identify(stranger);
    expect(begin(room, true, 11)(5)).toBe(true);
  });

  test('[DLV-8] Many ordinary bodies of unauthenticated clients leave room for those of authenticated callers', () => {
    const room = new BodyRoom(limits);
    expect(begin(room, false, 70)(70)).toBe(true);
    const stranger = someResponse();
    room.begin(stranger, { declaredBytes: 10, isUnauthenticated: true });
    expect(room.take(stranger, 10)).toBe(true);
    expect(begin(room, true)(10)).toBe(true);
    expect(begin(room, true)(1)).toBe(false);
    expect(begin(room, false)(5)).toBe(true);
    room.identify(stranger);
    expect(begin(room, true)(5)).toBe(true);
  });

  test('[DLV-8] Memory for bodies that is released can be taken again, whatever happened before', () => {
    const step = fc.record({
      declaredBytes: fc.option(fc.nat(60), { nil: undefined }),
      isUnauthenticated: fc.boolean(),
      chunks: fc.array(fc.nat(30), { maxLength: 5 }),
      isIdentified: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const room = new BodyRoom(limits);
        const responses = steps.map(({ chunks, isIdentified, ...body }) => {
          const response = someResponse();
          room.begin(response, body);
          for (const bytes of chunks) room.take(response, bytes);
          if (isIdentified) room.identify(response);
          return response;
        });
        for (const response of [...responses, ...responses]) room.release(response);
        expect([begin(room, true, 25)(25), begin(room, false, 45)(45)]).toEqual([true, true]);
        expect([begin(room, true)(10), begin(room, true)(10), begin(room, false)(10)]).not.toContain(false);
      }),
    );
  });
});
